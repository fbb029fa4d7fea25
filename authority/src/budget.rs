//! A tenant's budget: what it holds for live reservations, and what was spent (A5, A11).

use crate::amount::{Amount, Unit};
use crate::refusal::Denial;

/// One budget in one unit. Nothing of it is ever owed: there is no debt and no overdraft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Budget {
    /// The unit it is counted in.
    pub unit: Unit,
    /// All there is: 0 to 2⁶³ − 1.
    pub allocated: u64,
    /// What is spent of it.
    pub spent: u64,
    /// What active reservations hold of it.
    pub reserved: u64,
    /// A settlement was cut to what was there: nothing new is reserved (A5).
    pub over_limit: bool,
    /// Whether it serves new reservations and events at all.
    pub state: BudgetState,
}

/// Whether a budget serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BudgetState {
    /// It does.
    #[default]
    Open,
    /// Not for now.
    Frozen,
    /// Not any more.
    Closed,
}

impl Budget {
    /// An untouched budget.
    #[must_use]
    pub const fn new(allocated: Amount) -> Self {
        Self {
            unit: allocated.unit,
            allocated: allocated.amount,
            spent: 0,
            reserved: 0,
            over_limit: false,
            state: BudgetState::Open,
        }
    }

    /// What is neither spent nor held.
    #[must_use]
    pub const fn remaining(&self) -> u64 {
        self.allocated.saturating_sub(self.spent).saturating_sub(self.reserved)
    }

    /// A5: whether `amount` can be taken, with the first reason why not. A budget over its limit stops only
    /// what is to be reserved anew.
    pub(crate) fn evaluate(&self, amount: Amount, reserves: bool) -> Result<(), Denial> {
        if self.unit != amount.unit {
            return Err(Denial::UnitMismatch { requested: amount.unit, expected: self.unit });
        }
        self.serves()?;
        if self.over_limit && reserves {
            return Err(Denial::OverdraftLimitExceeded);
        }
        if amount.amount > self.remaining() { Err(Denial::BudgetExceeded) } else { Ok(()) }
    }

    const fn serves(&self) -> Result<(), Denial> {
        match self.state {
            BudgetState::Open => Ok(()),
            BudgetState::Frozen => Err(Denial::BudgetFrozen),
            BudgetState::Closed => Err(Denial::BudgetClosed),
        }
    }

    pub(crate) fn hold(&mut self, amount: u64) {
        self.reserved = self.reserved.saturating_add(amount);
    }

    pub(crate) fn give_back(&mut self, held: u64) {
        self.reserved = self.reserved.saturating_sub(held);
    }

    /// A11: what can be charged of `amount`, `held` of which is held for it.
    pub(crate) fn chargeable(&self, held: u64, amount: u64) -> u64 {
        amount.min(held.saturating_add(self.remaining()))
    }

    /// Spends `charged`, and gives back what was held for it. `asked` says whether that is all that was asked.
    pub(crate) fn charge(&mut self, held: u64, charged: u64, asked: u64) {
        self.give_back(held);
        self.spent = self.spent.saturating_add(charged);
        self.over_limit |= charged < asked;
    }
}
