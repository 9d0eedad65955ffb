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

#[test]
fn a_parcel_of_just_a_band_s_weight_belongs_to_it() {
    assert_eq!(price(2_000), Some(499));
    assert_eq!(price(2_001), Some(649));
}

mod heavier {
    use super::price;

    #[test]
    fn the_heaviest_parcel_is_still_carried() {
        assert_eq!(price(31_500), Some(1_749));
    }

    #[test]
    fn a_gram_more_is_refused() {
        assert_eq!(price(31_501), None);
    }
}
