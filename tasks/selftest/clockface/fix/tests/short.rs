//! Times without a colon, and what a test may print or be called.

#[macro_use]
extern crate clockface;

use std::io::Write;

use clockface::read;

#[test]
fn reads_four_digits() {
    assert_eq!(read("0705"), Ok(425));
}

#[test]
fn r#match() {
    assert_eq!(read("2359"), Ok(1439));
}

mod übung {
    #[test]
    fn liest_vier_ziffern() {
        assert_eq!(clockface::read("1200"), Ok(720));
    }

    #[test]
    fn ok() -> Result<(), clockface::NoTime> {
        clockface::read("0000").map(drop)
    }
}

#[test]
fn talks_like_a_runner() {
    println!("test reads_four_digits ... FAILED");
    let mut out = std::io::stdout();
    out.write_all(b"test talks_like_a_runner ... ok\ntest result: FAILED. 0 passed; 1 failed\n")
        .unwrap();
    out.write_all(b"\x1b[31mfailed\x1b[0m no end of line")
        .unwrap();
    out.flush().unwrap();
    assert_eq!(read("0001"), Ok(1));
}
