//! The catalogue of programs.

use std::error::Error;
use std::fs;
use std::path::Path;

use tenon_programs::source::{File, generate};

use super::Generated;

/// Where its files are.
const CATALOGUE: &str = "crates/programs/catalogue";

/// What is generated from it.
pub(super) fn files(root: &Path) -> Result<Vec<Generated>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(CATALOGUE))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{CATALOGUE}/{name}");
        let text = fs::read_to_string(&path)?;
        files.push(File { name, text });
    }
    let generated = generate(&files).map_err(|problems| problems.join("\n"))?;
    let file = |path: &str, content: String| Generated {
        path: path.to_owned(),
        content,
    };
    Ok(vec![
        file("crates/programs/src/catalogue.txt", generated.text),
        file("crates/programs/src/words.rs", generated.words),
        file("docs/programs.md", generated.page),
    ])
}
