use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Written by Python's own pickle of `{'a': [1, -2, 300, 70000, 2**40], 'b': (None, True, 1.5), 'c': b'\x00', 'a2': <the same list>}`.
fn by_python(protocol: u8) -> &'static [u8] {
    match protocol {
        0 => include_bytes!("../../tests/data/pickles/p0.pkl"),
        2 => include_bytes!("../../tests/data/pickles/p2.pkl"),
        _ => include_bytes!("../../tests/data/pickles/p5.pkl"),
    }
}

#[test]
fn every_protocol_gives_the_same_data() {
    let numbers = json!([1, -2, 300, 70000, 1_099_511_627_776_i64]);
    for protocol in [0, 2, 5] {
        let pickle = read(by_python(protocol)).unwrap();
        let value = pickle.json(pickle.root);
        assert_eq!(value["a"], numbers, "{protocol}");
        assert_eq!(value["a2"], numbers, "{protocol}");
        assert_eq!(value["b"], json!([null, true, 1.5]), "{protocol}");
        assert_eq!(value["é"], json!("ü"), "{protocol}");
    }
}

#[test]
fn nothing_is_run() {
    // What `os.system("true")` pickles to: a call that stays one.
    let evil = b"cos\nsystem\n(S'true'\ntR.";
    let pickle = read(evil).unwrap();
    let Kind::Call(callee, arguments) = pickle.get(pickle.root) else {
        panic!()
    };
    assert_eq!(pickle.get(*callee), &Kind::Global("os system".into()));
    assert_eq!(pickle.json(*arguments), json!(["true"]));
    assert_eq!(pickle.json(pickle.root), Value::Null);
}

#[test]
fn damage_is_named_by_its_byte() {
    for (bytes, says) in [
        (&b""[..], "byte 0: it ends early"),
        (b"N", "byte 1: it ends early"),
        (b".", "nothing on the stack"),
        (b"(t", "it ends early"),
        (b"t.", "no mark"),
        (b"h\x05.", "never kept"),
        (b"Na.", "no list"),
        (b"NNa.", "no list to add to"),
        (b"NNNs.", "no dictionary"),
        (b"X\xff\xff\xff\xff.", "ends early"),
        (b"\xff", "instruction 0xff"),
        (b"Ix\n.", "no number"),
    ] {
        let said = read(bytes).unwrap_err();
        assert!(said.contains(says), "{bytes:?}: {said}");
    }
}

#[test]
fn lists_that_hold_themselves_end_and_shared_ones_do_not_unfold_for_ever() {
    let own = b"]q\x00h\x00a.";
    let pickle = read(own).unwrap();
    assert!(pickle.json(pickle.root).is_array());
    // Forty lists, each twice the one before it.
    let mut bytes = b"]".to_vec();
    for _ in 0..40 {
        bytes.extend(b"2\x86");
    }
    bytes.push(b'.');
    let pickle = read(&bytes).unwrap();
    assert!(pickle.json(pickle.root).is_array());
}

#[test]
fn text_of_protocol_0_has_its_own_escapes() {
    let pickle = read(b"V\xe9\\u20ac\\U0001f600\\x\n.").unwrap();
    assert_eq!(pickle.text(pickle.root), Some("é€😀\\x"));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(pickle) = read(&bytes) {
            pickle.json(pickle.root);
        }
    }

    #[test]
    fn no_damage_panics(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for protocol in [0, 2, 5] {
            let mut bytes = by_python(protocol).to_vec();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(pickle) = read(&bytes) {
                pickle.json(pickle.root);
            }
        }
    }
}
