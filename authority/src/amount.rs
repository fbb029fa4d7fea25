//! Amounts and their units.

/// What is counted. A lease and all that settles it are in one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// 10⁻⁸ US dollars
    UsdMicrocents,
    /// Tokens of a model
    Tokens,
    /// Credits, as the operator means them
    Credits,
    /// Points of risk, as the operator means them
    RiskPoints,
}

impl Unit {
    /// Every one there is.
    pub const ALL: &'static [Self] = &[Self::UsdMicrocents, Self::Tokens, Self::Credits, Self::RiskPoints];

    /// The unit as the protocol spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UsdMicrocents => "USD_MICROCENTS",
            Self::Tokens => "TOKENS",
            Self::Credits => "CREDITS",
            Self::RiskPoints => "RISK_POINTS",
        }
    }

    /// The one with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|unit| unit.as_str() == name)
    }
}

/// So much of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Amount {
    /// Of what.
    pub unit: Unit,
    /// How much: 0 to 2⁶³ − 1.
    pub amount: u64,
}

impl Amount {
    /// So much of the same unit.
    #[must_use]
    pub const fn with(self, amount: u64) -> Self {
        Self { unit: self.unit, amount }
    }
}

/// What to do where more was used than is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Overage {
    /// Refuse to settle.
    Reject,
    /// Charge what is there, and close the budget for new reservations if that is not all.
    #[default]
    AllowIfAvailable,
    /// The same here, as no budget of this server has an overdraft (A11).
    AllowWithOverdraft,
}
