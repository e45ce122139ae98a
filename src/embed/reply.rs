//! The two sides of OpenAI's `/v1/embeddings`: what is asked, and what of an answer is believed.

use super::unit;
use crate::http::{Answer, HeaderValue};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub struct Request<'a> {
    pub input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    pub encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Rows in the order of the texts, of unit length; `dims` of them when that is known.
pub fn rows(body: &[u8], count: usize, dims: Option<usize>) -> Result<Vec<f32>, String> {
    let reply: Reply =
        serde_json::from_slice(body).map_err(|e| format!("no embeddings in its answer: {e}"))?;
    if reply.data.len() != count {
        return Err(format!("{} vectors for {count} texts", reply.data.len()));
    }
    let first = reply.data.first().map(|row| row.embedding.len());
    let dims = dims.or(first).unwrap_or(0);
    let mut rows: Vec<Option<Vec<f32>>> = vec![None; count];
    for (place, row) in reply.data.into_iter().enumerate() {
        let found = row.embedding.len();
        if found != dims || dims == 0 {
            return Err(format!("a vector of {found} dimensions, expected {dims}"));
        }
        if row.embedding.iter().any(|x| !x.is_finite()) {
            return Err("a vector with a value that is not finite".into());
        }
        match rows.get_mut(row.index.unwrap_or(place)) {
            Some(slot @ None) => *slot = Some(row.embedding),
            _ => return Err("vectors whose indices do not fit the texts".into()),
        }
    }
    let mut rows: Vec<f32> = rows.into_iter().flatten().flatten().collect();
    rows.chunks_mut(dims).for_each(unit);
    Ok(rows)
}

/// What a server said of its refusal: short, printable, without the key.
pub fn refusal(answer: &Answer, key: Option<&HeaderValue>) -> String {
    let short: String = answer.complaint(key).chars().take(200).collect();
    format!("status {}: {short}", answer.status)
}
