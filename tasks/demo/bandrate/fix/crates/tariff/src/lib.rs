//! What a parcel costs: bands of weight, each with its price.

mod money;

pub use money::euros;

/// Weight in grams up to which a band reaches, and its price in cents.
const BANDS: [(u32, u32); 4] = [(2_000, 499), (5_000, 649), (10_000, 949), (31_500, 1_749)];

/// The price in cents of a parcel that weighs so many grams; `None` if nobody carries it.
///
/// ```
/// assert_eq!(tariff::price(800), Some(499));
/// ```
pub fn price(grams: u32) -> Option<u32> {
    BANDS.iter().find(|(limit, _)| grams <= *limit).map(|(_, cents)| *cents)
}
