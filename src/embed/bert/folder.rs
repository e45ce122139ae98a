//! What a sentence-transformers folder says beside its weights.

use crate::embed::EmbedError;
use crate::embed::spec::Settings;
use crate::embed::table::table;
use crate::embed::wordpiece::WordPiece;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const FOLDER: &str = "expected a sentence-transformers folder of a BERT model (config.json, vocab.txt or tokenizer.json, model.safetensors)";

/// How the states of a text's tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    Mean,
    /// The state of the first token.
    Cls,
}

/// The part of `config.json` that shapes the model.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    pub model_type: String,
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub max_position_embeddings: usize,
    #[serde(default = "gelu")]
    pub hidden_act: String,
    #[serde(default = "epsilon")]
    pub layer_norm_eps: f32,
    #[serde(default = "absolute")]
    pub position_embedding_type: String,
}

fn gelu() -> String {
    "gelu".into()
}

fn epsilon() -> f32 {
    1e-12
}

fn absolute() -> String {
    "absolute".into()
}

/// A folder, read and checked, but for its weights.
pub struct Folder {
    pub path: PathBuf,
    pub config: Config,
    pub wordpiece: WordPiece<'static>,
    pub cls: u32,
    pub sep: u32,
    /// xxh3 of the pieces and of whether they are lower-cased.
    pub vocabulary: u64,
    pub pooling: Pooling,
    pub max_length: usize,
    pub query_prefix: String,
    pub passage_prefix: String,
}

impl Folder {
    pub fn open(path: &Path, settings: &Settings) -> Result<Folder, EmbedError> {
        let config: Config = required(&path.join("config.json"))?;
        check(&config, &path.join("config.json"))?;
        let (pieces, lower) = vocabulary(path)?;
        let lower = settings.lower.unwrap_or(lower);
        let vocabulary = xxh3_64(format!("{lower}{pieces:?}").as_bytes());
        let lacks = |piece| {
            let said = format!("the vocabulary has no {piece}");
            EmbedError::file(path, said, FOLDER)
        };
        let unknown = pieces.iter().position(|p| p == "[UNK]");
        let wordpiece = WordPiece::new(
            pieces.into_iter().map(|p| Cow::Owned(p.into_bytes())),
            table()?.ranges,
            unknown.ok_or_else(|| lacks("[UNK]"))? as u32,
            lower,
        );
        let id = |piece| wordpiece.id(piece).ok_or_else(|| lacks(piece));
        let (cls, sep) = (id("[CLS]")?, id("[SEP]")?);
        let sentence: Value = optional(&path.join("sentence_bert_config.json"))?;
        let most = config.max_position_embeddings;
        let max_length = settings
            .max_length
            .or(sentence["max_seq_length"].as_u64().map(|n| n as usize))
            .map_or(most.min(512), |n| n.min(most))
            .max(3);
        let prompts = prompts(path)?;
        let prefix = |set: &Option<String>, names: &[&str]| {
            let named = || names.iter().find_map(|name| prompts[*name].as_str());
            set.clone().unwrap_or_else(|| named().unwrap_or("").into())
        };
        Ok(Folder {
            query_prefix: prefix(&settings.query_prefix, &["query", "question"]),
            passage_prefix: prefix(&settings.passage_prefix, &["passage", "document", "corpus"]),
            pooling: match settings.pooling {
                Some(pooling) => pooling,
                None => pooling(path)?,
            },
            path: path.to_owned(),
            config,
            wordpiece,
            cls,
            sep,
            vocabulary,
            max_length,
        })
    }
}

fn required<T: DeserializeOwned>(path: &Path) -> Result<T, EmbedError> {
    let bytes = EmbedError::read(path, FOLDER)?;
    serde_json::from_slice(&bytes).map_err(|e| EmbedError::file(path, e, FOLDER))
}

/// A file that folders may lack; null then.
fn optional(path: &Path) -> Result<Value, EmbedError> {
    if path.is_file() {
        required(path)
    } else {
        Ok(Value::Null)
    }
}

