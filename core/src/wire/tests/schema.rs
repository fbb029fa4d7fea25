//! W2: valid by the schema, to its full depth.

use super::*;
use Wrong::{
    Below, KeyMissing, KeyTwice, Not, NotAHash, NotAnInteger, NotOneOf, OutsideInt64, TooLong, UnknownKey,
};

const UNITS: Wrong = NotOneOf(&["USD_MICROCENTS", "TOKENS", "CREDITS", "RISK_POINTS"]);
const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[track_caller]
fn create_is(members: &str, wrong: Option<Wrong>) {
    let body = created(members);
    match wrong {
        None => is_success(to_create(body.as_bytes())),
        Some(wrong) => is_ambiguous(to_create(body.as_bytes()), wrong),
    }
}

#[track_caller]
fn balance_is(members: &str, wrong: Option<Wrong>) {
    // A create and an extend have the same balances.
    let body = balance(members);
    let (_, balances) = body.split_once(",\"balances\"").expect("it has some");
    let in_create = created(&format!(",\"balances\"{}", &balances[..balances.len() - 1]));
    match wrong {
        None => {
            is_success(to_extend(body.as_bytes()));
            is_success(to_create(in_create.as_bytes()));
        }
        Some(wrong) => {
            is_ambiguous(to_extend(body.as_bytes()), wrong);
            is_ambiguous(to_create(in_create.as_bytes()), wrong);
        }
    }
}

