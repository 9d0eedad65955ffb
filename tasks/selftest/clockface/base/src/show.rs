/// A time as people write it.
///
/// ```
/// assert_eq!(clockface::show(425), "7:05");
/// ```
///
/// ```should_panic
/// assert_eq!(clockface::show(425), "07:05");
/// ```
///
/// ```no_run
/// loop {
///     println!("{}", clockface::show(0));
/// }
/// ```
///
/// ```ignore
/// nothing like Rust
/// ```
pub fn show(minutes: u32) -> String {
    format!("{}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn midnight() {
        assert_eq!(super::show(0), "0:00");
    }
}
