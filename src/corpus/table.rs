//! CSV and TSV with a header line.
//!
//! In TSV a quote is a character like any other (as in MS MARCO's files), except where it encloses a whole
//! field and every quote inside is doubled (as in DPR's).

use super::columns::Columns;
use super::intake::Intake;
use super::lines::{BOM, name, open, read_head, utf8};
use super::{CorpusError, Passage, Place, What};
use crate::exchange::given::rows as parquet;
use crate::exchange::schema::GraphError;
use csv::{ByteRecord, ReaderBuilder};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Reads the passages of one file.
pub(super) fn read(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    let mut header: Option<(Vec<String>, Columns)> = None;
    let mut ordinal = 0;
    rows(file, What::Passage, intake, |intake, place, fields| {
        let Some((there, columns)) = &header else {
            let there = column_names(fields);
            let columns = Columns::choose(file, &there, intake.options)?;
            header = Some((there, columns));
            return Ok(());
        };
        ordinal += 1;
        let mut fields = as_wide_as(there, place, fields)?;
        let mut take = |column: &str| {
            there
                .iter()
                .position(|name| name == column)
                .map(|at| std::mem::take(&mut fields[at]).into_owned())
        };
        let id = match columns.id.as_deref().and_then(&mut take) {
            Some(id) if id.is_empty() => {
                return Err(CorpusError::record(
                    place,
                    "an identifier",
                    "an empty field",
                ));
            }
            Some(id) => id,
            None => format!("{}#{ordinal}", name(file)),
        };
        let title = columns
            .title
            .as_deref()
            .and_then(&mut take)
            .unwrap_or_default();
        let text = take(&columns.text).unwrap_or_default();
        intake.passage(place, Passage { id, title, text }).map(drop)
    })
}

/// Reads the passages of a Parquet file: its columns, as those of a table are.
pub(super) fn read_parquet(file: &Path, intake: &mut Intake) -> Result<(), CorpusError> {
    intake.report.files.push(file.to_owned());
    let there = parquet::columns(file);
    let columns = Columns::choose(file, &there, intake.options)?;
    let [id, title] = [&columns.id, &columns.title].map(|name| name.as_deref().unwrap_or_default());
    let mut failed = None;
    let read = parquet::read(file, &[id, title, &columns.text], &mut |number, cells| {
        let text = |at: usize| cells.get(at).map(parquet::Cell::text).unwrap_or_default();
        let id = match text(0) {
            own if own.is_empty() => format!("{}#{number}", name(file)),
            own => own,
        };
        let passage = Passage {
            id,
            title: text(1),
            text: text(2),
        };
        // Rows stand for lines.
        let place = Place::line(file, number);
        let taken = intake.passage(&place, passage).map(drop);
        let settled = intake.settle(What::Passage, taken);
        settled.map(drop).map_err(|error| {
            failed = Some(error);
            GraphError::record(file, number, "a passage", "none")
        })
    });
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, read) => Ok(read?),
    }
}

/// A row that is read after the last one of a file, where no quote is open.
const END: &[u8] = b"\nend";

/// Hands over every row of a file, the first one too.
pub(super) fn rows(
    file: &Path,
    what: What,
    intake: &mut Intake,
    mut each: impl FnMut(&mut Intake, &Place, Vec<Cow<str>>) -> Result<(), CorpusError>,
) -> Result<(), CorpusError> {
    intake.report.files.push(file.to_owned());
    let delimiter = delimiter(file, &read_head(file)?);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter != b'\t')
        .flexible(true)
        .has_headers(false)
        .from_reader(open(file)?.chain(END));
    let (mut row, mut next) = (ByteRecord::new(), ByteRecord::new());
    let mut read = |row: &mut ByteRecord| {
        let read = reader.read_byte_record(row);
        read.map_err(|error| csv_error(file, error))
    };
    read(&mut row)?;
    while !row.is_empty() {
        let more = read(&mut next)?;
        if !more && row.iter().eq([END.trim_ascii()]) {
            break;
        }
        let place = row.position().map_or_else(
            || Place::file(file),
            |at| Place {
                byte: Some(at.byte()),
                ..Place::line(file, at.line())
            },
        );
        let taken = match more {
            true => decode(&place, &row, delimiter).and_then(|fields| each(intake, &place, fields)),
            // The quote that nobody closed is in the row that has the end in it.
            false => Err(CorpusError::record(
                &place,
                "a quote that closes the one in this row",
                "the end of the file",
            )),
        };
        intake.settle(what, taken)?;
        std::mem::swap(&mut row, &mut next);
        next.clear();
    }
    Ok(())
}

/// The first row as names.
pub(super) fn column_names(fields: Vec<Cow<str>>) -> Vec<String> {
    fields
        .into_iter()
        .map(|field| field.trim().to_owned())
        .collect()
}

