//! Exact quantities of storage, each in two machine words.
//!
//! The rules are those of `resource.Quantity` in apimachinery 0.36.3: which texts are valid, how numbers are rounded,
//! and how quantities are written.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// The family of units in which a quantity was written. The quantity is printed in the same family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `500M`, `10`, `100m`.
    DecimalSi,
    /// `10Gi`.
    BinarySi,
    /// `12e6`.
    DecimalExponent,
}

/// The form in which upstream stores the same number. Only [`Quantity::value`] depends on the form, and only if
/// upstream's result differs from the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// An int64 and a power of ten. Upstream multiplies by ten step by step, and the result is zero on overflow.
    Scaled,
    /// An int64 and a power of ten for which upstream has a single multiplication. The result wraps on overflow.
    Wrapping,
    /// A decimal number of any length.
    Long,
}

const NANO: u128 = 1_000_000_000;
/// The largest value with a binary unit, in nano units.
const BINARY_CAP: u128 = i64::MAX as u128 * NANO;
/// The first magnitude, in nano units, that does not fit next to the tag bits.
const LIMIT: u128 = 1 << 123;
/// The number of low bits that hold the format and the form.
const TAG_BITS: u32 = 4;
/// The number of decimal digits that always fit into an int64.
const SCALED_DIGITS: usize = 18;
/// The largest number of fraction digits that can influence a nano unit of a binary quantity, see [`binary`].
const FRACTION_DIGITS: usize = 69;
/// The largest number of characters of a refused text that an error repeats.
pub const EXCERPT: usize = 40;

/// An exact quantity, with the family of units in which it was written.
///
/// It holds every multiple of a billionth whose magnitude is below 2^123 billionths. This limit is about 1e28, or ten
/// billion exabytes. Upstream parses larger decimal numbers; here they are an error.
///
/// `==` compares the representation, so `1Gi` and `1073741824` differ. Use [`Quantity::compare`] to compare values.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Quantity {
    // The struct has two words instead of an i128. An i128 needs an alignment of 16, which would enlarge every struct
    // that has a quantity.
    high: i64,
    low: u64,
}

/// The reason why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    /// What is wrong with the text.
    pub problem: Problem,
    /// The start of the text, at most [`EXCERPT`] characters.
    excerpt: Box<str>,
}

/// What is wrong with a text that is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Upstream's `ErrFormatWrong`.
    Shape,
    /// Upstream's `ErrSuffix`.
    Unit,
    /// Upstream's `ErrNumeric`.
    Number,
    /// The text is valid in upstream, but the number is too large for [`Quantity`].
    Range,
}

impl Quantity {
    /// The quantity zero.
    pub const ZERO: Self = Self { high: 0, low: 0 };

