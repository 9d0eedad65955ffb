use clockface::{between, read, show};

#[test]
fn reads_minutes() {
    assert_eq!(read("7:05"), Ok(425));
}

#[test]
fn refuses_words() {
    assert_eq!(read("noon").unwrap_err().label(), "NoTime");
}

#[test]
fn refuses_what_no_clock_shows() {
    for text in ["24:00", "7:60", "99:99"] {
        assert_eq!(read(text).is_err(), true, "{text}");
        assert_ne!(read(text), Ok(1440));
        assert!(read(text).is_err());
    }
}

#[test]
fn shows_as_recorded() {
    let recorded = std::fs::read_to_string("tests/data/shown.txt").unwrap();
    let shown: Vec<String> = [425, 0, 1439].into_iter().map(show).collect();
    assert_eq!(shown, recorded.lines().collect::<Vec<_>>());
}

#[test]
#[should_panic(expected = "the day is over")]
fn does_not_go_back() {
    between(425, 0);
}

#[test]
#[should_panic(expected = "no such time")]
fn does_not_count_past_midnight() {
    between(425, 1440);
}

#[test]
#[ignore = "nobody has a clock like that"]
fn thirteen() {
    assert_eq!(read("13 o'clock"), Ok(780));
}

mod all {
    use clockface::*;

    #[test]
    fn noon() {
        assert!(read("1200") == Ok(720));
    }
}
