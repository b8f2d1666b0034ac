//! Compares the tables of `docs/output.md` with what the commands write.
//!
//! ```text
//! <!-- checked with          the commands that are run, one on each line; each writes CSV or JSON
//! ktour find 5x6 --json -    to standard output
//! -->
//! | key | type | meaning |   a table of JSON keys; `column` is a table of CSV columns
//! ```
//!
//! A name in capitals, as in `counts.KIND`, is any key. Every key and its type must be in the table, in the
//! order in which it is written; every row must be a key that a command writes, and a key that is not
//! optional must be in every object.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::guide::{repository_root, run_bash};

/// A row of a table of the page.
struct Field {
    /// The parts of the key, such as `series[]` and `board`.
    path: Vec<String>,
    kind: String,
}

/// A table of the page, with the commands that it describes.
struct PageTable {
    commands: Vec<String>,
    is_csv: bool,
    fields: Vec<Field>,
}

fn parse_tables(page: &str) -> Vec<PageTable> {
    let mut tables: Vec<PageTable> = Vec::new();
    let (mut commands, mut is_comment, mut is_table) = (Vec::new(), false, false);
    for line in page.lines() {
        match line {
            "<!-- checked with" => is_comment = true,
            "-->" => is_comment = false,
            command if is_comment => commands.push(command.to_owned()),
            "| column | type | meaning |" | "| key | type | meaning |" => {
                assert!(!commands.is_empty(), "a table needs the commands that it describes");
                let (is_csv, commands) = (line.starts_with("| column"), std::mem::take(&mut commands));
                tables.push(PageTable { commands, is_csv, fields: Vec::new() });
                is_table = true;
            }
            row if is_table && row.starts_with("| `") => {
                let cells: Vec<&str> = row.split(" | ").collect();
                let name = cells[0].trim_start_matches("| ").trim_matches('`');
                let path = name.split('.').map(str::to_owned).collect();
                tables.last_mut().unwrap().fields.push(Field { path, kind: cells[1].to_owned() });
            }
            "|---|---|---|" => {}
            _ => is_table = false,
        }
    }
    tables
}

/// A JSON value whose objects keep the order of their fields.
enum Json {
    Object(Vec<(String, Json)>),
    List(Vec<Json>),
    Text(String),
    Integer,
    Number,
    Flag,
    Null,
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct JsonVisitor;
        impl<'de> Visitor<'de> for JsonVisitor {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Json::Object(fields))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Json::List(items))
            }
            fn visit_str<E>(self, text: &str) -> Result<Json, E> {
                Ok(Json::Text(text.to_owned()))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
                Ok(Json::Integer)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
                Ok(Json::Number)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
                Ok(Json::Flag)
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
        }
        from.deserialize_any(JsonVisitor)
    }
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Field {
    /// Returns true if the key is `path`, or begins with it.
    fn begins_with(&self, path: &[String]) -> bool {
        let is_any = |part: &str| part.trim_end_matches("[]").bytes().all(|byte| byte.is_ascii_uppercase());
        let is_equal = |(own, other): (&String, &String)| {
            own == other || (is_any(own) && own.ends_with("[]") == other.ends_with("[]"))
        };
        self.path.len() >= path.len() && self.path.iter().zip(path).all(is_equal)
    }

    fn is_key(&self, path: &[String]) -> bool {
        self.path.len() == path.len() && self.begins_with(path)
    }

    fn accepts_json(&self, value: &Json) -> bool {
        match value {
            Json::Text(text) => {
                self.kind.starts_with("text") || (self.kind.starts_with("count") && is_count(text))
            }
            Json::Integer => self.kind.starts_with("integer") || self.kind.starts_with("number"),
            Json::Number => self.kind.starts_with("number"),
            Json::Flag => self.kind.starts_with("true or false"),
            Json::Null => self.kind.contains("null"),
            Json::Object(_) | Json::List(_) => false,
        }
    }

    fn accepts_csv(&self, value: &str) -> bool {
        match self.kind.split(',').next().unwrap() {
            _ if value.is_empty() => self.kind.contains("optional"),
            "count" | "integer" => is_count(value),
            "number" => value.parse::<f64>().is_ok_and(f64::is_finite),
            "true or false" => ["true", "false"].contains(&value),
            kind => kind == "text",
        }
    }
}

/// The comparison of a table of keys with the JSON of its commands.
struct Comparison<'a> {
    fields: &'a [Field],
    /// For each row, true if a command has written its key.
    is_written: Vec<bool>,
}

