//! The address of a passage: `hopscope://passage/ID`, with what is not a letter, a digit or one of `-._~` of the ID as `%XX`.

pub const PREFIX: &str = "hopscope://passage/";

/// The address of a passage.
#[cfg(feature = "mcp")]
pub fn uri(id: &str) -> String {
    let mut uri = PREFIX.to_owned();
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// The identifier that an address has; any other text as it is.
pub fn named(said: &str) -> String {
    let Some(escaped) = said.strip_prefix(PREFIX) else {
        return said.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        let hex = |byte: u8| char::from(byte).to_digit(16);
        let mut ahead = rest.clone();
        let pair = (ahead.next().and_then(hex), ahead.next().and_then(hex));
        match (byte, pair) {
            (b'%', (Some(high), Some(low))) => {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(all(test, feature = "mcp"))]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_the_identifier() {
        for id in ["titan", "a b/c#1", "Ørsted %41", "%", "%zz", "100%"] {
            let uri = uri(id);
            assert!(uri.is_ascii() && !uri.contains([' ', '#']), "{uri}");
            assert_eq!(named(&uri), id);
        }
        assert_eq!(uri("a b"), "hopscope://passage/a%20b");
        assert_eq!(named("a%20b"), "a%20b");
    }
}
