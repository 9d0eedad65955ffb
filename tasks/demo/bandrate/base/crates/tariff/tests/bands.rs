use tariff::price;

#[test]
fn a_light_parcel_is_cheap() {
    assert_eq!(price(1), Some(499));
}

#[test]
fn a_heavier_parcel_costs_more() {
    assert!(price(9_000) > price(4_000));
}

#[test]
fn a_piano_is_refused() {
    assert_eq!(price(180_000), None);
}
