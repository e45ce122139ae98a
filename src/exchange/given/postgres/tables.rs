//! Which tables of a database are there, with their columns. Names are compared without their case: what was created without
//! quotes is lower case, what was created with them may not be.

use super::super::super::schema::GraphError;
use crate::exchange::postgres::client::{Snapshot, literal, quoted};

/// A table and its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub schema: String,
    pub name: String,
    /// Whether this user may read it.
    readable: bool,
    /// Names and types.
    pub columns: Vec<(String, String)>,
}

impl Table {
    /// As SQL writes it.
    pub fn sql(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }

    /// A column as it is called here.
    fn find(&self, name: &str) -> Option<&(String, String)> {
        let mut columns = self.columns.iter();
        columns.find(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The type of a column.
    pub fn kind(&self, name: &str) -> Option<&str> {
        self.find(name).map(|(_, kind)| &**kind)
    }

    /// A column as text in SQL; null where the table has none of that name.
    pub fn text(&self, name: &str) -> String {
        match self.find(name) {
            Some((name, _)) => format!("{}::text", quoted(name)),
            None => "NULL::text".to_owned(),
        }
    }

    /// A column of a list or an object as JSON in SQL; null where there is none.
    pub fn json(&self, name: &str) -> String {
        match self.find(name) {
            Some((name, _)) => format!("pg_catalog.to_json({})::text", quoted(name)),
            None => "NULL::text".to_owned(),
        }
    }

    /// A column in SQL as it is; null where there is none.
    pub fn own(&self, name: &str) -> String {
        let found = self.find(name);
        found.map_or_else(|| "NULL::text".to_owned(), |(name, _)| quoted(name))
    }

    /// A column as what orders rows in SQL, the same on every server.
    pub fn order(&self, name: &str) -> String {
        format!("{} COLLATE \"C\"", self.text(name))
    }
}

/// The tables of a schema that a reader knows.
pub struct Tables {
    pub schema: String,
    /// Whether names without a schema are looked for there.
    pub is_in_path: bool,
    tables: Vec<Table>,
}

impl Tables {
    /// A table by its name.
    pub fn get(&self, name: &str) -> Option<&Table> {
        let mut tables = self.tables.iter();
        // The one in lower case, where both are there.
        tables
            .clone()
            .find(|table| table.name == name)
            .or_else(|| tables.find(|table| table.name.eq_ignore_ascii_case(name)))
    }

    /// Tables whose names begin so.
    pub fn beginning<'t>(&'t self, begin: &'t str) -> impl Iterator<Item = &'t Table> {
        let begins = move |table: &&Table| table.name.to_ascii_lowercase().starts_with(begin);
        self.tables.iter().filter(begins)
    }

    /// Checks that this user may read a table.
    ///
    /// # Errors
    /// That it may not, with what to do.
    pub fn readable<'t>(
        &self,
        snapshot: &Snapshot,
        table: &'t Table,
    ) -> Result<&'t Table, GraphError> {
        let (sql, user) = (table.sql(), snapshot.user());
        match table.readable {
            true => Ok(table),
            false => Err(snapshot.error(
                format!("'{user}' may not read {}.{}", table.schema, table.name),
                &format!("run GRANT SELECT ON {sql} TO {}", quoted(user)),
            )),
        }
    }
}

/// Tables whose names are in a list or begin so, by schemas: those of the search path first, in its order.
///
/// # Errors
/// What the server says.
pub fn find(
    snapshot: &Snapshot,
    names: &[&str],
    beginnings: &[&str],
) -> Result<Vec<Tables>, GraphError> {
    let names: Vec<String> = names.iter().map(|name| literal(name)).collect();
    let begins = beginnings.iter().map(|begin| {
        let begin = literal(begin);
        format!(" OR pg_catalog.starts_with(pg_catalog.lower(c.relname), {begin})")
    });
    let query = format!(
        "SELECT n.nspname, c.relname, \
         pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT'), \
         a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), \
         n.nspname = ANY (pg_catalog.current_schemas(false)) \
         FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
         WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
         AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%' \
         AND (pg_catalog.lower(c.relname) IN ({}){}) \
         ORDER BY pg_catalog.array_position(pg_catalog.current_schemas(false), n.nspname), \
         n.nspname, c.relname, a.attnum",
        names.join(", "),
        begins.collect::<String>()
    );
    let mut found: Vec<Tables> = Vec::new();
    for row in snapshot.all(&query)? {
        let (schema, name) = (row.get(0), row.get(1));
        if found.last().is_none_or(|tables| tables.schema != schema) {
            found.push(Tables {
                schema: schema.to_owned(),
                is_in_path: row.get(5) == "t",
                tables: Vec::new(),
            });
        }
        let Some(tables) = found.last_mut().map(|found| &mut found.tables) else {
            continue;
        };
        if tables.last().is_none_or(|table| table.name != name) {
            tables.push(Table {
                schema: schema.to_owned(),
                name: name.to_owned(),
                readable: row.get(2) == "t",
                columns: Vec::new(),
            });
        }
        if let Some(table) = tables.last_mut() {
            let column = (row.get(3).to_owned(), row.get(4).to_owned());
            table.columns.push(column);
        }
    }
    Ok(found)
}