/// A row that has as many fields as the first line has names.
pub(super) fn as_wide_as<'a>(
    header: &[String],
    place: &Place,
    fields: Vec<Cow<'a, str>>,
) -> Result<Vec<Cow<'a, str>>, CorpusError> {
    if fields.len() == header.len() {
        return Ok(fields);
    }
    let expected = format!("{} fields as in the first line", header.len());
    Err(CorpusError::record(
        place,
        expected,
        fields.len().to_string(),
    ))
}

/// The columns the first line of a table names.
pub(super) fn header(file: &Path, head: &[u8]) -> Vec<String> {
    let delimiter = delimiter(file, head);
    let mut row = ByteRecord::new();
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(head);
    match reader.read_byte_record(&mut row) {
        Ok(true) => row
            .iter()
            .map(|field| String::from_utf8_lossy(field).trim().to_owned())
            .collect(),
        _ => Vec::new(),
    }
}

/// Tab by the file's name, else whichever of comma, tab and semicolon the first line has most of.
fn delimiter(file: &Path, head: &[u8]) -> u8 {
    if file
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("tsv"))
    {
        return b'\t';
    }
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: u8| first.iter().filter(|&&byte| byte == delimiter).count();
    [b';', b'\t', b',']
        .into_iter()
        .max_by_key(|&delimiter| count(delimiter))
        .unwrap_or(b',')
}

fn decode<'a>(
    place: &Place,
    row: &'a ByteRecord,
    delimiter: u8,
) -> Result<Vec<Cow<'a, str>>, CorpusError> {
    row.iter()
        .enumerate()
        .map(|(at, field)| {
            let field = if at == 0 {
                field.strip_prefix(BOM).unwrap_or(field)
            } else {
                field
            };
            let text = utf8(place, field).map_err(|error| invalid_in_row(place, error))?;
            Ok(if delimiter == b'\t' {
                unquoted(text)
            } else {
                Cow::Borrowed(text)
            })
        })
        .collect()
}

/// Where a field starts is not kept, so the byte is looked for in the file from the start of the row.
fn invalid_in_row(place: &Place, error: CorpusError) -> CorpusError {
    let CorpusError::Record(mut bad) = error else {
        return error;
    };
    let from = place.byte.unwrap_or(0);
    let mut rest = Vec::new();
    bad.place.byte = File::open(&place.file)
        .and_then(|mut file| {
            file.seek(SeekFrom::Start(from))?;
            file.take(1 << 24).read_to_end(&mut rest)
        })
        .ok()
        .and_then(|_| std::str::from_utf8(&rest).err())
        .map(|error| from + error.valid_up_to() as u64);
    CorpusError::Record(bad)
}

fn unquoted(field: &str) -> Cow<'_, str> {
    match field
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(inner) if !inner.replace("\"\"", "").contains('"') => {
            Cow::Owned(inner.replace("\"\"", "\""))
        }
        _ => Cow::Borrowed(field),
    }
}

