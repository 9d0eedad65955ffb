use beatcount::Song;

#[test]
fn a_new_song_is_silent() {
    assert_eq!(Song::new().beats(4), 0);
}

#[test]
fn bars_add_up() {
    let mut waltz = Song::new();
    waltz.extend(8);
    waltz.extend(16);
    assert_eq!((waltz.bars(), waltz.beats(3)), (24, 72));
}
