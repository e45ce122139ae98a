//! Rows of a table by the names of its columns, from Parquet or CSV. Columns that nobody asks for are not read: those of vectors
//! are most of a file.

use super::super::schema::GraphError;
use super::plain;
use super::stream::Loose;
use crate::caught::caught;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod footer;
mod pages;

/// Most rows that a byte of a file may stand for: a run of equal values is short, but a file that claims more is none that a
/// person made.
const ROWS_A_BYTE: u64 = 8;
/// Most bytes of text that a byte of a file may stand for, beyond [`FREE`]: a text that is there once can be in every row.
const TEXT_A_BYTE: u64 = 100;
/// Bytes of text that any file may hold.
const FREE: u64 = 1 << 26;
/// Longest title of a document, in characters: it is held once for every text of the document.
const LONGEST_TITLE: usize = 500;
/// Longest field of a CSV file.
const LONGEST: usize = 1 << 28;

/// What stands in a place of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Nothing, or a column that the file does not have.
    #[default]
    Absent,
    Text(String),
    Integer(i64),
    Real(f64),
    List(Vec<String>),
}

impl From<Loose> for Cell {
    fn from(value: Loose) -> Cell {
        match value {
            Loose::List(items) => Cell::List(items),
            value => match value.text() {
                text if text.is_empty() => Cell::Absent,
                text => Cell::Text(text),
            },
        }
    }
}

impl Cell {
    /// As words; empty where nothing stands. A number is written out.
    pub fn text(&self) -> String {
        match self {
            Cell::Absent => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::List(items) => items.join(", "),
        }
    }

    /// As a number, where it is one.
    pub fn real(&self) -> Option<f64> {
        match self {
            Cell::Integer(number) => Some(*number as f64),
            Cell::Real(number) => Some(*number),
            Cell::Text(text) => text.trim().parse().ok(),
            Cell::Absent | Cell::List(_) => None,
        }
    }

    /// As a whole number, where it is one.
    pub fn integer(&self) -> Option<i64> {
        self.real()
            .filter(|number| number.fract() == 0.0 && number.abs() < 9e15)
            .map(|number| number as i64)
    }

    /// How many bytes of text it holds.
    fn size(&self) -> u64 {
        match self {
            Cell::Text(text) => text.len() as u64,
            Cell::List(items) => items.iter().map(|item| item.len() as u64).sum(),
            Cell::Absent | Cell::Integer(_) | Cell::Real(_) => 0,
        }
    }

    /// As a list: a list of the file, the text of one as Python or numpy writes it, or words between commas.
    pub fn list(&self) -> Vec<String> {
        match self {
            Cell::List(items) => items.clone(),
            Cell::Text(text) => written_list(text),
            Cell::Integer(number) => vec![number.to_string()],
            Cell::Absent | Cell::Real(_) => Vec::new(),
        }
    }
}

/// The items of a list that was written as text: `['a', "b"]`, `['a'\n 'b']`, `[1 2]` or `a, b`.
fn written_list(text: &str) -> Vec<String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let Some(inner) = inner else {
        let items = text.split(',').map(str::trim);
        let items = items.filter(|item| !item.is_empty());
        return items.map(str::to_owned).collect();
    };
    let mut items = Vec::new();
    let mut chars = inner.chars().peekable();
    while let Some(&first) = chars.peek() {
        match first {
            '\'' | '"' => {
                chars.next();
                let mut item = String::new();
                while let Some(c) = chars.next() {
                    match c {
                        c if c == first => break,
                        '\\' => item.extend(chars.next().map(|c| match c {
                            'n' => '\n',
                            't' => '\t',
                            c => c,
                        })),
                        c => item.push(c),
                    }
                }
                items.push(item);
            }
            c if c.is_whitespace() || c == ',' => {
                chars.next();
            }
            _ => {
                let mut item = String::new();
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && *c != ',') {
                    item.push(c);
                }
                items.push(item);
            }
        }
    }
    items
}

/// A table in a folder by its name without an ending, as Parquet or else CSV.
pub fn table(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = ["parquet", "csv"].map(|ending| folder.join(format!("{name}.{ending}")));
    files.into_iter().find(|file| file.is_file())
}

