//! Quantities of storage, exact.
use std::cmp::Ordering;
/// An exact quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quantity {
    nanos: i128,
}
/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError(pub String);
impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { nanos: 0 };
    /// Compares exactly.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}
