//! The layer as columns: written, opened.

use super::layer::Sage;
use super::pairs::{Kind, Pairs};
use super::postings::Postings;
use crate::index::layer::{Each, under};
use crate::index::{Columns, IndexError, Layer};
use crate::text::Tokens;

impl Layer for Sage {
    const NAME: &'static str = "sage";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.write("", each);
    }

    fn open(columns: &Columns) -> Result<Sage, IndexError> {
        Sage::read(columns, "", columns.json("meta")?)
    }
}

/// Parts of a layer of which there is one for each of a kind, whose names follow that of the kind.
pub(super) trait Arrays: Sized {
    fn write<'a>(&'a self, prefix: &str, each: Each<'_, 'a>);

    fn read(columns: &Columns, prefix: &str, units: usize) -> Result<Self, IndexError>;
}

impl Arrays for [Pairs; 3] {
    fn write<'a>(&'a self, _: &str, each: Each<'_, 'a>) {
        for (kind, pairs) in Kind::ALL.into_iter().zip(self) {
            pairs.columns(kind, each);
        }
    }

    fn read(columns: &Columns, _: &str, units: usize) -> Result<Self, IndexError> {
        let [one, two, three] = Kind::ALL.map(|kind| Pairs::open(kind, units, columns));
        Ok([one?, two?, three?])
    }
}

impl Arrays for [Postings; 2] {
    fn write<'a>(&'a self, prefix: &str, each: Each<'_, 'a>) {
        for (tokens, words) in Tokens::ALL.into_iter().zip(self) {
            words.write(&under(prefix)(tokens.name()), each);
        }
    }

    fn read(columns: &Columns, prefix: &str, units: usize) -> Result<Self, IndexError> {
        let [one, two] = [Tokens::Plain, Tokens::Stem]
            .map(|tokens| Postings::read(columns, &under(prefix)(tokens.name()), units));
        Ok([one?, two?])
    }
}
