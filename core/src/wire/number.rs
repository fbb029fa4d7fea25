//! Numbers of a JSON text.

use super::problem::{Fault, Wrong};

/// What the schemas can ask of a number. None of them has a fraction, so none is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// Written as an integer, and inside int64.
    Integer(i64),
    /// Written as an integer, and outside.
    TooLarge,
    /// Written with a point or an exponent, were it `1.0` (W2).
    Fraction,
}

/// More digits than any int64 has. Nineteen of them fit u64.
const DIGITS_TOO_MANY: usize = 20;

impl Number {
    /// Scans a number. Also gives what follows it.
    pub(super) fn scan(text: &[u8]) -> Result<(Self, &[u8]), Fault> {
        let (negative, unsigned) = match text {
            [b'-', unsigned @ ..] => (true, unsigned),
            _ => (false, text),
        };
        let (magnitude, mut rest) = whole(unsigned)?;
        let mut fraction = false;
        if let [b'.', decimals @ ..] = rest {
            fraction = true;
            rest = digits(decimals)?;
        }
        if let [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] = rest {
            fraction = true;
            rest = digits(exponent)?;
        }
        let number = if fraction { Self::Fraction } else { Self::integer(negative, magnitude) };
        Ok((number, rest))
    }

    fn integer(negative: bool, magnitude: Option<u64>) -> Self {
        let signed = magnitude.and_then(|magnitude| {
            if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
        });
        signed.map_or(Self::TooLarge, Self::Integer)
    }
}

/// The digits before a point or exponent, which start with 0 only if that is all: their value where it fits,
/// and what follows them.
fn whole(text: &[u8]) -> Result<(Option<u64>, &[u8]), Fault> {
    let mut rest = text;
    let mut value = 0_u64;
    while let [byte, behind @ ..] = rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        // Wraps only where there are too many digits.
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        rest = behind;
    }
    let count = text.len().wrapping_sub(rest.len());
    match text {
        [b'0', behind @ ..] if count > 1 => Err(Fault::new(Wrong::Syntax, behind)),
        _ if count == 0 => Err(Fault::no_json(rest)),
        _ => Ok(((count < DIGITS_TOO_MANY).then_some(value), rest)),
    }
}

/// Skips at least one digit.
fn digits(text: &[u8]) -> Result<&[u8], Fault> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 { Err(Fault::no_json(text)) } else { Ok(text.get(count..).unwrap_or_default()) }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, number: Number) {
        let followed = [text.as_bytes(), b",1"].concat();
        assert_eq!(Number::scan(&followed), Ok((number, &b",1"[..])), "{text}");
        assert_eq!(Number::scan(text.as_bytes()), Ok((number, &b""[..])), "{text}");
    }

    #[test]
    fn w2_an_integer_is_written_as_one_and_inside_int64() {
        reads("0", Number::Integer(0));
        reads("-0", Number::Integer(0));
        reads("-7", Number::Integer(-7));
        reads("9223372036854775807", Number::Integer(i64::MAX));
        reads("-9223372036854775808", Number::Integer(i64::MIN));
        for text in [
            "9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "-18446744073709551617",
            "10000000000000000000000000000000000000000000000000000000000000000",
        ] {
            reads(text, Number::TooLarge);
        }
        for text in
            ["1.0", "1e0", "1E0", "1e+0", "1e-0", "0.0", "-0.0", "1.25e3", "10000000000000000000000.0"]
        {
            reads(text, Number::Fraction);
        }
    }

    #[test]
    fn w2_what_is_no_number_is_a_fault_where_it_stops_being_one() {
        for (text, at) in [
            ("-", 1),
            ("-a", 1),
            ("+1", 0),
            (".5", 0),
            ("01", 1),
            ("-01", 2),
            ("00", 1),
            ("1.", 2),
            ("1.e1", 2),
            ("1e", 2),
            ("1e+", 3),
            ("1ea", 2),
        ] {
            let fault = Number::scan(text.as_bytes()).expect_err(text);
            assert_eq!(fault.offset(text.as_bytes()), at, "{text}");
            let unfinished = fault.wrong == Wrong::Unfinished;
            assert_eq!(unfinished, at == text.len(), "{text}");
        }
    }
}