/// What parts the cells of a table of text.
fn delimiter(path: &Path) -> Option<u8> {
    let ending = path.extension()?.to_str()?;
    match ending {
        _ if ending.eq_ignore_ascii_case("csv") => Some(b','),
        _ if ending.eq_ignore_ascii_case("tsv") => Some(b'\t'),
        _ => None,
    }
}

/// The names of a table's columns; none where it is no table.
pub fn columns(path: &Path) -> Vec<String> {
    if let Some(delimiter) = delimiter(path) {
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .from_path(path)
            .ok();
        let head = reader.and_then(|mut reader| reader.headers().cloned().ok());
        return head.map_or_else(Vec::new, |head| head.iter().map(str::to_owned).collect());
    }
    let names = guarded(path, || {
        let (reader, _) = opened(path)?;
        let schema = reader.metadata().file_metadata().schema();
        let fields = schema.get_fields().iter();
        Ok(fields.map(|field| field.name().to_owned()).collect())
    });
    names.unwrap_or_default()
}

/// Takes a row: its number from 1, and its cells.
pub type Each<'f> = &'f mut dyn FnMut(u64, &[Cell]) -> Result<(), GraphError>;

/// Gives every row the cells of some columns, in their order, with the number of the row from 1.
///
/// # Errors
/// A file that cannot be read, is cut or damaged, with its line where it has lines; whatever `each` returns.
pub fn read(path: &Path, wanted: &[&str], each: Each<'_>) -> Result<(), GraphError> {
    if let Some(delimiter) = delimiter(path) {
        return of_csv(path, delimiter, Some(wanted), each);
    }
    guarded(path, || of_parquet(path, wanted, each))
}

/// Gives every row of a table that does not name its columns, the first too.
///
/// # Errors
/// As [`read`]; a file that is no CSV.
pub fn read_bare(path: &Path, each: Each<'_>) -> Result<(), GraphError> {
    of_csv(path, delimiter(path).unwrap_or(b','), None, each)
}

/// The titles of documents by their identifiers, from two columns of a table; none of a single document, which says nothing.
///
/// # Errors
/// As [`read`].
pub fn titles(path: &Path, columns: [&str; 2]) -> Result<FxHashMap<String, String>, GraphError> {
    let mut titles = FxHashMap::default();
    read(path, &columns, &mut |_, cells| {
        if let [id, title] = cells {
            let title = plain::stem(&title.text());
            titles.insert(id.text(), title.chars().take(LONGEST_TITLE).collect());
        }
        Ok(())
    })?;
    if titles.len() == 1 {
        titles.clear();
    }
    Ok(titles)
}

/// What damaged bytes can do to the reader of Parquet ends here.
fn guarded<T>(path: &Path, of: impl FnOnce() -> Result<T, GraphError>) -> Result<T, GraphError> {
    caught(of).unwrap_or_else(|| {
        let found = "bytes that are damaged";
        Err(GraphError::record(path, 0, "a whole Parquet file", found))
    })
}

/// `wanted` are the columns that the first row names; without them that row is one like the others.
fn of_csv(
    path: &Path,
    delimiter: u8,
    wanted: Option<&[&str]>,
    each: Each<'_>,
) -> Result<(), GraphError> {
    let file = File::open(path).map_err(|source| GraphError::io(path, source))?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(false)
        .has_headers(wanted.is_some())
        .from_reader(file);
    let failed = |error: csv::Error| {
        let line = error.position().map_or(0, csv::Position::line);
        GraphError::record(path, line, "a row of CSV", error.to_string())
    };
    let head = reader.headers().map_err(failed)?.clone();
    let place = |name: &&str| head.iter().position(|own| own == *name);
    let places: Vec<Option<usize>> = match wanted {
        Some(wanted) => wanted.iter().map(place).collect(),
        None => (0..head.len()).map(Some).collect(),
    };
    let mut record = csv::StringRecord::new();
    let mut number = 0;
    while reader.read_record(&mut record).map_err(failed)? {
        number += 1;
        if record.as_slice().len() > LONGEST {
            let line = record.position().map_or(0, csv::Position::line);
            let found = format!("{} bytes", record.as_slice().len());
            return Err(GraphError::record(
                path,
                line,
                "a row of at most 256 MB",
                found,
            ));
        }
        let cell = |place: &Option<usize>| match place.and_then(|at| record.get(at)) {
            None | Some("") => Cell::Absent,
            Some(text) => Cell::Text(text.to_owned()),
        };
        let cells: Vec<Cell> = places.iter().map(cell).collect();
        each(number, &cells)?;
    }
    Ok(())
}

