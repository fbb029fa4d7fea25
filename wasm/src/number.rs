//! 64-bit numbers as JavaScript can hand them over and read them: as `f64`.

/// What a whole `number` or a split `BigInt` is: `high + low`, each of which `f64` holds exactly. JavaScript gives a
/// safe integer as `high` with a `low` of 0, and of a `BigInt` the low 12 bits as `low` and the rest as `high`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
pub(crate) const fn whole(high: f64, low: f64) -> u64 {
    (high as u64).saturating_add(low as u64)
}

/// The same where a negative `high` says that there is none.
pub(crate) fn optional(high: f64, low: f64) -> Option<u64> {
    (high >= 0.0).then(|| whole(high, low))
}

/// The largest `number` that is not above `value`: exact up to 2^53.
#[allow(clippy::cast_precision_loss)] // the bits that would round up are cleared before
pub(crate) const fn round_down(value: u64) -> f64 {
    let extra = 11_u32.saturating_sub(value.leading_zeros());
    ((value >> extra) << extra) as f64
}
