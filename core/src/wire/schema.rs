//! The schemas of the answers, as tables: `cycles-protocol-v0.yaml` by hand, held to it by a test.
//!
//! What is read into them: `format: int64` and every other integer is held to int64 (W2); `format: uri` is an
//! annotation, as in JSON Schema 2020-12, and checks nothing; what the descriptions demand beyond the schema
//! (one unit a balance, caps only with ALLOW_WITH_CAPS) is the server's to keep.
//!
//! The tables hold no address: a shared library spends 32 bytes on each for its loader to fill in.

// What is computed here is computed by the compiler.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

/// What a value has to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A string.
    Text,
    /// A string of at most so many characters.
    TextUpTo(u16),
    /// A string of 64 lower-case hexadecimal digits.
    Hash,
    /// One of these strings.
    Name(Names),
    /// An integer of 0 or more.
    Count,
    /// An integer.
    Integer,
    /// `true` or `false`.
    Flag,
    /// An array of these.
    List(Item),
    /// An object of this schema.
    Object(Object),
}

/// What an array is of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    Tool,
    Scope,
    Balance,
}

/// The enumerations.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names {
    Decision,
    Unit,
    Status,
}

/// The objects, in the order of [`SCHEMAS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    Amount,
    SignedAmount,
    Evidence,
    Caps,
    Balance,
    Create,
    Extend,
    Error,
}

/// One key of an object. No other may be there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// Where its name begins among all [`NAMES`], and how long it is.
    at: u16,
    length: u8,
    /// The name's first byte: most keys are told apart by it.
    pub(super) first: u8,
    pub(super) required: bool,
    pub(super) shape: Shape,
    pub(super) field: Field,
}

/// Which keys' values the kernel wants to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Unread,
    Decision,
    ReservationId,
    RemainingTtl,
    ExpiresAt,
    Code,
}

impl Key {
    pub(super) fn name(&self) -> &'static str {
        TEXT.get(self.place()).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> &'static [u8] {
        NAMES.get(self.place()).unwrap_or_default()
    }

    fn place(&self) -> core::ops::Range<usize> {
        let start = usize::from(self.at);
        start..start.wrapping_add(usize::from(self.length))
    }
}

impl Item {
    pub(super) const fn shape(self) -> Shape {
        match self {
            Self::Tool => Shape::TextUpTo(256),
            Self::Scope => Shape::Text,
            Self::Balance => Shape::Object(Object::Balance),
        }
    }
}

impl Names {
    pub(super) const fn all(self) -> &'static [&'static str] {
        match self {
            Self::Decision => &["ALLOW", "ALLOW_WITH_CAPS", DENY],
            Self::Unit => &["USD_MICROCENTS", "TOKENS", "CREDITS", "RISK_POINTS"],
            Self::Status => &["ACTIVE"],
        }
    }
}

impl Object {
    pub(super) fn keys(self) -> &'static [Key] {
        let (start, end) = KEYS_OF.get(self as usize).copied().unwrap_or_default();
        KEYS.get(usize::from(start)..usize::from(end)).unwrap_or_default()
    }
}

/// The decision that grants nothing.
pub(super) const DENY: &str = "DENY";

/// A key as it is written down here.
#[derive(Clone, Copy)]
struct Written {
    name: &'static str,
    required: bool,
    shape: Shape,
    field: Field,
}

const fn required(name: &'static str, shape: Shape) -> Written {
    Written { name, required: true, shape, field: Field::Unread }
}

const fn optional(name: &'static str, shape: Shape) -> Written {
    Written { name, required: false, shape, field: Field::Unread }
}

impl Written {
    const fn read_as(self, field: Field) -> Self {
        Self { field, ..self }
    }
}

const SCHEMAS: [&[Written]; 8] = [AMOUNT, SIGNED_AMOUNT, EVIDENCE, CAPS, BALANCE, CREATE, EXTEND, ERROR];

const AMOUNT: &[Written] = &[required("unit", Shape::Name(Names::Unit)), required("amount", Shape::Count)];

const SIGNED_AMOUNT: &[Written] =
    &[required("unit", Shape::Name(Names::Unit)), required("amount", Shape::Integer)];

const EVIDENCE: &[Written] =
    &[required("evidence_id", Shape::Hash), required("cycles_evidence_url", Shape::Text)];

const CAPS: &[Written] = &[
    optional("max_tokens", Shape::Count),
    optional("max_steps_remaining", Shape::Count),
    optional("tool_allowlist", Shape::List(Item::Tool)),
    optional("tool_denylist", Shape::List(Item::Tool)),
    optional("cooldown_ms", Shape::Count),
];

