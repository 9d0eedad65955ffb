//! What stands on a parcel's label.

/// Number, weight and price of a parcel on one line.
pub fn label(number: u64, grams: u32) -> String {
    let mut digits = itoa::Buffer::new();
    let price = tariff::price(grams).map_or("refused".to_string(), tariff::euros);
    format!("No. {}  {} g  {}", digits.format(number), grams, price)
}
