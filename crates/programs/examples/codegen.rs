//! Writes what is generated from the catalogue, as `cargo xtask codegen` does, without building the engine first.

#![allow(clippy::print_stderr, reason = "a program for people")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use tenon_programs::source::{File, generate};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(own.join("catalogue"))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.push(File {
            name,
            text: std::fs::read_to_string(path)?,
        });
    }
    let generated = match generate(&files) {
        Ok(generated) => generated,
        Err(problems) => {
            eprintln!("{}", problems.join("\n"));
            return Ok(ExitCode::FAILURE);
        }
    };
    std::fs::write(own.join("src/catalogue.txt"), generated.text)?;
    std::fs::write(own.join("src/words.rs"), generated.words)?;
    std::fs::write(own.join("../../docs/programs.md"), generated.page)?;
    Ok(ExitCode::SUCCESS)
}
