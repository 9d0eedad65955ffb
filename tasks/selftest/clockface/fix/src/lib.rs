//! Times of day in minutes since midnight.

mod show;

pub use clockface_derive::Label;
pub use show::show;

/// Why a text is no time.
#[derive(Debug, Clone, PartialEq, Eq, Label)]
pub struct NoTime {
    pub text: String,
}

const DAY: u32 = 24 * 60;

/// Minutes since midnight of a time such as `7:05` or `0705`.
///
/// ```
/// assert_eq!(clockface::read("7:05"), Ok(425));
/// ```
pub fn read(text: &str) -> Result<u32, NoTime> {
    let wrong = || NoTime {
        text: text.to_string(),
    };
    let trimmed = text.trim();
    let (hours, minutes) = match trimmed.split_once(':') {
        Some(parts) => parts,
        None if trimmed.len() == 4 && trimmed.is_ascii() => trimmed.split_at(2),
        None => (trimmed, "0"),
    };
    let hours: u32 = hours.parse().map_err(|_| wrong())?;
    let minutes: u32 = minutes.parse().map_err(|_| wrong())?;
    if hours > 23 || minutes > 59 {
        return Err(wrong());
    }
    Ok(hours * 60 + minutes)
}

/// Minutes between two times of one day.
///
/// # Panics
///
/// The second is before the first, or is none.
pub fn between(first: u32, second: u32) -> u32 {
    assert!(second >= first, "the day is over");
    assert!(second < DAY, "no such time");
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