fn opened(path: &Path) -> Result<(SerializedFileReader<File>, u64), GraphError> {
    let bytes = footer::check(path)?;
    let file = File::open(path).map_err(|source| GraphError::io(path, source))?;
    let reader = SerializedFileReader::new(file).map_err(|error| refused(path, &error))?;
    Ok((reader, bytes))
}

/// What the Parquet reader refuses: a codec that is not compiled in, or a damaged file.
fn refused(path: &Path, error: &ParquetError) -> GraphError {
    let found = error.to_string();
    if found.contains("codec") || found.contains("feature") {
        return GraphError::Unreadable {
            path: path.to_owned(),
            what: format!("Parquet in a compression that is not read here ({found})"),
            remedy: "write it again as snappy: pandas.read_parquet(FILE).to_parquet(FILE, compression='snappy')".into(),
        };
    }
    GraphError::record(path, 0, "a whole Parquet file", found)
}

fn of_parquet(path: &Path, wanted: &[&str], each: Each<'_>) -> Result<(), GraphError> {
    let (reader, bytes) = opened(path)?;
    let wrong = |expected: &str, found: String| Err(GraphError::record(path, 0, expected, found));
    let most = bytes.saturating_mul(ROWS_A_BYTE);
    let claimed = claimed(&reader);
    if claimed > most {
        let found = format!("{claimed} rows in {bytes} bytes");
        return wrong("as many rows as a file can hold", found);
    }
    let groups = reader.metadata().row_groups().iter();
    let columns = groups.flat_map(|group| group.columns());
    pages::check(path, columns.filter(|column| is_wanted(column, wanted)))?;
    let schema = projection(&reader, wanted).map_err(|error| refused(path, &error))?;
    let rows = reader
        .get_row_iter(Some(schema))
        .map_err(|error| refused(path, &error))?;
    let most = bytes.saturating_mul(TEXT_A_BYTE).saturating_add(FREE);
    let mut given = 0_u64;
    for (row, number) in rows.zip(1..) {
        let row = row.map_err(|error| refused(path, &error))?;
        let mut cells = vec![Cell::Absent; wanted.len()];
        for (name, field) in row.get_column_iter() {
            let own = cells.iter_mut().zip(wanted).find(|(_, own)| *own == name);
            if let Some((place, _)) = own {
                *place = cell(field);
                given = given.saturating_add(place.size());
            }
        }
        if given > most {
            let found = format!("more than {most} bytes of text in {bytes} bytes");
            return wrong("as much text as a file can hold", found);
        }
        each(number, &cells)?;
    }
    Ok(())
}

/// How many rows a file claims, as a whole or in its parts.
fn claimed(reader: &SerializedFileReader<File>) -> u64 {
    let meta = reader.metadata();
    let parts = meta.row_groups().iter().map(|group| group.num_rows());
    let parts = parts.map(|rows| u64::try_from(rows).unwrap_or(u64::MAX));
    let whole = u64::try_from(meta.file_metadata().num_rows()).unwrap_or(u64::MAX);
    parts.fold(0, u64::saturating_add).max(whole)
}

/// Whether a column of a file belongs to one that is wanted.
fn is_wanted(column: &ColumnChunkMetaData, wanted: &[&str]) -> bool {
    let parts = column.column_path().parts();
    parts
        .first()
        .is_some_and(|name| wanted.contains(&name.as_str()))
}

/// The columns that are wanted, as a schema of their own.
fn projection(reader: &SerializedFileReader<File>, wanted: &[&str]) -> Result<Type, ParquetError> {
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter();
    let own: Vec<Arc<Type>> = fields
        .filter(|field| wanted.contains(&field.name()))
        .cloned()
        .collect();
    Type::group_type_builder(schema.name())
        .with_fields(own)
        .build()
}

