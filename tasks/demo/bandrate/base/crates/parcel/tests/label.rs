#[test]
fn a_label_names_the_price() {
    assert_eq!(parcel::label(7, 500), "No. 7  500 g  4.99");
}