fn check(config: &Config, path: &Path) -> Result<(), EmbedError> {
    let wrong = |said: String| {
        Err(EmbedError::file(
            path,
            said,
            "only plain BERT models run here",
        ))
    };
    if config.model_type != "bert" {
        return wrong(format!("model_type `{}`", config.model_type));
    }
    if config.position_embedding_type != "absolute" {
        return wrong(format!("positions `{}`", config.position_embedding_type));
    }
    let heads = config.num_attention_heads;
    if heads == 0 || config.hidden_size == 0 || !config.hidden_size.is_multiple_of(heads) {
        return wrong(format!(
            "{heads} heads for {} dimensions",
            config.hidden_size
        ));
    }
    Ok(())
}

/// The pieces by id, and whether texts are lower-cased.
fn vocabulary(path: &Path) -> Result<(Vec<String>, bool), EmbedError> {
    let file = path.join("tokenizer.json");
    let tokenizer: Value = optional(&file)?;
    let options: Value = optional(&path.join("tokenizer_config.json"))?;
    let lower = tokenizer["normalizer"]["lowercase"]
        .as_bool()
        .or(options["do_lower_case"].as_bool())
        .unwrap_or(true);
    let list = path.join("vocab.txt");
    if list.is_file() {
        let text = fs::read_to_string(&list).map_err(|e| EmbedError::file(&list, e, FOLDER))?;
        let lines = text.strip_suffix('\n').unwrap_or(&text).split('\n');
        let pieces = lines.map(|l| l.trim_end_matches('\r').to_owned());
        return Ok((pieces.collect(), lower));
    }
    let model = &tokenizer["model"];
    let Some(vocab) = model["vocab"].as_object() else {
        let kind = model["type"].as_str().unwrap_or("no");
        let said = format!("{kind} vocabulary, a WordPiece one is needed");
        return Err(EmbedError::file(&file, said, FOLDER));
    };
    let mut pieces = vec![String::new(); vocab.len()];
    for (piece, id) in vocab {
        let slot = id.as_u64().and_then(|id| pieces.get_mut(id as usize));
        match slot {
            Some(slot) => slot.clone_from(piece),
            None => return Err(EmbedError::file(&file, "ids with gaps", FOLDER)),
        }
    }
    Ok((pieces, lower))
}

fn prompts(path: &Path) -> Result<Value, EmbedError> {
    let mut config: Value = optional(&path.join("config_sentence_transformers.json"))?;
    Ok(config["prompts"].take())
}

/// From `modules.json` and the pooling module it names; the mean where nothing is said.
fn pooling(path: &Path) -> Result<Pooling, EmbedError> {
    let file = path.join("modules.json");
    let modules: Value = optional(&file)?;
    let mut at = "1_Pooling";
    for module in modules.as_array().into_iter().flatten() {
        let kind = module["type"].as_str().unwrap_or_default();
        match kind.rsplit('.').next().unwrap_or_default() {
            "Transformer" | "Normalize" => {}
            "Pooling" => at = module["path"].as_str().unwrap_or(at),
            _ => {
                let said = format!("a module `{kind}`");
                let remedy = "only Transformer, Pooling and Normalize run here";
                return Err(EmbedError::file(&file, said, remedy));
            }
        }
    }
    let file = path.join(at).join("config.json");
    let config: Value = optional(&file)?;
    let on = |name: &str| config[name].as_bool().unwrap_or(false);
    let named = config["pooling_mode"].as_str();
    if config.is_null() || on("pooling_mode_mean_tokens") || named == Some("mean") {
        Ok(Pooling::Mean)
    } else if on("pooling_mode_cls_token") || named == Some("cls") {
        Ok(Pooling::Cls)
    } else {
        let remedy = "set ?pooling=mean or ?pooling=cls";
        Err(EmbedError::file(
            &file,
            "neither mean nor cls pooling",
            remedy,
        ))
    }
}