impl Comparison<'_> {
    fn compare(&mut self, value: &Json, path: &[String], command: &str) {
        let name = path.join(".");
        match value {
            Json::Object(fields) => {
                let child = |key: &str| [path, &[key.to_owned()]].concat();
                let place = |key: &str, value: &Json| {
                    let path =
                        child(&format!("{key}{}", if matches!(value, Json::List(_)) { "[]" } else { "" }));
                    self.fields.iter().position(|field| field.begins_with(&path))
                };
                let places: Vec<_> = fields.iter().map(|(key, value)| place(key, value)).collect();
                assert!(places.is_sorted(), "{command}: the keys of `{name}` have another order on the page");
                for field in self.fields {
                    let (last, own) = field.path.split_last().unwrap();
                    let key = last.trim_end_matches("[]");
                    let is_required = !field.kind.contains("optional")
                        && field.is_key(&[path, std::slice::from_ref(last)].concat())
                        && own.len() == path.len()
                        && key.bytes().any(|byte| byte.is_ascii_lowercase());
                    let is_there = fields.iter().any(|(written, _)| written == key);
                    assert!(
                        !is_required || is_there,
                        "{command}: `{name}` has no `{key}`, which is not optional"
                    );
                }
                fields.iter().for_each(|(key, value)| self.compare(value, &child(key), command));
            }
            Json::List(items) => {
                let mut path = path.to_vec();
                path.last_mut().expect("the outermost value is an object").push_str("[]");
                assert!(
                    self.fields.iter().any(|field| field.begins_with(&path)),
                    "{command}: the page has no key `{}`",
                    path.join(".")
                );
                items.iter().for_each(|item| self.compare(item, &path, command));
            }
            // A list or an object may be null.
            Json::Null
                if self
                    .fields
                    .iter()
                    .any(|field| field.path.len() > path.len() && field.begins_with(path)) => {}
            value => {
                let place = self.fields.iter().position(|field| field.is_key(path));
                let place = place.unwrap_or_else(|| panic!("{command}: the page has no key `{name}`"));
                let kind = &self.fields[place].kind;
                assert!(self.fields[place].accepts_json(value), "{command}: `{name}` is no {kind}");
                self.is_written[place] = true;
            }
        }
    }
}

/// Compares a table of columns with the CSV of a command.
fn compare_csv(fields: &[Field], csv: &[u8], command: &str) {
    let mut reader = csv::Reader::from_reader(csv);
    let columns: Vec<&str> = fields.iter().map(|field| field.path[0].as_str()).collect();
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), columns, "{command}");
    for row in reader.records() {
        for (field, value) in fields.iter().zip(&row.unwrap()) {
            assert!(
                field.accepts_csv(value),
                "{command}: `{}` in {} is no {}",
                value,
                field.path[0],
                field.kind
            );
        }
    }
}

#[test]
fn output_page_has_every_column_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "petersen.g6";
    std::fs::copy(repository_root().join("examples").join(graph), folder.path().join(graph)).unwrap();
    let numbers = "rows,cols,prefix,kind,direction,start,count,source\n5,6,,closed,undirected,,8,example\n";
    std::fs::write(folder.path().join("numbers.csv"), numbers).unwrap();
    let page = std::fs::read_to_string(repository_root().join("docs/output.md")).unwrap();
    let tables = parse_tables(&page);
    assert!(tables.len() > 20 && tables.iter().any(|table| table.is_csv), "{}", tables.len());
    for PageTable { commands, is_csv, fields } in &tables {
        let mut comparison = Comparison { fields, is_written: vec![false; fields.len()] };
        for command in commands {
            // Commands that report a wrong or missing tour fail, but write their files.
            let output = run_bash(command, folder.path());
            assert!(!output.stdout.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
            if *is_csv {
                compare_csv(fields, &output.stdout, command);
                continue;
            }
            for value in serde_json::Deserializer::from_slice(&output.stdout).into_iter() {
                comparison.compare(&value.unwrap(), &[], command);
            }
        }
        let unwritten =
            fields.iter().zip(&comparison.is_written).filter(|(_, is_written)| !is_csv && !**is_written);
        let unwritten: Vec<String> = unwritten.map(|(field, _)| field.path.join(".")).collect();
        assert!(unwritten.is_empty(), "no command writes {unwritten:?}: {commands:?}");
    }
}

/// Returns the rows of the table of names that have one form in the JSON of all commands: name and form.
fn parse_shared_names(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| name | form in JSON"));
    let rows = rows.skip(2).take_while(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.trim_start_matches("| ").split(" | ").collect::<Vec<_>>());
    cells.map(|cells| (cells[0].trim_matches('`').to_owned(), cells[1].to_owned())).collect()
}

impl Field {
    /// Returns each name of the path with its form in JSON: an object, a list, or the type of the key.
    fn names_and_forms(&self) -> impl Iterator<Item = (&str, &str)> {
        let kind = self.kind.split(',').next().unwrap().trim_end_matches(" or null");
        self.path.iter().enumerate().map(move |(i, part)| match part.strip_suffix("[]") {
            Some(name) => (name, "list"),
            None if i + 1 < self.path.len() => (part.as_str(), "object"),
            None => (part.as_str(), kind),
        })
    }
}

/// The tables of the page are those of the commands, as [`output_page_has_every_column_and_key`] checks.
#[test]
fn shared_names_have_one_form_in_all_commands() {
    let page = std::fs::read_to_string(repository_root().join("docs/output.md")).unwrap();
    let shared = parse_shared_names(&page);
    for name in ["board", "tours", "squares", "count", "counts"] {
        assert!(shared.iter().any(|(shared, _)| shared == name), "the page has no form for `{name}`");
    }
    let tables = parse_tables(&page);
    let mut commands_with_name = vec![0; shared.len()];
    for PageTable { commands, is_csv, fields } in &tables {
        for (i, (name, _)) in shared.iter().enumerate() {
            let is_used = |field: &Field| field.names_and_forms().any(|(part, _)| part == name);
            commands_with_name[i] += usize::from(!is_csv && fields.iter().any(is_used));
        }
        for field in fields {
            for (name, form) in field.names_and_forms() {
                let Some((_, shared_form)) = shared.iter().find(|(shared, _)| shared == name) else {
                    continue;
                };
                // A list is a text in CSV, and an object has a column for each of its keys.
                let expected = if *is_csv && shared_form == "list" { "text" } else { shared_form };
                assert_eq!(form, expected, "`{}` in {commands:?}", field.path.join("."));
            }
        }
    }
    for ((name, _), uses) in shared.iter().zip(commands_with_name) {
        assert!(uses > 1, "`{name}` is in {uses} table of JSON keys");
    }
}
