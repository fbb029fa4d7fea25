//! W2: one JSON text in UTF-8.

use super::*;
use core::fmt::Write;
use std::vec::Vec;

#[test]
fn w2_blanks_may_stand_between_all_tokens() {
    let body = balance(r#","is_over_limit":true,"spent":{"unit":"CREDITS","amount":0}"#);
    let mut spaced = String::from("\r\n");
    for part in body.split_inclusive(['{', '}', '[', ']', ':', ',']) {
        let (text, punctuation) = part.split_at(part.len() - 1);
        write!(spaced, " \t\n\r{text}\n{punctuation} ").expect("a String takes it");
    }
    is_success(to_extend(body.as_bytes()));
    is_success(to_extend(spaced.as_bytes()));
    for blank in ["\u{b}", "\u{c}", "\u{a0}", "\0", "\u{feff}"] {
        is_ambiguous(to_extend(format!("{blank}{body}").as_bytes()), Wrong::Syntax);
        is_ambiguous(to_extend(format!("{body}{blank}").as_bytes()), Wrong::Trailing);
    }
}

#[test]
fn w2_there_is_one_text_and_all_of_it() {
    let body = balance(r#","is_over_limit":false"#);
    for length in 0..body.len() {
        is_ambiguous(to_extend(&body.as_bytes()[..length]), Wrong::Unfinished);
    }
    for behind in ["x", "{}", ",", "]", "}", "null", "\"", "/"] {
        is_ambiguous(to_extend(format!("{body}{behind}").as_bytes()), Wrong::Trailing);
    }
}

#[test]
fn w2_what_is_no_json_is_ambiguous() {
    for body in [
        "status",
        "'status'",
        "{'status':'ACTIVE'}",
        "{status:1}",
        r#"{,"status":"ACTIVE","expires_at_ms":9}"#,
        r#"{"status":"ACTIVE","expires_at_ms":9,}"#,
        r#"{"status":"ACTIVE",,"expires_at_ms":9}"#,
        r#"{"status":"ACTIVE" "expires_at_ms":9}"#,
        r#"{"status" "ACTIVE","expires_at_ms":9}"#,
        r#"{"status"::"ACTIVE","expires_at_ms":9}"#,
        r#"{"status":"ACTIVE","expires_at_ms":09}"#,
        r#"{"status":"ACTIVE","expires_at_ms":+9}"#,
        r#"{"status":"ACTIVE","expires_at_ms":0x9}"#,
        r#"{"status":"ACTIVE","expires_at_ms":9]"#,
        r#"{"status":"ACTIVE","expires_at_ms":9,"balances":[}"#,
        r#"{"status":"ACTIVE","expires_at_ms":9,"balances":[,]}"#,
        r#"{"status":"ACTIVE","expires_at_ms":NaN}"#,
        r#"{"status":ACTIVE,"expires_at_ms":9}"#,
        "/**/{}",
    ] {
        is_ambiguous(to_extend(body.as_bytes()), Wrong::Syntax);
    }
    for flag in ["True", "tru", "trues", "fals", "falsey", "TRUE"] {
        is_ambiguous(to_extend(balance(&format!(r#","is_over_limit":{flag}"#)).as_bytes()), Wrong::Syntax);
    }
}

/// A create answer whose scope path is `content`.
fn with_text(content: &[u8]) -> Vec<u8> {
    let body = created(r#","scope_path":"@""#);
    let (before, behind) = body.split_once('@').expect("it is there");
    [before.as_bytes(), content, behind.as_bytes()].concat()
}

#[track_caller]
fn text_is_wrong(content: &[u8], wrong: Wrong) {
    // Wherever it lies in the words of the machine.
    for shift in 0..9 {
        is_ambiguous(to_create(&with_text(&[&b"........"[..shift], content].concat())), wrong);
        is_ambiguous(to_create(&with_text(&[content, &b"........"[..shift]].concat())), wrong);
    }
}

#[test]
fn w2_a_string_is_utf8() {
    for good in [
        "",
        "\u{7f}",
        "\u{80}",
        "é",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{ffff}",
        "😀",
        "\u{10ffff}",
    ] {
        for shift in 0..9 {
            is_success(to_create(&with_text(&[&b"........"[..shift], good.as_bytes()].concat())));
        }
    }
    for bad in [
        &b"\x80"[..],
        b"\xbf",
        b"\xc0\xaf",
        b"\xc1\xbf",
        b"\xc3",
        b"\xc3\x28",
        b"\xe0\x80\xaf",
        b"\xe0\x9f\xbf",
        b"\xe2\x82",
        b"\xe2\x28\xa1",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf0\x80\x80\xaf",
        b"\xf0\x8f\xbf\xbf",
        b"\xf0\x9f\x98",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xfe",
        b"\xff",
    ] {
        text_is_wrong(bad, Wrong::Utf8);
    }
}

#[test]
fn w2_every_sequence_of_bytes_is_utf8_to_us_exactly_if_it_is_to_the_standard_library() {
    let interesting = [
        0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
        0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ];
    for first in 0x20..=u8::MAX {
        for second in interesting {
            for third in interesting {
                for fourth in interesting {
                    let bytes = [first, second, third, fourth];
                    if first == b'"' || first == b'\\' {
                        continue;
                    }
                    let ended = [&bytes[..], b"\""].concat();
                    match (Text::scan(&ended), core::str::from_utf8(&bytes)) {
                        (Ok((ours, _)), Ok(theirs)) => assert!(ours.chars().eq(theirs.chars()), "{bytes:x?}"),
                        (ours, theirs) => assert_eq!(ours.is_ok(), theirs.is_ok(), "{bytes:x?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn w2_an_escape_is_one_that_json_has() {
    for good in [
        r#"\"\\\/\b\f\n\r\t"#,
        r"\u0000",
        r"\uFFFF",
        r"\uaBcD",
        r"\ud83d\ude00",
        r"\udbff\udfff",
        r"\ud800\udc00",
    ] {
        for shift in 0..9 {
            is_success(to_create(&with_text(&[&b"........"[..shift], good.as_bytes()].concat())));
        }
    }
    for bad in
        [r"\a", r"\'", r"\x41", r"\U0041", r"\u", r"\u12", r"\u12g4", r"\u+123", r"\ 1", "\\\n", "\\\u{e9}"]
    {
        text_is_wrong(bad.as_bytes(), Wrong::Escape);
    }
    let text = Text::scan(br#"\"\\\/\b\f\n\r\t\u0009\uaBcD\ud800\udc00\uDBFF\udfff""#).expect("good").0;
    assert!(text.chars().eq("\"\\/\u{8}\u{c}\n\r\t\t\u{abcd}\u{10000}\u{10ffff}".chars()), "{text:?}");
    for bad in [
        r"\ud800",
        r"\udbff",
        r"\udc00",
        r"\udfff",
        r"\ud83dx",
        r"\ud83d\n",
        r"\ud83d\ud83d",
        r"\ud83d\u0041",
        r"\ude00\ud83d",
        r"\ud83dA\ude00",
        r"\ud83d\\ude00",
        r"\ud83d\ue000",
    ] {
        text_is_wrong(bad.as_bytes(), Wrong::LoneSurrogate);
    }
}

#[test]
fn w2_a_control_character_is_escaped() {
    for control in 0..0x20 {
        text_is_wrong(&[control], Wrong::ControlCharacter);
    }
}
