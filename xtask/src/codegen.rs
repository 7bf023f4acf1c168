//! Writes, checks or prints the files that are generated from the Rust types of the tools.

mod declarations;
mod facts;
mod judge;
mod pages;
mod programs;
mod rows;
mod schema;
mod source;
mod table;
mod typescript;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use facts::DialectFacts;

/// The command that brings the generated files up to date.
const COMMAND: &str = "cargo xtask codegen";
/// The directory with the hand-written part of `index.d.ts`, and its files in the order in which they are read.
const TYPES: &str = "js/types";
const SUBJECTS: &[&str] = &[
    "results",
    "policy",
    "history",
    "tools",
    "host",
    "mcp-client",
    "host-tools",
    "store",
    "remote",
    "options",
    "toolkit",
    "managers",
    "events",
    "functions",
    "mcp",
];
/// Directory whose files are all generated.
const DIALECT_PAGES: &str = "docs/dialects";

/// What happens with the generated files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Written where they differ.
    Write,
    /// Compared; a difference fails.
    Check,
    /// Printed, and nothing is written.
    Print,
}

impl Mode {
    /// The mode of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "write" => Some(Self::Write),
            "check" => Some(Self::Check),
            "print" => Some(Self::Print),
            _ => None,
        }
    }
}

/// One generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Generated {
    /// Relative to the root of the project.
    path: String,
    content: String,
}

/// Generates everything; whether the files are as they should be in the end, and their sources agree.
pub(crate) fn run(root: &Path, mode: Mode, out: &mut impl Write) -> Result<bool, Box<dyn Error>> {
    if cfg!(not(debug_assertions)) {
        return Err(
            "a release build has only what was generated: run `cargo xtask codegen`".into(),
        );
    }
    let prelude = written_types(root)?;
    let dialects = source::dialects(root)?;
    let types = declarations::declarations(&prelude, &source::shared_types()?, &dialects)?;
    let mut files = files(types.text, &dialects);
    files.extend(programs::files(root)?);
    files.push(judge::file());
    files.push(rows::file());
    let stale = stale_pages(root, &files)?;
    let is_current = apply(root, &files, &stale, mode, out)?;
    for disagreement in &types.disagreements {
        writeln!(out, "{disagreement}")?;
    }
    Ok(is_current && types.disagreements.is_empty())
}

/// What is written by hand of `index.d.ts`.
fn written_types(root: &Path) -> Result<String, String> {
    let texts = SUBJECTS.iter().map(|subject| {
        let path = format!("{TYPES}/{subject}.d.ts");
        fs::read_to_string(root.join(&path))
            .map_err(|error| format!("`{path}` cannot be read: {error}"))
    });
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

fn files(types: String, dialects: &[DialectFacts]) -> Vec<Generated> {
    let file = |path: String, content: String| Generated { path, content };
    let mut files = vec![
        file("index.d.ts".to_owned(), types),
        file("docs/tools.md".to_owned(), pages::index_page(dialects)),
        file(
            "js/tool-groups.json".to_owned(),
            format!("{:#}\n", tenon_runtime::tool_groups()),
        ),
    ];
    files.extend(dialects.iter().map(|dialect| {
        let path = format!("{DIALECT_PAGES}/{}.md", dialect.name);
        file(path, pages::dialect_page(dialect))
    }));
    files
}

/// Pages of dialects that are no more.
fn stale_pages(root: &Path, files: &[Generated]) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root.join(DIALECT_PAGES)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut stale = Vec::new();
    for entry in entries {
        let path = format!("{DIALECT_PAGES}/{}", entry?.file_name().to_string_lossy());
        if files.iter().all(|file| file.path != path) {
            stale.push(path);
        }
    }
    stale.sort();
    Ok(stale)
}

fn apply(
    root: &Path,
    files: &[Generated],
    stale: &[String],
    mode: Mode,
    out: &mut impl Write,
) -> Result<bool, Box<dyn Error>> {
    let mut is_current = stale.is_empty();
    for file in files {
        let path = root.join(&file.path);
        let differs = match fs::read_to_string(&path) {
            Ok(content) => content != file.content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(format!("`{}` cannot be read: {error}", file.path).into()),
        };
        match mode {
            Mode::Print => write!(out, "==> {} <==\n{}\n", file.path, file.content)?,
            Mode::Check if differs => {
                is_current = false;
                writeln!(
                    out,
                    "{} is not what would be generated: run `{COMMAND}`",
                    file.path
                )?;
            }
            Mode::Write if differs => {
                if let Some(directory) = path.parent() {
                    fs::create_dir_all(directory)?;
                }
                fs::write(&path, &file.content)?;
                writeln!(out, "wrote {}", file.path)?;
            }
            Mode::Check | Mode::Write => {}
        }
    }
    for path in stale {
        writeln!(out, "{path} is generated by nothing any more: delete it")?;
    }
    Ok(is_current || mode == Mode::Print)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(root: &Path, files: &[Generated], mode: Mode) -> (bool, String) {
        let mut out = Vec::new();
        let stale = stale_pages(root, files).unwrap();
        let is_current = apply(root, files, &stale, mode, &mut out).unwrap();
        (is_current, String::from_utf8(out).unwrap())
    }

    #[test]
    fn files_are_written_once_and_checked_without_a_trace() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let file = |path: &str, content: &str| Generated {
            path: path.into(),
            content: content.into(),
        };
        let files = [
            file("index.d.ts", "types\n"),
            file("docs/dialects/agent.md", "page\n"),
        ];
        let differing = "index.d.ts is not what would be generated: run `cargo xtask codegen`\n\
                         docs/dialects/agent.md is not what would be generated: run `cargo xtask codegen`\n";
        assert_eq!(
            applied(root, &files, Mode::Check),
            (false, differing.to_owned())
        );
        let printed = "==> index.d.ts <==\ntypes\n\n==> docs/dialects/agent.md <==\npage\n\n";
        assert_eq!(
            applied(root, &files, Mode::Print),
            (true, printed.to_owned())
        );
        assert!(!root.join("index.d.ts").exists());
        let written = "wrote index.d.ts\nwrote docs/dialects/agent.md\n";
        assert_eq!(
            applied(root, &files, Mode::Write),
            (true, written.to_owned())
        );
        assert_eq!(
            fs::read_to_string(root.join("docs/dialects/agent.md")).unwrap(),
            "page\n"
        );
        assert_eq!(applied(root, &files, Mode::Write), (true, String::new()));
        assert_eq!(applied(root, &files, Mode::Check), (true, String::new()));
        fs::write(root.join("docs/dialects/old.md"), "").unwrap();
        let stale = "docs/dialects/old.md is generated by nothing any more: delete it\n";
        assert_eq!(
            applied(root, &files, Mode::Check),
            (false, stale.to_owned())
        );
    }
}
