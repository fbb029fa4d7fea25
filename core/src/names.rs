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
            pub const fn $method(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
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