#[test]
fn w2_an_answer_with_everything_is_valid() {
    let evidence = format!(r#"{{"evidence_id":"{HASH}","cycles_evidence_url":"not checked"}}"#);
    let amount = r#"{"unit":"USD_MICROCENTS","amount":9223372036854775807}"#;
    let balances = format!(
        r#"[{{"scope":"s","scope_path":"p","remaining":{{"amount":-9223372036854775808,"unit":"CREDITS"}},
        "reserved":{amount},"spent":{amount},"debt":{amount},"allocated":{amount},"overdraft_limit":{amount},
        "is_over_limit":false}}]"#
    );
    create_is(
        &format!(
            r#","reserved":{amount},"expires_at_ms":0,"remaining_ttl_ms":9223372036854775807,"scope_path":"",
            "caps":{{"max_tokens":0,"max_steps_remaining":1,"tool_allowlist":["a"],"tool_denylist":[],"cooldown_ms":2}},
            "balances":{balances},"reason_code":"NEW","retry_after_ms":5,"cycles_evidence":{evidence}"#
        ),
        None,
    );
    is_success(to_extend(extended(&format!(r#","remaining_ttl_ms":1,"balances":{balances}"#)).as_bytes()));
    is_success(to_extend(extended(r#","balances":[]"#).as_bytes()));
    create_is(r#","caps":{}"#, None);
}

#[test]
fn w2_keys_may_come_in_any_order_and_escaped() {
    for body in [
        r#"{"expires_at_ms":9,"status":"ACTIVE"}"#,
        r#"{"balances":[],"remaining_ttl_ms":7,"expires_at_ms":9,"status":"ACTIVE"}"#,
        r#"{"\u0073tatus":"\u0041CTIVE","expires\u005fat_ms":9}"#,
    ] {
        is_success(to_extend(body.as_bytes()));
    }
}

#[test]
fn w2_a_required_key_is_there() {
    for (body, name) in [
        ("{}", "status"),
        (r#"{"expires_at_ms":9}"#, "status"),
        (r#"{"status":"ACTIVE"}"#, "expires_at_ms"),
        (r#"{"remaining_ttl_ms":9,"status":"ACTIVE"}"#, "expires_at_ms"),
    ] {
        is_ambiguous(to_extend(body.as_bytes()), KeyMissing(name));
    }
    for (body, name) in [
        (r#"{"decision":"ALLOW","reservation_id":"r"}"#, "affected_scopes"),
        (r#"{"affected_scopes":[],"reservation_id":"r"}"#, "decision"),
    ] {
        is_ambiguous(to_create(body.as_bytes()), KeyMissing(name));
    }
    balance_is(r#","spent":{"unit":"TOKENS"}"#, Some(KeyMissing("amount")));
    balance_is(r#","spent":{"amount":1}"#, Some(KeyMissing("unit")));
    balance_is(r#"},{"scope":"s","scope_path":"p""#, Some(KeyMissing("remaining")));
    balance_is(r"},{", Some(KeyMissing("scope")));
    create_is(r#","cycles_evidence":{}"#, Some(KeyMissing("evidence_id")));
    create_is(
        &format!(r#","cycles_evidence":{{"evidence_id":"{HASH}"}}"#),
        Some(KeyMissing("cycles_evidence_url")),
    );
}

#[test]
fn w2_no_key_that_the_schema_does_not_name() {
    for key in ["x", "", "Status", "status ", "statu", "statuss", r"\u0000", "error", "decision"] {
        let body = extended(&format!(r#","{key}":1"#));
        is_ambiguous(to_extend(body.as_bytes()), UnknownKey);
    }
    balance_is(r#","x":1"#, Some(UnknownKey));
    balance_is(r#","amount":1"#, Some(UnknownKey));
    balance_is(r#","debt":{"unit":"TOKENS","amount":1,"x":1}"#, Some(UnknownKey));
    create_is(r#","status":"ACTIVE""#, Some(UnknownKey));
    create_is(r#","caps":{"x":1}"#, Some(UnknownKey));
    create_is(r#","cycles_evidence":{"x":1}"#, Some(UnknownKey));
}

#[test]
fn w2_a_key_given_twice_is_ambiguous_however_it_is_escaped() {
    for twice in [r#","status":"ACTIVE""#, r#","expires_at_ms":9"#, r#","\u0073tatus":"ACTIVE""#] {
        is_ambiguous(to_extend(extended(twice).as_bytes()), KeyTwice);
    }
    let body = r#"{"\u0073tatus":"ACTIVE","status":"ACTIVE","expires_at_ms":9}"#;
    is_ambiguous(to_extend(body.as_bytes()), KeyTwice);
    balance_is(r#","scope":"s""#, Some(KeyTwice));
    balance_is(r#","debt":{"unit":"TOKENS","amount":1,"unit":"TOKENS"}"#, Some(KeyTwice));
    create_is(r#","caps":{"cooldown_ms":1,"cooldown_ms":1}"#, Some(KeyTwice));
    create_is(r#","affected_scopes":[]"#, Some(KeyTwice));
    // Another object may have the same keys.
    balance_is(r#","debt":{"unit":"TOKENS","amount":1},"spent":{"unit":"TOKENS","amount":1}"#, None);
}

#[test]
fn w2_enumerations_are_exact() {
    for status in ["", "active", "ACTIVE ", "ACTIV", "EXPIRED", r"ACTIVE\u0000"] {
        let body = extended("").replace("ACTIVE", status);
        is_ambiguous(to_extend(body.as_bytes()), NotOneOf(&["ACTIVE"]));
    }
    for decision in ["", "allow", "ALLOW_", "ALLOW_WITH_CAP", "DENIED"] {
        let body = created("").replace("ALLOW", decision);
        is_ambiguous(to_create(body.as_bytes()), NotOneOf(&["ALLOW", "ALLOW_WITH_CAPS", "DENY"]));
    }
    for unit in ["USD_MICROCENTS", "TOKENS", "CREDITS", "RISK_POINTS"] {
        balance_is(&format!(r#","spent":{{"unit":"{unit}","amount":1}}"#), None);
    }
    for unit in ["", "tokens", "USD", "TOKENS,CREDITS"] {
        balance_is(&format!(r#","spent":{{"unit":"{unit}","amount":1}}"#), Some(UNITS));
    }
}

#[test]
fn w2_nothing_is_null_and_everything_of_the_named_type() {
    let types = [
        ("expires_at_ms", "an integer", "0"),
        ("scope_path", "a string", r#""""#),
        ("reason_code", "a string", r#""""#),
        ("retry_after_ms", "an integer", "0"),
        ("reserved", "an object", r#"{"unit":"TOKENS","amount":0}"#),
        ("caps", "an object", "{}"),
        ("balances", "an array", "[]"),
        ("cycles_evidence", "an object", "..."),
    ];
    for (key, name, right) in types {
        for value in ["null", "true", "false", "7", "-7", "7.5", r#""7""#, "[]", "{}"] {
            let fits = match name {
                "an integer" => value.starts_with(['-', '7']),
                "a string" => value.starts_with('"'),
                "an array" => value.starts_with('['),
                _ => value.starts_with('{'),
            };
            if !fits {
                create_is(&format!(r#","{key}":{value}"#), Some(Not(name)));
            }
        }
        if right != "..." {
            create_is(&format!(r#","{key}":{right}"#), None);
        }
    }
    for (members, wrong) in [
        (r#","is_over_limit":null"#, "true or false"),
        (r#","is_over_limit":0"#, "true or false"),
        (r#","is_over_limit":"true""#, "true or false"),
        (r#","spent":[]"#, "an object"),
        (r#","spent":{"unit":null,"amount":1}"#, "a string"),
        (r#","spent":{"unit":"TOKENS","amount":"1"}"#, "an integer"),
    ] {
        balance_is(members, Some(Not(wrong)));
    }
    create_is(r#","caps":{"tool_allowlist":[1]}"#, Some(Not("a string")));
    create_is(r#","caps":{"tool_denylist":["a",null]}"#, Some(Not("a string")));
    create_is(r#","caps":{"tool_denylist":[["a"]]}"#, Some(Not("a string")));
    create_is(r#","balances":[[]]"#, Some(Not("an object")));
    for body in ["[]", "null", "true", "7", r#""{}""#] {
        is_ambiguous(to_create(body.as_bytes()), Not("an object"));
    }
}

#[test]
fn w2_integers_are_written_as_integers_inside_int64_and_their_minimum() {
    for (number, wrong) in [
        ("0", None),
        ("-0", None),
        ("9223372036854775807", None),
        ("9223372036854775808", Some(OutsideInt64)),
        ("18446744073709551617", Some(OutsideInt64)),
        ("-9223372036854775809", Some(OutsideInt64)),
        ("-1", Some(Below(0))),
        ("1.0", Some(NotAnInteger)),
        ("1e3", Some(NotAnInteger)),
        ("0E0", Some(NotAnInteger)),
        ("-0.0", Some(NotAnInteger)),
    ] {
        for key in ["expires_at_ms", "remaining_ttl_ms", "retry_after_ms"] {
            create_is(&format!(r#","{key}":{number}"#), wrong);
        }
        for key in ["max_tokens", "max_steps_remaining", "cooldown_ms"] {
            create_is(&format!(r#","caps":{{"{key}":{number}}}"#), wrong);
        }
        balance_is(&format!(r#","debt":{{"unit":"TOKENS","amount":{number}}}"#), wrong);
        let body = extended("").replace('9', number);
        let wrong_in_extend = to_extend(body.as_bytes()).problem().map(|problem| problem.wrong());
        assert_eq!(wrong_in_extend, wrong);
    }
}

#[test]
fn w2_strings_keep_to_their_length_and_pattern() {
    // Characters are counted, not bytes, and an escape is one of them.
    for character in ["a", "é", "😀", r"\n", r"\ud83d\ude00"] {
        for (key, most) in [("reason_code", 128), ("tool", 256)] {
            for (count, wrong) in [(most, None), (most + 1, Some(TooLong(most)))] {
                let text = character.repeat(count);
                if key == "tool" {
                    create_is(&format!(r#","caps":{{"tool_allowlist":["","{text}"]}}"#), wrong);
                } else {
                    create_is(&format!(r#","{key}":"{text}""#), wrong);
                }
            }
        }
    }
    create_is(&format!(r#","scope_path":"{}""#, "a".repeat(100_000)), None);
    let escaped = HASH.replacen('a', r"\u0061", 1);
    for (hash, wrong) in [
        (HASH, None),
        (escaped.as_str(), None),
        (&HASH[1..], Some(NotAHash)),
        (&format!("{HASH}0"), Some(NotAHash)),
        (&format!("{HASH}\\n"), Some(NotAHash)),
        (&HASH.to_uppercase(), Some(NotAHash)),
        (&HASH.replace('a', "g"), Some(NotAHash)),
        (&HASH.replace('a', "é"), Some(NotAHash)),
        ("", Some(NotAHash)),
    ] {
        let evidence = format!(r#","cycles_evidence":{{"evidence_id":"{hash}","cycles_evidence_url":""}}"#);
        create_is(&evidence, wrong);
    }
}
