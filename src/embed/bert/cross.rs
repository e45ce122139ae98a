//! A cross-encoder: a BERT with a head that reads question and passage together.

use super::folder::Folder;
use super::model::{Model, Sequence};
use super::{Identity, each};
use crate::embed::spec::Settings;
use crate::embed::{EmbedError, Kind};
use rayon::prelude::*;
use std::path::Path;

/// A sequence-classification folder of one or two labels (TinyBERT, MiniLM).
pub struct CrossEncoder {
    folder: Folder,
    model: Model,
    identity: Identity,
}

impl CrossEncoder {
    /// # Errors
    /// A file that is missing or that says something this encoder cannot do, by name.
    pub fn open(path: &Path, settings: &Settings) -> Result<CrossEncoder, EmbedError> {
        let folder = Folder::open(path, settings)?;
        let (model, weights) = Model::open(&folder, true)?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        let identity = Identity {
            name: format!("cross-encoder:{}", name.to_string_lossy()),
            kind: Kind::Bert,
            dims: folder.config.hidden_size,
            fingerprint: format!("{weights:032x}-{:016x}", folder.vocabulary),
        };
        Ok(CrossEncoder {
            folder,
            model,
            identity,
        })
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// How well each text answers the question: the model's own number, the higher the better.
    pub fn score(&self, question: &str, texts: &[&str]) -> Vec<f32> {
        let mut asked = Vec::new();
        self.folder.wordpiece.encode(question, &mut asked);
        let pair = |text: &&str| self.pair(&asked, text);
        let pairs: Vec<Sequence> = texts.par_iter().map(pair).collect();
        each(&self.model, &pairs, |states| self.model.judged(states))
    }

    /// `[CLS] question [SEP] text [SEP]`; of the longer one so much is cut that the pair fits.
    fn pair(&self, asked: &[u32], text: &str) -> Sequence {
        let mut of_text = Vec::new();
        self.folder.wordpiece.encode(text, &mut of_text);
        let room = self.folder.max_length.saturating_sub(3);
        let (question, text) = fit(asked.len(), of_text.len(), room);
        let mut ids = vec![self.folder.cls];
        ids.extend(&asked[..question]);
        ids.push(self.folder.sep);
        let second = ids.len();
        ids.extend(&of_text[..text]);
        ids.push(self.folder.sep);
        Sequence { ids, second }
    }
}

/// Lengths of two texts cut to fit a room, the longer one first; as Hugging Face's `longest_first` does.
fn fit(a: usize, b: usize, room: usize) -> (usize, usize) {
    let (short, long) = (a.min(b), a.max(b));
    let (short, long) = if short + long <= room {
        (short, long)
    } else if short <= room / 2 {
        (short, room - short)
    } else {
        (room / 2, room.div_ceil(2))
    };
    if a <= b { (short, long) } else { (long, short) }
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn the_longer_text_is_cut_first() {
        assert_eq!(fit(3, 5, 9), (3, 5));
        assert_eq!(fit(3, 50, 9), (3, 6));
        assert_eq!(fit(50, 3, 9), (6, 3));
        assert_eq!(fit(50, 60, 9), (4, 5));
        assert_eq!(fit(60, 50, 9), (5, 4));
    }
}