fn csv_error(file: &Path, error: csv::Error) -> CorpusError {
    match error.into_kind() {
        csv::ErrorKind::Io(source) => CorpusError::io(file, source),
        other => CorpusError::file(
            Place::file(file),
            "a table of comma- or tab-separated columns",
            format!("{other:?}"),
            "Save it as CSV or TSV with a header line.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Folder, fails, reads, reads_with};
    use super::super::{Format, ReadOptions, Tally};
    use super::*;

    #[test]
    fn parquet_as_data_sets_are_exported() {
        use crate::exchange::given::rows::tests::{Values, write};
        let folder = Folder::new();
        let path = folder.path("train-00000-of-00001.parquet");
        let texts = |all: &[&'static str]| Values::Texts(all.iter().map(|t| Some(*t)).collect());
        write(
            &path,
            &[
                ("docid", Values::Integers(vec![7, 9])),
                ("title", Values::Texts(vec![Some("Ur"), None])),
                ("text", texts(&["A city.", "Old."])),
                ("lists", Values::Lists(vec![vec!["x"], vec![]])),
            ],
        );
        let (corpus, report) = reads(&folder.path(""));
        assert_eq!(report.sources[0].format, Format::Table);
        let found: Vec<[&str; 3]> = corpus
            .passages
            .iter()
            .map(|p| [&*p.id, &*p.title, &*p.text])
            .collect();
        assert_eq!(found, [["7", "Ur", "A city."], ["9", "", "Old."]]);
        let bytes = std::fs::read(&path).unwrap();
        folder.write_bytes("train-00000-of-00001.parquet", &bytes[..bytes.len() - 9]);
        let said = fails(&path, &ReadOptions::default());
        assert!(
            said.contains("a Parquet file without a whole footer"),
            "{said}"
        );
    }

    #[test]
    fn csv_with_quotes_line_breaks_and_semicolons() {
        let folder = Folder::new();
        folder.write(
            "a.csv",
            "\u{feff}pid,Title,body\r\n1,Ur,\"A \"\"city\"\",\nnow a ruin.\"\r\n2,,Two.\r\n",
        );
        let (corpus, report) = reads(&folder.path("a.csv"));
        assert_eq!(report.sources[0].format, Format::Table);
        assert_eq!(corpus.passages[0].text, "A \"city\",\nnow a ruin.");
        assert_eq!(
            (&*corpus.passages[1].id, &*corpus.passages[1].title),
            ("2", "")
        );
        folder.write("b.csv", "text;note\nOne, two.;x\n");
        let (corpus, _) = reads(&folder.path("b.csv"));
        assert_eq!(
            (&*corpus.passages[0].id, &*corpus.passages[0].text),
            ("b.csv#1", "One, two.")
        );
    }

    #[test]
    fn a_quote_that_nobody_closes_is_named_and_a_file_may_end_anyhow() {
        let folder = Folder::new();
        folder.write("a.csv", "id,text\n1,One.\n2,\"Two.\n3,Three.\n");
        let error = fails(&folder.path("a.csv"), &ReadOptions::default());
        assert!(
            error.contains("a.csv:3") && error.contains("the end of the file"),
            "{error}"
        );
        let options = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (corpus, report) = reads_with(&[folder.path("a.csv")], &options);
        assert_eq!((corpus.passages.len(), report.passages.bad), (1, 1));
        for (last, text) in [
            ("One.", "One."),
            ("One.\r\n", "One."),
            ("\"One.\"", "One."),
            ("\"One.\"\n\n\n", "One."),
            ("end\n", "end"),
            ("12\" disks", "12\" disks"),
        ] {
            folder.write("b.csv", &format!("id,text\n1,{last}"));
            let (corpus, _) = reads(&folder.path("b.csv"));
            assert_eq!(corpus.passages.len(), 1, "{last:?}");
            assert_eq!(corpus.passages[0].text, text);
        }
        folder.write("c.csv", "text\nend\nend");
        assert_eq!(reads(&folder.path("c.csv")).0.passages.len(), 2);
    }

    #[test]
    fn quotes_in_tsv_stay_unless_they_enclose_a_field() {
        let folder = Folder::new();
        folder.write(
            "a.tsv",
            "id\ttext\ttitle\n1\t\"He said \"\"no\"\".\"\tUr\n2\t\"A\" and \"B\"\t\n",
        );
        let (corpus, _) = reads(&folder.path("a.tsv"));
        assert_eq!(corpus.passages[0].text, "He said \"no\".");
        assert_eq!(
            (&*corpus.passages[1].text, &*corpus.passages[1].title),
            ("\"A\" and \"B\"", "")
        );
    }

    #[test]
    fn a_short_row_names_its_line_and_the_rest_is_read() {
        let folder = Folder::new();
        folder.write("a.csv", "id,text\n1,One.\n2\n3,\n4,Four.\n");
        let error = fails(&folder.path("a.csv"), &ReadOptions::default());
        assert!(
            error.contains("a.csv:3 (byte 15): expected 2 fields") && error.contains("--skip-bad"),
            "{error}"
        );
        let skip = ReadOptions {
            skip_bad: true,
            ..ReadOptions::default()
        };
        let (_, report) = reads_with(&[folder.path("a.csv")], &skip);
        assert_eq!(
            report.passages,
            Tally {
                read: 4,
                kept: 2,
                merged: 0,
                bad: 2
            }
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_and_unknown_columns_are_told() {
        let folder = Folder::new();
        folder.write_bytes("a.csv", b"id,text\n1,caf\xE9\n");
        let error = fails(&folder.path("a.csv"), &ReadOptions::default());
        assert!(
            error.contains("a.csv:2 (byte 13)") && error.contains("0xE9"),
            "{error}"
        );
        folder.write("b.csv", "key,words\n1,One.\n");
        let error = fails(
            &folder.path("b.csv"),
            &ReadOptions {
                format: Some(Format::Table),
                ..ReadOptions::default()
            },
        );
        assert!(
            error.contains("\"key\", \"words\"") && error.contains("--text-field"),
            "{error}"
        );
    }

    #[test]
    fn the_delimiter_is_seen() {
        assert_eq!(delimiter(Path::new("a.csv"), b"a,b\tc,d\n"), b',');
        assert_eq!(delimiter(Path::new("a.csv"), b"a\tb\n"), b'\t');
        assert_eq!(delimiter(Path::new("a.tsv"), b"a,b\n"), b'\t');
        assert_eq!(delimiter(Path::new("a.csv"), b"text\n"), b',');
    }
}