    /// Parses every text that `resource.ParseQuantity` accepts, and returns the same value.
    ///
    /// This includes texts that look like mistakes: a sign, a point or most units without any digit mean zero. Parts
    /// smaller than a billionth are rounded away from zero, and quantities with binary units are capped at 2^63-1. The
    /// work is linear in the length of the text.
    ///
    /// # Errors
    /// Returns an error if upstream refuses the text, or if the number is too large for [`Quantity`].
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        if let Some(quantity) = plain(text.as_bytes()) {
            return Ok(quantity);
        }
        general(text.as_bytes()).map_err(|problem| QuantityError::new(problem, text))
    }

    /// Returns a number of bytes, which is written with binary units. Upstream: `NewQuantity` with `BinarySI`.
    pub fn bytes(bytes: i64) -> Self {
        Self::pack(bytes < 0, u128::from(bytes.unsigned_abs()) * NANO, Format::BinarySi, Form::Scaled)
    }

    /// Compares the values exactly, as upstream's `Cmp` does.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.nanos().cmp(&other.nanos())
    }

    /// Returns whether the value is zero.
    pub fn is_zero(&self) -> bool {
        self.nanos() == 0
    }

    /// Returns the value in whole units, as upstream's `Value()` returns it. Fractions are rounded away from zero.
    ///
    /// Sometimes the value does not fit into an int64, or a negative quantity has more digits than an int64 can hold.
    /// In these cases upstream reports no error but returns zero or a wrapped number. This function returns the same,
    /// so never use it to compare.
    #[expect(clippy::cast_possible_truncation, reason = "upstream keeps the low 64 bits")]
    pub fn value(&self) -> i64 {
        const UNIT: i64 = 1_000_000_000;
        let nanos = self.nanos();
        match self.form() {
            Form::Scaled => i64::try_from(self.whole()).unwrap_or(0),
            // Upstream sets the negative cap as whole units, so the next case does not apply to it.
            Form::Long if nanos == -BINARY_CAP.cast_signed() && self.format() == Format::BinarySi => -i64::MAX,
            // For values below 2^63 billionths, upstream has a shortcut that uses only the low 64 bits. It also takes
            // this shortcut for negative values.
            Form::Long if nanos < i128::from(i64::MAX) => {
                let low = nanos as i64;
                low / UNIT + i64::from(low % UNIT != 0)
            }
            Form::Wrapping | Form::Long => self.whole() as i64,
        }
    }

    /// Returns the value in whole units, rounded away from zero.
    fn whole(self) -> i128 {
        let nanos = self.nanos();
        nanos.unsigned_abs().div_ceil(NANO).cast_signed() * nanos.signum()
    }

    /// Returns the value rounded away from zero to thousandths.
    fn rounded_up_to_milli(self) -> Self {
        const MILLI: u128 = 1_000_000;
        let nanos = self.nanos();
        let rounded = nanos.unsigned_abs().div_ceil(MILLI) * MILLI;
        // Rounding can leave the range only near its end. Upstream has different limits there.
        if rounded < LIMIT { Self::pack(nanos < 0, rounded, self.format(), self.form()) } else { self }
    }

    const fn pack(negative: bool, nanos: u128, format: Format, form: Form) -> Self {
        let magnitude = nanos.cast_signed();
        let signed = if negative { -magnitude } else { magnitude };
        let tag = (format as i128) << 2 | form as i128;
        let bits = signed << TAG_BITS | tag;
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the bits")]
        Self { high: (bits >> 64) as i64, low: bits.cast_unsigned() as u64 }
    }

    /// Returns the value in billionths.
    pub fn nanos(self) -> i128 {
        (i128::from(self.high) << 64 | i128::from(self.low)) >> TAG_BITS
    }

    fn format(self) -> Format {
        match self.low >> 2 & 0b11 {
            0 => Format::DecimalSi,
            1 => Format::BinarySi,
            _ => Format::DecimalExponent,
        }
    }

    fn form(self) -> Form {
        match self.low & 0b11 {
            0 => Form::Scaled,
            1 => Form::Wrapping,
            _ => Form::Long,
        }
    }
}

/// The canonical text, as upstream's `CanonicalizeBytes` makes it: no fraction, the largest unit, the family of units
/// that was parsed.
///
/// It differs from the result of upstream's `String()` in two cases. `String()` repeats some texts as they were written
/// (`+5`, `1.500`). This text is always canonical, and [`Amount`] repeats such texts. `String()` also drops a unit that
/// would have to be larger than `E`: it writes `1000E` as `1`. This text is `1000E`.
impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
        const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        let nanos = self.nanos();
        let mut mantissa = nanos.unsigned_abs();
        if mantissa == 0 {
            return out.write_str("0");
        }
        if nanos < 0 {
            out.write_str("-")?;
        }
        let mut step = 0;
        // A fraction, or a number below 1Ki, is exact only in decimal units.
        if self.format() == Format::BinarySi && mantissa >= 1024 * NANO && mantissa.is_multiple_of(NANO) {
            mantissa /= NANO;
            while mantissa.is_multiple_of(1024) && step < BINARY.len() - 1 {
                mantissa /= 1024;
                step += 1;
            }
            return write!(out, "{mantissa}{}", BINARY[step]);
        }
        let exponential = self.format() == Format::DecimalExponent;
        while mantissa.is_multiple_of(1000) && (exponential || step < DECIMAL.len() - 1) {
            mantissa /= 1000;
            step += 1;
        }
        match (exponential, step) {
            (false, _) => write!(out, "{mantissa}{}", DECIMAL[step]),
            (true, 0..3) => write!(out, "{mantissa}e-{}", 9 - 3 * step),
            (true, 3) => write!(out, "{mantissa}"),
            (true, _) => write!(out, "{mantissa}e{}", 3 * step - 9),
        }
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Quantity({self}, {:?}, {:?})", self.format(), self.form())
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A quantity as an object of the API stores it. Upstream's parser keeps some texts that are not canonical, such as
/// `+5`, `1.500` or `2E0`. Upstream repeats such a text wherever the quantity is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The quantity itself.
    pub quantity: Quantity,
    /// The text that upstream repeats. The value is `None` if it is the canonical text.
    written: Option<Box<str>>,
}