const BALANCE: &[Written] = &[
    required("scope", Shape::Text),
    required("scope_path", Shape::Text),
    required("remaining", Shape::Object(Object::SignedAmount)),
    optional("reserved", Shape::Object(Object::Amount)),
    optional("spent", Shape::Object(Object::Amount)),
    optional("debt", Shape::Object(Object::Amount)),
    optional("allocated", Shape::Object(Object::Amount)),
    optional("overdraft_limit", Shape::Object(Object::Amount)),
    optional("is_over_limit", Shape::Flag),
];

/// `ReservationCreateResponse`.
const CREATE: &[Written] = &[
    required("decision", Shape::Name(Names::Decision)).read_as(Field::Decision),
    optional("reservation_id", Shape::Text).read_as(Field::ReservationId),
    optional("reserved", Shape::Object(Object::Amount)),
    optional("expires_at_ms", Shape::Count).read_as(Field::ExpiresAt),
    optional("remaining_ttl_ms", Shape::Count).read_as(Field::RemainingTtl),
    optional("scope_path", Shape::Text),
    required("affected_scopes", Shape::List(Item::Scope)),
    optional("caps", Shape::Object(Object::Caps)),
    optional("balances", Shape::List(Item::Balance)),
    optional("reason_code", Shape::TextUpTo(128)),
    optional("retry_after_ms", Shape::Count),
    optional("cycles_evidence", Shape::Object(Object::Evidence)),
];

/// `ReservationExtendResponse`.
const EXTEND: &[Written] = &[
    required("status", Shape::Name(Names::Status)),
    required("expires_at_ms", Shape::Count).read_as(Field::ExpiresAt),
    optional("remaining_ttl_ms", Shape::Count).read_as(Field::RemainingTtl),
    optional("balances", Shape::List(Item::Balance)),
];

/// What W4 reads of an `ErrorResponse`, whatever else is in it.
const ERROR: &[Written] = &[required("error", Shape::Text).read_as(Field::Code)];

/// All names: one behind the other, and each once.
static NAMES: [u8; PACKED.1] = {
    let (mut names, mut at) = ([0; PACKED.1], 0);
    while at < names.len() {
        names[at] = PACKED.0[at];
        at += 1;
    }
    names
};
const TEXT: &str = match core::str::from_utf8(&NAMES) {
    Ok(names) => names,
    Err(_) => "",
};
static KEYS: [Key; TOTAL.1] = PACKED.2;
static KEYS_OF: [(u8, u8); SCHEMAS.len()] = PACKED.3;

/// The bytes of all names at most, and how many keys there are.
const TOTAL: (usize, usize) = {
    let (mut bytes, mut keys, mut object) = (0, 0, 0);
    while object < SCHEMAS.len() {
        let mut key = 0;
        while key < SCHEMAS[object].len() {
            bytes += SCHEMAS[object][key].name.len();
            key += 1;
        }
        keys += key;
        object += 1;
    }
    (bytes, keys)
};

/// The names, how many bytes they are, the keys, and which of them each object has.
type Packed = ([u8; TOTAL.0], usize, [Key; TOTAL.1], [(u8, u8); SCHEMAS.len()]);

#[allow(clippy::cast_possible_truncation)] // a few hundred bytes of names, and fewer keys
const PACKED: Packed = {
    let none = Key { at: 0, length: 0, first: 0, required: false, shape: Shape::Flag, field: Field::Unread };
    let (mut names, mut keys, mut of) = ([0; TOTAL.0], [none; TOTAL.1], [(0, 0); SCHEMAS.len()]);
    let (mut end, mut next, mut object) = (0, 0, 0);
    while object < SCHEMAS.len() {
        let written = SCHEMAS[object];
        let mut key = 0;
        while key < written.len() {
            let Written { name, required, shape, field } = written[key];
            let name = name.as_bytes();
            let at = place(name, &names, end);
            let (length, first) = (name.len() as u8, name[0]);
            keys[next + key] = Key { at: at as u16, length, first, required, shape, field };
            let mut byte = 0;
            while byte < name.len() {
                names[at + byte] = name[byte];
                byte += 1;
            }
            if at == end {
                end += byte;
            }
            key += 1;
        }
        of[object] = (next as u8, (next + key) as u8);
        next += key;
        object += 1;
    }
    (names, end, keys, of)
};

/// Where `name` stands among the first `end` bytes of `names`; `end` where it does not.
const fn place(name: &[u8], names: &[u8], end: usize) -> usize {
    let mut at = 0;
    while at + name.len() <= end {
        let mut byte = 0;
        while byte < name.len() && names[at + byte] == name[byte] {
            byte += 1;
        }
        if byte == name.len() {
            return at;
        }
        at += 1;
    }
    end
}
