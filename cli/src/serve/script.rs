//! When which fault is played: `extend:2=lost-response`.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::str::FromStr;

use leasebeat_authority::Digest;
use serde::{Deserialize, Deserializer, de};

use super::fault::Fault;

/// How many keys are known as seen: a retry that comes later than that many keys counts as a new one.
const KEYS_MAX: usize = 10_000;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Extend,
    Commit,
    Release,
    Get,
    Event,
}

impl Operation {
    const ALL: [Self; 6] = [Self::Create, Self::Extend, Self::Commit, Self::Release, Self::Get, Self::Event];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Extend => "extend",
            Self::Commit => "commit",
            Self::Release => "release",
            Self::Get => "get",
            Self::Event => "event",
        }
    }
}

/// A fault, and the requests that meet it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// `None`: any.
    operation: Option<Operation>,
    /// Only the first request with each key counts, so that a retry goes through.
    new_keys: bool,
    which: Which,
    fault: Fault,
}

/// Of the requests that count, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    FromTo(u64, u64),
    Every(u64),
}

impl Rule {
    /// Reads what stands before the `=` of a flag: `extend`, `extend:2`, `extend:2-4`, `extend:2+`, `extend:*/5`,
    /// `any:*`, `extend:new:2`.
    fn new(on: &str, fault: Fault) -> Result<Self, String> {
        let (operation, which) = on.split_once(':').unwrap_or((on, "*"));
        let operation = match operation {
            "any" => None,
            name => Some(Operation::ALL.into_iter().find(|operation| operation.name() == name).ok_or_else(
                || format!("{name:?} must be one of create, extend, commit, release, get, event, any"),
            )?),
        };
        let (new_keys, which) = match which.strip_prefix("new:") {
            Some(which) => (true, which),
            None => (false, which),
        };
        let which = Which::read(which)
            .ok_or_else(|| format!("{which:?} must be a number from 1 such as 2, or 2-4, 2+, * or */5"))?;
        Ok(Self { operation, new_keys, which, fault })
    }
}

impl Which {
    fn read(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
        if text == "*" {
            return Some(Self::Every(1));
        }
        if let Some(every) = text.strip_prefix("*/") {
            return number(every).map(Self::Every);
        }
        if let Some(from) = text.strip_suffix('+') {
            return Some(Self::FromTo(number(from)?, u64::MAX));
        }
        match text.split_once('-') {
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                (from <= to).then_some(Self::FromTo(from, to))
            }
            None => number(text).map(|only| Self::FromTo(only, only)),
        }
    }

    fn includes(self, number: u64) -> bool {
        match self {
            Self::FromTo(from, to) => (from..=to).contains(&number),
            Self::Every(every) => number % every == 0,
        }
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (on, fault) =
            text.split_once('=').ok_or("write OPERATION:WHICH=FAULT, such as extend:2=lost-response")?;
        Self::new(on, fault.parse()?)
    }
}

/// In a file: `on = "extend:2"`, `fault = "lost-response"`.
impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            on: String,
            fault: String,
        }
        let table = Table::deserialize(deserializer)?;
        let fault = table.fault.parse().map_err(de::Error::custom)?;
        Self::new(&table.on, fault).map_err(de::Error::custom)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

/// A rule, what it has counted, and whether it has played.
#[derive(Debug)]
struct Told {
    rule: Rule,
    count: u64,
    played: bool,
}

/// All rules, and what they have counted.
#[derive(Debug, Default)]
pub(crate) struct Script {
    rules: Vec<Told>,
    seen: HashSet<(u8, Digest)>,
    order: VecDeque<(u8, Digest)>,
}

impl Script {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        Self {
            rules: rules.into_iter().map(|rule| Told { rule, count: 0, played: false }).collect(),
            ..Self::default()
        }
    }

    /// What goes wrong with a request: the first rule that includes it. Every rule counts it.
    pub(super) fn play(&mut self, operation: Operation, key: Option<Digest>) -> Option<Fault> {
        let new = self.is_new(operation, key);
        let mut played = None;
        for Told { rule, count, played: has_played } in &mut self.rules {
            let counts = rule.operation.is_none_or(|only| only == operation) && (new || !rule.new_keys);
            *count += u64::from(counts);
            if counts && played.is_none() && rule.which.includes(*count) {
                *has_played = true;
                played = Some(rule.fault.clone());
            }
        }
        played
    }

    /// Whether each rule has played, in their order.
    pub(super) fn played(&self) -> Vec<bool> {
        self.rules.iter().map(|told| told.played).collect()
    }

    fn is_new(&mut self, operation: Operation, key: Option<Digest>) -> bool {
        let Some(key) = key else { return true };
        if !self.rules.iter().any(|told| told.rule.new_keys) {
            return true;
        }
        let scoped = (operation as u8, key);
        if !self.seen.insert(scoped) {
            return false;
        }
        self.order.push_back(scoped);
        if self.order.len() > KEYS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.seen.remove(&oldest);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests of 1 to 8 that meet the rule; each odd one has a new key, each even one repeats it.
    fn met(rule: &str) -> Vec<u64> {
        let mut script = Script::new(vec![rule.parse().expect("a rule")]);
        (1u64..=8)
            .filter(|number| {
                script.play(Operation::Extend, Some(Digest(u128::from(number.div_ceil(2))))).is_some()
            })
            .collect()
    }

    #[test]
    fn a_rule_says_which_requests_meet_it() {
        assert_eq!(met("extend=reset"), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(met("any:2=reset"), [2]);
        assert_eq!(met("extend:2-4=reset"), [2, 3, 4]);
        assert_eq!(met("extend:7+=reset"), [7, 8]);
        assert_eq!(met("extend:*/3=reset"), [3, 6]);
        assert_eq!(met("extend:new:2=reset"), [3]);
        assert_eq!(met("extend:new:*=reset"), [1, 3, 5, 7]);
        assert_eq!(met("create:2=reset"), [0; 0]);
    }

    #[test]
    fn the_first_rule_plays_and_all_count() {
        let rules = ["extend:1=reset", "extend:1-2=stall", "extend:3=accepted"];
        let mut script = Script::new(rules.iter().map(|rule| rule.parse().expect("a rule")).collect());
        let played: Vec<_> = (0..4)
            .map(|_| script.play(Operation::Extend, None).map(|fault| fault.to_string()).unwrap_or_default())
            .collect();
        assert_eq!(played, ["reset", "stall", "accepted", ""]);
    }

    #[test]
    fn what_is_no_rule_is_told_what_would_be_one() {
        for (text, complaint) in [
            ("extend", "OPERATION:WHICH=FAULT"),
            ("extent:2=reset", "one of create, extend"),
            ("extend:0=reset", "a number from 1"),
            ("extend:4-2=reset", "a number from 1"),
            ("extend:2=boom", "one of lost-response"),
        ] {
            let error = text.parse::<Rule>().expect_err("no rule");
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
