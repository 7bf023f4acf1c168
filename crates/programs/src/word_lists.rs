//! The lists of `catalogue/words.toml`, written as code: `src/words.rs`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::row::Problem;
use crate::source::File;

/// The name of their file.
pub(crate) const NAME: &str = "words.toml";

/// Lists by the tables that they stand in, and by their names.
type Lists = BTreeMap<String, BTreeMap<String, List>>;

/// The words of a list as they are written.
#[derive(Deserialize)]
#[serde(untagged)]
enum List {
    /// Between blanks.
    Words(String),
    /// Texts that may have blanks in them.
    Texts(Vec<String>),
}

impl List {
    fn words(&self) -> Vec<&str> {
        match self {
            Self::Words(text) => text.split_whitespace().collect(),
            Self::Texts(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// The lists of this file as a module for each table.
pub(crate) fn written(file: &File) -> Result<String, Problem> {
    let problem = |problem: &dyn std::fmt::Display| format!("{}: {problem}", file.name);
    let tables: Lists = toml::from_str(&file.text).map_err(|error| problem(&error))?;
    let mut code = String::from(
        "//! Lists of words: written by `cargo xtask codegen` from `catalogue/words.toml`, which says what each is.\n",
    );
    for (table, lists) in tables {
        code += &format!("\n/// `[{table}]` of `catalogue/words.toml`.\npub mod {table} {{\n");
        for (name, list) in lists {
            let words = list.words();
            let mut seen = BTreeSet::new();
            if let Some(word) = words.iter().find(|word| !seen.insert(**word)) {
                return Err(problem(&format!("`{word}` is twice in `{name}`.")));
            }
            code +=
                &format!("    /// `{name}` there.\n    pub const {name}: &[&str] = &{words:?};\n");
        }
        code += "}\n";
    }
    Ok(code)
}
