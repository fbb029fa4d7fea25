//! The schemas of the answers, as tables: `cycles-protocol-v0.yaml` by hand, held to it by a test.
//!
//! What is read into them: `format: int64` and every other integer is held to int64 (W2); `format: uri` is an
//! annotation, as in JSON Schema 2020-12, and checks nothing; what the descriptions demand beyond the schema
//! (one unit a balance, caps only with ALLOW_WITH_CAPS) is the server's to keep.

/// What a value has to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A string of at most so many characters.
    Text { characters_max: usize },
    /// A string of 64 lower-case hexadecimal digits.
    Hash,
    /// One of these strings.
    Name(&'static [&'static str]),
    /// An integer of at least this.
    Integer { minimum: i64 },
    /// `true` or `false`.
    Flag,
    /// An array of these.
    List(&'static Shape),
    /// An object of this schema.
    Object(&'static Object),
}

/// An object's keys. No other may be there.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) keys: &'static [Key],
}

/// One key of an object.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
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

const fn required(name: &'static str, shape: Shape) -> Key {
    Key { name, required: true, shape, field: Field::Unread }
}

const fn optional(name: &'static str, shape: Shape) -> Key {
    Key { name, required: false, shape, field: Field::Unread }
}

impl Key {
    const fn read_as(self, field: Field) -> Self {
        Self { field, ..self }
    }
}

pub(super) const DECISIONS: &[&str] = &["ALLOW", "ALLOW_WITH_CAPS", "DENY"];
/// The one of [`DECISIONS`] that grants nothing.
pub(super) const DENY: &str = "DENY";

const TEXT: Shape = Shape::Text { characters_max: usize::MAX };
const COUNT: Shape = Shape::Integer { minimum: 0 };
const UNIT: Shape = Shape::Name(&["USD_MICROCENTS", "TOKENS", "CREDITS", "RISK_POINTS"]);

static TOOL: Shape = Shape::Text { characters_max: 256 };
static SCOPE: Shape = TEXT;
static BALANCES: Shape = Shape::Object(&BALANCE);

static AMOUNT: Object = Object { keys: &[required("unit", UNIT), required("amount", COUNT)] };

static SIGNED_AMOUNT: Object =
    Object { keys: &[required("unit", UNIT), required("amount", Shape::Integer { minimum: i64::MIN })] };

static EVIDENCE: Object =
    Object { keys: &[required("evidence_id", Shape::Hash), required("cycles_evidence_url", TEXT)] };

static CAPS: Object = Object {
    keys: &[
        optional("max_tokens", COUNT),
        optional("max_steps_remaining", COUNT),
        optional("tool_allowlist", Shape::List(&TOOL)),
        optional("tool_denylist", Shape::List(&TOOL)),
        optional("cooldown_ms", COUNT),
    ],
};

static BALANCE: Object = Object {
    keys: &[
        required("scope", TEXT),
        required("scope_path", TEXT),
        required("remaining", Shape::Object(&SIGNED_AMOUNT)),
        optional("reserved", Shape::Object(&AMOUNT)),
        optional("spent", Shape::Object(&AMOUNT)),
        optional("debt", Shape::Object(&AMOUNT)),
        optional("allocated", Shape::Object(&AMOUNT)),
        optional("overdraft_limit", Shape::Object(&AMOUNT)),
        optional("is_over_limit", Shape::Flag),
    ],
};

/// `ReservationCreateResponse`.
pub(super) static CREATE: Object = Object {
    keys: &[
        required("decision", Shape::Name(DECISIONS)).read_as(Field::Decision),
        optional("reservation_id", TEXT).read_as(Field::ReservationId),
        optional("reserved", Shape::Object(&AMOUNT)),
        optional("expires_at_ms", COUNT).read_as(Field::ExpiresAt),
        optional("remaining_ttl_ms", COUNT).read_as(Field::RemainingTtl),
        optional("scope_path", TEXT),
        required("affected_scopes", Shape::List(&SCOPE)),
        optional("caps", Shape::Object(&CAPS)),
        optional("balances", Shape::List(&BALANCES)),
        optional("reason_code", Shape::Text { characters_max: 128 }),
        optional("retry_after_ms", COUNT),
        optional("cycles_evidence", Shape::Object(&EVIDENCE)),
    ],
};

/// `ReservationExtendResponse`.
pub(super) static EXTEND: Object = Object {
    keys: &[
        required("status", Shape::Name(&["ACTIVE"])),
        required("expires_at_ms", COUNT).read_as(Field::ExpiresAt),
        optional("remaining_ttl_ms", COUNT).read_as(Field::RemainingTtl),
        optional("balances", Shape::List(&BALANCES)),
    ],
};

/// What W4 reads of an `ErrorResponse`, whatever else is in it.
pub(super) static ERROR: Object = Object { keys: &[required("error", TEXT).read_as(Field::Code)] };
