//! Enums whose variants have names outside Rust: in traces, in bodies, in other languages.

/// Declares an enum with a name for each variant, so that variant, name and serialized form cannot part.
macro_rules! named {
    ($(#[$meta:meta])* $enum:ident, $method:ident, $what:literal;
     $($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $enum {
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $variant,)*
        }

        impl $enum {
            /// Every one there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            #[doc = $what]
            #[must_use]
            pub fn $method(self) -> &'static str {
                $crate::names::without_nul(self.with_nul())
            }

            /// The same with a NUL behind it, for C.
            #[must_use]
            pub fn with_nul(self) -> &'static str {
                const NAMES: &str = concat!($($name, "\0"),*);
                static STARTS: [u16; $enum::ALL.len() + 1] = $crate::names::starts(NAMES);
                $crate::names::nth(NAMES, &STARTS, self as usize)
            }

            /// The one with this name, if there is one.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.$method() == name)
            }
        }

        impl core::fmt::Display for $enum {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.$method())
            }
        }
    };
}

/// Where each of `texts` begins, behind the NUL of the one before; and where they end.
///
/// Texts that stand one behind the other need no table of their addresses, of which a loader would have to fill in
/// each.
#[allow(clippy::arithmetic_side_effects, clippy::cast_possible_truncation, clippy::indexing_slicing)] // by the compiler
pub(crate) const fn starts<const N: usize>(texts: &str) -> [u16; N] {
    let texts = texts.as_bytes();
    let (mut starts, mut at, mut next) = ([0; N], 0, 1);
    while at < texts.len() {
        if texts[at] == 0 {
            starts[next] = at as u16 + 1;
            next += 1;
        }
        at += 1;
    }
    assert!(next == N && texts.len() <= u16::MAX as usize);
    starts
}

/// The `index`th of `texts`, its NUL included.
#[inline(never)] // once for all names
pub(crate) fn nth(texts: &'static str, starts: &'static [u16], index: usize) -> &'static str {
    let start_of = |index| starts.get(index).copied().unwrap_or(0).into();
    texts.get(start_of(index)..start_of(index.wrapping_add(1))).unwrap_or_default()
}

#[inline(never)] // once for all names
pub(crate) fn without_nul(text: &'static str) -> &'static str {
    text.strip_suffix('\0').unwrap_or(text)
}