impl Amount {
    /// Parses the same texts as [`Quantity::parse`].
    ///
    /// # Errors
    /// The errors are those of [`Quantity::parse`].
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let quantity = Quantity::parse(text)?;
        let written = may_be_noncanonical(text.as_bytes())
            && is_kept_by_upstream(text.as_bytes())
            && quantity.to_string() != text;
        Ok(Self { quantity, written: written.then(|| text.into()) })
    }

    /// Rounds away from zero to thousandths, as the API server does with every amount that it reads. Returns whether
    /// this changed the amount. Upstream: `SetDefaults_ResourceList`, `pkg/apis/core/v1`, 1.36.
    pub fn round_up_to_milli(&mut self) -> bool {
        let rounded = self.quantity.rounded_up_to_milli();
        let changed = rounded != self.quantity;
        if changed {
            *self = rounded.into();
        }
        changed
    }

    /// Returns whether both amounts have the same text. The API's JSON shows only the text: `1.0Gi` is stored as `1Gi`.
    pub fn reads_as(&self, other: &Self) -> bool {
        self == other || self.to_string() == other.to_string()
    }
}

impl From<Quantity> for Amount {
    fn from(quantity: Quantity) -> Self {
        Self { quantity, written: None }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(text) => out.write_str(text),
            None => self.quantity.fmt(out),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns whether the text can be one that upstream keeps although it is not canonical. In almost every object, the
/// text has only digits and one unit. Upstream keeps such a text only if it is canonical.
fn may_be_noncanonical(text: &[u8]) -> bool {
    let [first, .., last] = text else { return false };
    !(b'1'..=b'9').contains(first)
        || text.contains(&b'.')
        || last.is_ascii_digit() && text.iter().any(u8::is_ascii_alphabetic)
}

/// Returns whether upstream's parser keeps the text. Upstream: the cases in which `ParseQuantity`
/// (`apimachinery/pkg/api/resource`, 0.36) says that the number is in canonical form.
fn is_kept_by_upstream(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let (_, rest) = split(unsigned, |byte| byte == b'0');
    let (whole, rest) = split(rest, |byte| byte.is_ascii_digit());
    let (fraction, suffix) = match rest {
        [b'.', rest @ ..] => split(rest, |byte| byte.is_ascii_digit()),
        rest => (&[][..], rest),
    };
    let digits = whole.len() + fraction.len();
    if whole.is_empty() || digits > SCALED_DIGITS {
        return false;
    }
    match unit(suffix) {
        Ok(Unit::Decimal(exponent, _)) => {
            let zeros = whole.iter().chain(fraction).rev().take_while(|digit| **digit == b'0').count();
            i64::try_from(fraction.len()).is_ok_and(|length| {
                let scale = i64::from(exponent) - length;
                scale >= -9 && scale % 3 == 0
            }) && zeros < 3
        }
        // 1000 is a multiple of 8. So the last three digits decide whether 8 divides the number.
        Ok(Unit::Binary(exponent)) => {
            let last = whole
                .iter()
                .skip(whole.len().saturating_sub(3))
                .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
            fraction.is_empty() && binary_form(digits, exponent) != Form::Long && last % 8 != 0
        }
        Err(_) => false,
    }
}

impl QuantityError {
    fn new(problem: Problem, text: &str) -> Self {
        let mut excerpt: String = text.chars().take(EXCERPT).collect();
        if excerpt.len() < text.len() {
            excerpt.pop();
            excerpt.push('…');
        }
        Self { problem, excerpt: excerpt.into() }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { problem, excerpt } = self;
        // The debug format quotes and escapes the text, so that no control character reaches a terminal.
        match problem {
            Problem::Shape => write!(
                out,
                "{excerpt:?} is not a quantity: write a number and its unit without a space or a B, such as 10Gi or 500M"
            ),
            Problem::Unit => write!(
                out,
                "{excerpt:?} is not a quantity: its unit must be one of n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, \
                 Ei or an exponent such as e3"
            ),
            Problem::Number => write!(out, "{excerpt:?} is not a quantity: there is no number before its unit"),
            Problem::Range => write!(out, "{excerpt:?} is larger than the largest quantity supported here, about 1e28"),
        }
    }
}

impl std::error::Error for QuantityError {}

/// Parses texts that have only digits and a unit. Nearly all manifests have only such texts. Returns `None` for other
/// texts.
fn plain(text: &[u8]) -> Option<Quantity> {
    let mut number: u64 = 0;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        if length == SCALED_DIGITS {
            return None;
        }
        number = number * 10 + u64::from(digit);
        length += 1;
    }
    if length == 0 {
        return None;
    }
    let (unit, scale) = match &text[length..] {
        b"" => (NANO, 0),
        b"m" => (NANO / 1000, -3),
        b"k" => (NANO * 1000, 3),
        b"M" => (NANO * 1_000_000, 6),
        b"G" => (NANO * NANO, 9),
        b"T" => (NANO * NANO * 1000, 12),
        b"P" => (NANO * NANO * 1_000_000, 15),
        [prefix, b'i'] => {
            let exponent = match prefix {
                b'K' => 10,
                b'M' => 20,
                b'G' => 30,
                b'T' => 40,
                b'P' => 50,
                b'E' => 60,
                _ => return None,
            };
            let nanos = u128::from(number).checked_mul(NANO << exponent)?.min(BINARY_CAP);
            let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
            return Some(Quantity::pack(false, nanos, Format::BinarySi, binary_form(digits, exponent)));
        }
        _ => return None,
    };
    let nanos = u128::from(number).checked_mul(unit).filter(|nanos| *nanos < LIMIT)?;
    Some(Quantity::pack(false, nanos, Format::DecimalSi, scaled_form(scale)))
}

/// Parses all valid texts, including texts with a sign, leading zeros, a fraction or an exponent. The function rounds
/// and caps the number.
fn general(text: &[u8]) -> Result<Quantity, Problem> {
    if text.is_empty() {
        return Err(Problem::Shape);
    }
    let negative = text[0] == b'-';
    let unsigned = if negative || text[0] == b'+' { &text[1..] } else { text };
    let (zeros, rest) = split(unsigned, |byte| byte == b'0');
    if rest.is_empty() {
        return Ok(Quantity::ZERO);
    }
    let (whole, rest) = split(rest, |byte| byte.is_ascii_digit());
    let (fraction, suffix) = match rest {
        [b'.', rest @ ..] => split(rest, |byte| byte.is_ascii_digit()),
        rest => (&[][..], rest),
    };
    let unit = unit(suffix)?;
    // The following code treats a missing whole part as the digit 0.
    let digits = whole.len().max(1) + fraction.len();
    let written = !(zeros.is_empty() && whole.is_empty() && fraction.is_empty());
    let (nanos, format, form) = match unit {
        Unit::Decimal(exponent, format) => {
            let scale = i64::from(exponent) - i64::try_from(fraction.len()).map_err(|_| Problem::Range)?;
            let form = if digits <= SCALED_DIGITS && scale >= -9 { scaled_form(scale) } else { Form::Long };
            (decimal(whole, fraction, scale + 9)?, format, form)
        }
        Unit::Binary(exponent) => {
            let form = if fraction.is_empty() { binary_form(digits, exponent) } else { Form::Long };
            let nanos = binary(whole, fraction, exponent);
            // For a value below one unit, upstream's long form changes to decimal units.
            let format = if form == Form::Long && nanos < NANO { Format::DecimalSi } else { Format::BinarySi };
            (nanos, format, form)
        }
    };
    if form == Form::Long && !written {
        return Err(Problem::Number);
    }
    Ok(Quantity::pack(negative, nanos, format, form))
}

#[derive(Clone, Copy)]
enum Unit {
    /// A power of ten.
    Decimal(i32, Format),
    /// A power of two. The exponent is a multiple of ten.
    Binary(u32),
}

/// Returns the unit that the text after the number states.
fn unit(suffix: &[u8]) -> Result<Unit, Problem> {
    let (exponent, format) = match suffix {
        b"" => (0, Format::DecimalSi),
        b"n" => (-9, Format::DecimalSi),
        b"u" => (-6, Format::DecimalSi),
        b"m" => (-3, Format::DecimalSi),
        b"k" => (3, Format::DecimalSi),
        b"M" => (6, Format::DecimalSi),
        b"G" => (9, Format::DecimalSi),
        b"T" => (12, Format::DecimalSi),
        b"P" => (15, Format::DecimalSi),
        b"E" => (18, Format::DecimalSi),
        b"Ki" => return Ok(Unit::Binary(10)),
        b"Mi" => return Ok(Unit::Binary(20)),
        b"Gi" => return Ok(Unit::Binary(30)),
        b"Ti" => return Ok(Unit::Binary(40)),
        b"Pi" => return Ok(Unit::Binary(50)),
        b"Ei" => return Ok(Unit::Binary(60)),
        other => (exponent(other)?, Format::DecimalExponent),
    };
    Ok(Unit::Decimal(exponent, format))
}

/// Returns the exponent in `e3` or `E-3`. For another text, the error is [`Problem::Shape`] if upstream's scanner
/// refuses it, and [`Problem::Unit`] if only the check of the unit refuses it.
fn exponent(suffix: &[u8]) -> Result<i32, Problem> {
    let (_, rest) = split(suffix, |byte| b"eEinumkKMGTP".contains(&byte));
    let unsigned = rest.strip_prefix(b"+").or(rest.strip_prefix(b"-")).unwrap_or(rest);
    if !unsigned.iter().all(u8::is_ascii_digit) {
        return Err(Problem::Shape);
    }
    let number = suffix.strip_prefix(b"e").or(suffix.strip_prefix(b"E")).ok_or(Problem::Unit)?;
    let number = str::from_utf8(number).map_err(|_| Problem::Unit)?;
    let number: i64 = number.parse().map_err(|_| Problem::Unit)?;
    #[expect(clippy::cast_possible_truncation, reason = "upstream keeps the low 32 bits: 1e4294967296 is 1")]
    Ok(number as i32)
}

/// Returns the number in nano units. `shift` is the exponent of the power of ten that converts the number made of all
/// digits into nano units. If any digit after the last nano unit is not zero, the result is rounded up.
fn decimal(whole: &[u8], fraction: &[u8], shift: i64) -> Result<u128, Problem> {
    let total = whole.len() + fraction.len();
    let dropped = usize::try_from(shift.min(0).unsigned_abs()).unwrap_or(total);
    let mut digits = whole.iter().chain(fraction).map(|byte| u128::from(byte - b'0'));
    let mut nanos: u128 = 0;
    for digit in digits.by_ref().take(total.saturating_sub(dropped)) {
        nanos = nanos * 10 + digit;
        if nanos >= LIMIT {
            return Err(Problem::Range);
        }
    }
    nanos += u128::from(digits.any(|digit| digit != 0));
    // A number other than zero reaches the limit after a few steps. Zero stays zero, so it needs no step.
    for _ in 0..if nanos == 0 { 0 } else { shift.max(0) } {
        nanos *= 10;
        if nanos >= LIMIT {
            return Err(Problem::Range);
        }
    }
    if nanos < LIMIT { Ok(nanos) } else { Err(Problem::Range) }
}

/// Returns the number times 2^`exponent` in nano units, rounded up and capped.
///
/// Only `exponent` + 9 digits of the fraction are multiplied. The number of nano units is then a whole number divided
/// by a power of five. So the later digits cannot change the number of whole nano units: they only decide whether to
/// round up.
fn binary(whole: &[u8], fraction: &[u8], exponent: u32) -> u128 {
    const CAP: u128 = i64::MAX as u128;
    let mut units: u128 = 0;
    for byte in whole {
        units = units * 10 + u128::from(byte - b'0');
        if units > CAP {
            return BINARY_CAP;
        }
    }
    let mut digits = [0; FRACTION_DIGITS];
    let kept = &mut digits[..exponent as usize + 9];
    let (near, far) = fraction.split_at(fraction.len().min(kept.len()));
    for (digit, byte) in kept.iter_mut().zip(near) {
        *digit = u32::from(byte - b'0');
    }
    for _ in 0..exponent / 10 {
        let mut carry = 0;
        for digit in kept.iter_mut().rev() {
            let product = *digit * 1024 + carry;
            *digit = product % 10;
            carry = product / 10;
        }
        units = units * 1024 + u128::from(carry);
    }
    if units > CAP {
        return BINARY_CAP;
    }
    let (nanos, rest) = kept.split_at(9);
    let nanos = nanos.iter().fold(0, |number, digit| number * 10 + u128::from(*digit));
    let inexact = rest.iter().any(|digit| *digit != 0) || far.iter().any(|byte| *byte != b'0');
    (units * NANO + nanos + u128::from(inexact)).min(BINARY_CAP)
}

/// Returns the form of an int64 times this power of ten, see upstream's `positiveScaleInt64`.
fn scaled_form(scale: i64) -> Form {
    if matches!(scale, 1..=3 | 6 | 9) { Form::Wrapping } else { Form::Scaled }
}

/// Returns the form of a whole number with this number of digits. Upstream estimates whether the product fits into an
/// int64.
fn binary_form(digits: usize, exponent: u32) -> Form {
    if digits + exponent as usize * 3 / 10 <= 14 { Form::Scaled } else { Form::Long }
}

/// Returns the bytes before the first byte that does not fit, and the remaining bytes.
fn split(text: &[u8], fits: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !fits(*byte)).unwrap_or(text.len()))
}
