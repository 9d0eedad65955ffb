//! Times of day in minutes since midnight.

mod show;

pub use clockface_derive::Label;
pub use show::show;

/// Why a text is no time.
#[derive(Debug, Clone, PartialEq, Eq, Label)]
pub struct NoTime {
    pub text: String,
}

/// Minutes since midnight of a time such as `7:05`.
///
/// ```
/// assert_eq!(clockface::read("7:05"), Ok(425));
/// ```
pub fn read(text: &str) -> Result<u32, NoTime> {
    let wrong = || NoTime {
        text: text.to_string(),
    };
    let (hours, minutes) = text.trim().split_once(':').unwrap_or((text.trim(), "0"));
    let hours: u32 = hours.parse().map_err(|_| wrong())?;
    let minutes: u32 = minutes.parse().map_err(|_| wrong())?;
    Ok(hours * 60 + minutes)
}

/// Minutes between two times of one day.
///
/// # Panics
///
/// The second is before the first.
pub fn between(first: u32, second: u32) -> u32 {
    assert!(second >= first, "the day is over");
    second - first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_hour() {
        assert_eq!(read("7"), Ok(420));
    }
}
