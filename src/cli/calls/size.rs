//! How large an answer gets: fields are in the order of their importance, and the last ones give way first.

use serde_json::{Number, Value, json};

/// Bytes of JSON that count as one token; fewer than models need for English, so a bound holds for all of them.
const BYTES: usize = 3;
/// Characters that a long text is cut to, one after the other, while an answer is too large.
const TEXT: [usize; 3] = [240, 80, 40];
/// Significant digits of a number that is not whole.
const DIGITS: i32 = 5;
/// The field that names what gave way.
pub const LEFT_OUT: &str = "left_out";

/// An object of at most so many tokens. Where it was larger, its field `left_out` names what is not there: the ends of long
/// texts, entries of lists and objects, whole fields. The first field stays. A `left_out` that it has already goes on.
pub fn fit(mut answer: Value, max_tokens: usize) -> Value {
    round(&mut answer);
    let most = max_tokens.saturating_mul(BYTES);
    let before = answer
        .as_object_mut()
        .and_then(|fields| fields.shift_remove(LEFT_OUT));
    let before = before.as_ref().and_then(Value::as_array);
    let before = before.into_iter().flatten().filter_map(Value::as_str);
    let mut left_out: Vec<String> = before.map(str::to_owned).collect();
    let mut cut = None;
    for length in TEXT {
        if total(&answer, &left_out) > most && cut_texts(&mut answer, length) {
            cut = Some(length);
        }
    }
    left_out.extend(cut.map(|length| format!("texts after {length} characters")));
    let names: Vec<String> = match answer.as_object() {
        Some(fields) => fields.keys().cloned().collect(),
        None => Vec::new(),
    };
    for name in names.iter().skip(1).rev() {
        let now = total(&answer, &left_out);
        if now <= most {
            break;
        }
        // With what the note about this field takes.
        let over = (now + name.len() + 24).saturating_sub(most);
        let Some(field) = answer.get_mut(name) else {
            continue;
        };
        let had = entries(field);
        shorten(field, over);
        if let (Some(had), Some(kept @ 1..)) = (had, entries(field)) {
            left_out.push(format!("{name}: {kept} of {had} kept"));
            continue;
        }
        if let Some(fields) = answer.as_object_mut() {
            fields.shift_remove(name);
        }
        // Nobody misses a list without entries.
        if had != Some(0) {
            left_out.push(name.clone());
        }
    }
    if total(&answer, &left_out) > most {
        left_out = vec!["all but the first field".to_owned()];
    }
    if !left_out.is_empty() {
        answer[LEFT_OUT] = json!(left_out);
    }
    answer
}

/// Bytes of an answer with its note.
fn total(answer: &Value, left_out: &[String]) -> usize {
    let note = match left_out {
        [] => 0,
        some => json!(some).to_string().len() + LEFT_OUT.len() + 4,
    };
    answer.to_string().len() + note
}

/// Number of entries of a list or an object; none of anything else.
fn entries(field: &Value) -> Option<usize> {
    match field {
        Value::Array(list) => Some(list.len()),
        Value::Object(fields) => Some(fields.len()),
        _ => None,
    }
}

/// Drops the last entries of a list or an object until it is so many bytes smaller.
fn shorten(field: &mut Value, bytes: usize) {
    let mut freed = 0;
    while freed < bytes {
        freed += match field {
            Value::Array(list) => match list.pop() {
                Some(last) => last.to_string().len() + 1,
                None => break,
            },
            Value::Object(fields) => match fields.keys().next_back().cloned() {
                Some(name) => {
                    let last = fields.shift_remove(&name);
                    name.len() + 4 + last.map_or(0, |last| last.to_string().len())
                }
                None => break,
            },
            _ => break,
        };
    }
}

/// Cuts every text that is longer; whether there was one.
fn cut_texts(value: &mut Value, length: usize) -> bool {
    match value {
        Value::String(text) => {
            // An ellipsis more, so that what was cut once is not cut again at the same length.
            let long = text.chars().count() > length + 1;
            if long {
                let kept: String = text.chars().take(length).collect();
                *text = format!("{kept}…");
            }
            long
        }
        Value::Array(list) => list
            .iter_mut()
            .fold(false, |cut, v| cut_texts(v, length) | cut),
        Value::Object(fields) => fields
            .values_mut()
            .fold(false, |cut, v| cut_texts(v, length) | cut),
        _ => false,
    }
}

/// Leaves every number the digits that are read.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().unwrap_or(0.0);
            let short = format!("{exact:.*e}", (DIGITS - 1) as usize);
            if let Some(short) = short.parse().ok().and_then(Number::from_f64) {
                *number = short;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Value {
        let passages = (1..=10).map(|rank| json!({"rank": rank, "text": "word ".repeat(80)}));
        json!({"question": "who?", "passages": passages.collect::<Vec<_>>(), "seeds": [1, 2, 3],
               "score": 0.123_456_789})
    }

    #[test]
    fn what_fits_stays_but_for_the_digits_nobody_reads() {
        let whole = fit(answer(), 10_000);
        assert_eq!(whole["score"], json!(0.12346));
        assert_eq!(whole["passages"].as_array().map(Vec::len), Some(10));
        assert_eq!(whole.get(LEFT_OUT), None);
    }

    #[test]
    fn the_last_fields_give_way_first_and_are_named() {
        for most in [100, 150, 200, 400, 800, 1200] {
            let small = fit(answer(), most);
            assert!(small.to_string().len() <= most * BYTES, "{most}: {small}");
            assert_eq!(small["question"], json!("who?"));
            assert!(small[LEFT_OUT].as_array().is_some_and(|l| !l.is_empty()));
        }
        let small = fit(answer(), 200);
        let kept = small["passages"].as_array().map_or(0, Vec::len);
        let told = small[LEFT_OUT].to_string();
        assert!((3..10).contains(&kept), "{small}");
        for note in ["texts after 40 characters", "score", "seeds"] {
            assert!(told.contains(note), "{told}");
        }
        assert!(
            told.contains(&format!("passages: {kept} of 10 kept")),
            "{told}"
        );
    }

    #[test]
    fn objects_lose_their_last_entries_and_earlier_notes_stay() {
        let measures = (0..50).map(|at| (format!("R@{at}"), json!({"mean": 0.5})));
        let measures: serde_json::Map<String, Value> = measures.collect();
        let answer =
            json!({"method": "hop", "measures": measures, "none": [], LEFT_OUT: ["seeds"]});
        let small = fit(answer.clone(), 100);
        let kept = small["measures"]
            .as_object()
            .map_or(0, |fields| fields.len());
        let told = json!(["seeds", format!("measures: {kept} of 50 kept")]);
        assert_eq!(small[LEFT_OUT], told);
        assert!(small["measures"].get("R@0").is_some() && kept < 50);
        assert_eq!(fit(answer, 1_000)[LEFT_OUT], json!(["seeds"]));
    }
}
