/// Cents as a price tag says them.
///
/// ```
/// assert_eq!(tariff::euros(1749), "17.49");
/// ```
pub fn euros(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::euros;

    #[test]
    fn cents_have_two_digits() {
        assert_eq!(euros(605), "6.05");
    }
}