fn cell(field: &Field) -> Cell {
    match field {
        Field::Null => Cell::Absent,
        Field::Str(text) => Cell::Text(text.clone()),
        Field::Bytes(bytes) => Cell::Text(String::from_utf8_lossy(bytes.data()).into_owned()),
        Field::Bool(yes) => Cell::Text(yes.to_string()),
        Field::Byte(n) => Cell::Integer(i64::from(*n)),
        Field::Short(n) => Cell::Integer(i64::from(*n)),
        Field::Int(n) => Cell::Integer(i64::from(*n)),
        Field::Long(n) => Cell::Integer(*n),
        Field::UByte(n) => Cell::Integer(i64::from(*n)),
        Field::UShort(n) => Cell::Integer(i64::from(*n)),
        Field::UInt(n) => Cell::Integer(i64::from(*n)),
        Field::ULong(n) => i64::try_from(*n).map_or(Cell::Real(*n as f64), Cell::Integer),
        Field::Float(n) => Cell::Real(f64::from(*n)),
        Field::Double(n) => Cell::Real(*n),
        Field::ListInternal(list) => {
            let items = list.elements().iter().map(cell);
            let items = items.filter(|item| *item != Cell::Absent);
            Cell::List(items.map(|item| item.text()).collect())
        }
        other => Cell::Text(other.to_string()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::fixture::damage;
    use super::*;
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;

    /// A column of a test's table.
    pub enum Values {
        Texts(Vec<Option<&'static str>>),
        Integers(Vec<i64>),
        Reals(Vec<f64>),
        Lists(Vec<Vec<&'static str>>),
    }

    /// Writes a table as pandas does.
    pub fn write(path: &Path, columns: &[(&str, Values)]) {
        let schema: String = columns
            .iter()
            .map(|(name, values)| match values {
                Values::Texts(_) => format!("optional binary {name} (UTF8); "),
                Values::Integers(_) => format!("required int64 {name}; "),
                Values::Reals(_) => format!("required double {name}; "),
                Values::Lists(_) => format!(
                    "optional group {name} (LIST) {{ repeated group list {{ optional binary element (UTF8); }} }} "
                ),
            })
            .collect();
        let schema = parse_message_type(&format!("message schema {{ {schema} }}")).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(parquet::basic::Compression::SNAPPY)
            .build();
        let file = File::create(path).unwrap();
        let mut writer =
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for (_, values) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            match values {
                Values::Texts(texts) => {
                    let levels: Vec<i16> = texts.iter().map(|t| i16::from(t.is_some())).collect();
                    let texts: Vec<ByteArray> = texts
                        .iter()
                        .flatten()
                        .map(|t| ByteArray::from(*t))
                        .collect();
                    let typed = column.typed::<ByteArrayType>();
                    typed.write_batch(&texts, Some(&levels), None).unwrap();
                }
                Values::Integers(all) => {
                    column
                        .typed::<Int64Type>()
                        .write_batch(all, None, None)
                        .unwrap();
                }
                Values::Reals(all) => {
                    column
                        .typed::<DoubleType>()
                        .write_batch(all, None, None)
                        .unwrap();
                }
                Values::Lists(lists) => {
                    let (mut texts, mut definitions, mut repetitions) =
                        (Vec::new(), Vec::new(), Vec::new());
                    for list in lists {
                        if list.is_empty() {
                            definitions.push(1);
                            repetitions.push(0);
                        }
                        for (at, item) in list.iter().enumerate() {
                            texts.push(ByteArray::from(*item));
                            definitions.push(3);
                            repetitions.push(i16::from(at > 0));
                        }
                    }
                    let typed = column.typed::<ByteArrayType>();
                    typed
                        .write_batch(&texts, Some(&definitions), Some(&repetitions))
                        .unwrap();
                }
            }
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
    }

    fn all(path: &Path, wanted: &[&str]) -> Result<Vec<Vec<Cell>>, GraphError> {
        let mut rows = Vec::new();
        read(path, wanted, &mut |_, cells| {
            rows.push(cells.to_vec());
            Ok(())
        })?;
        Ok(rows)
    }

    fn sample(path: &Path) {
        write(
            path,
            &[
                ("id", Values::Texts(vec![Some("a"), None])),
                ("n", Values::Integers(vec![7, -1])),
                ("w", Values::Reals(vec![0.5, 2.0])),
                ("units", Values::Lists(vec![vec!["u1", "u2"], vec![]])),
            ],
        );
    }

    #[test]
    fn parquet_and_csv_give_the_same_cells() {
        let folder = tempfile::tempdir().unwrap();
        let parquet = folder.path().join("t.parquet");
        sample(&parquet);
        assert_eq!(columns(&parquet), ["id", "n", "w", "units"]);
        let csv = folder.path().join("t.csv");
        std::fs::write(&csv, "id,n,w,units\na,7,0.5,\"['u1'\n 'u2']\"\n,-1,2,[]\n").unwrap();
        for path in [&parquet, &csv] {
            let rows = all(path, &["units", "w", "id", "none", "n"]).unwrap();
            let said = |row: &[Cell]| {
                let (list, real) = (row[0].list(), row[1].real());
                (list, real, row[2].text(), row[3].clone(), row[4].integer())
            };
            let units = vec!["u1".to_owned(), "u2".to_owned()];
            assert_eq!(
                said(&rows[0]),
                (units, Some(0.5), "a".into(), Cell::Absent, Some(7))
            );
            let empty = (Vec::new(), Some(2.0), String::new(), Cell::Absent, Some(-1));
            assert_eq!(said(&rows[1]), empty);
        }
    }

    #[test]
    fn lists_in_every_way_they_are_written() {
        for (text, items) in [
            ("['a', 'b']", &["a", "b"][..]),
            ("['a'\n 'b']", &["a", "b"]),
            (r#"["it's", 'say \'x\'']"#, &["it's", "say 'x'"]),
            ("[1 2, 3]", &["1", "2", "3"]),
            ("a, b,", &["a", "b"]),
            ("[]", &[]),
            ("", &[]),
            ("['open", &["['open"]),
        ] {
            assert_eq!(Cell::Text(text.into()).list(), items, "{text}");
        }
    }

    #[test]
    fn missing_columns_and_a_mark_at_the_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let parquet = folder.path().join("t.parquet");
        sample(&parquet);
        let rows = all(&parquet, &["none"]).unwrap();
        assert_eq!(rows, [[Cell::Absent], [Cell::Absent]]);
        let csv = folder.path().join("t.csv");
        std::fs::write(&csv, "\u{feff}id,n\na,1\n").unwrap();
        let rows = all(&csv, &["id"]).unwrap();
        assert_eq!(rows, [[Cell::Text("a".into())]]);
        std::fs::write(&csv, "id,n\na,1\nb\n").unwrap();
        let error = all(&csv, &["id"]).unwrap_err().to_string();
        assert!(error.contains("t.csv:3: expected a row of CSV"), "{error}");
    }

    /// Bytes of a table with one place changed, from where another place ends.
    fn changed(path: &Path, after: &[u8], to: u8) {
        let mut bytes = std::fs::read(path).unwrap();
        let places = bytes.windows(after.len());
        let at = places.into_iter().position(|found| found == after).unwrap();
        bytes[at + after.len()] = to;
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn what_is_packed_otherwise_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        // The name of a column, and then the codec.
        for (codec, name) in [(2, "flate2"), (4, "brotli"), (6, "zstd"), (7, "lz4")] {
            sample(&path);
            changed(&path, b"\x19\x18\x02id\x15", codec << 1);
            let error = all(&path, &["id"]).unwrap_err().to_string();
            let found = error.contains("compression that is not read here")
                && error.contains("compression='snappy'");
            assert!(found, "{name}: {error}");
            // A column that nobody asks for may be packed in any way.
            assert_eq!(all(&path, &["n"]).unwrap().len(), 2);
        }
    }

    #[test]
    fn a_text_in_every_row_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let long: &'static str = Box::leak("Ada ".repeat(100_000).into_boxed_str());
        let rows = 400;
        write(
            &path,
            &[
                ("n", Values::Integers((0..rows).collect())),
                ("text", Values::Texts(vec![Some(long); rows as usize])),
            ],
        );
        assert!(std::fs::metadata(&path).unwrap().len() < 100_000);
        let error = all(&path, &["text"]).unwrap_err().to_string();
        assert!(error.contains("as much text as a file can hold"), "{error}");
        assert_eq!(all(&path, &["n"]).unwrap().len(), 400);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever happened to a file: rows or an error, never a panic.
        #[test]
        fn damaged_parquet_gives_an_error_or_rows(damage in damage()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.parquet");
            sample(&path);
            damage.hit(&path);
            if let Err(error) = all(&path, &["id", "units"]) {
                prop_assert!(error.to_string().contains("t.parquet"), "{error}");
            }
        }
    }
}
