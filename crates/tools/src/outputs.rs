//! The whole outputs of commands, which are read and searched by their address like files.

use std::path::PathBuf;

use tenon_contract::{Access, ErrorCode, ToolError, counted};
use tenon_process::{OUTPUT_SCHEME, Processes};
use tenon_workspace::{Located, PageRequest, Workspace};

/// Most addresses that an error lists.
const LISTED: usize = 10;
/// Most lines that an example of an address names.
const EXAMPLE_LINES: u64 = 200;

/// The whole outputs of the commands of one toolkit. They go when it is closed.
#[derive(Debug, Clone)]
pub struct Outputs {
    processes: Processes,
}

impl Outputs {
    /// Of the commands of `processes`.
    #[must_use]
    pub const fn new(processes: Processes) -> Self {
        Self { processes }
    }

    /// The file of the output with this address, named by the address; nothing when the text is a path.
    pub(crate) fn find(&self, address: &str) -> Option<Result<Located, ToolError>> {
        let (address, _) = with_lines(address);
        let number = address.strip_prefix(OUTPUT_SCHEME)?;
        if let Some(output) = self.output(number) {
            return Some(open(&output).map(|located| located.named(address)));
        }
        let output = number.split_once(':').and_then(|(number, _)| {
            let name = format!("{OUTPUT_SCHEME}{number}");
            Some((name, self.output(number)?))
        });
        Some(Err(match output {
            Some((name, file)) => no_lines(address, &name, &file),
            None => self.unknown(address),
        }))
    }

    fn output(&self, number: &str) -> Option<PathBuf> {
        let number = number.parse().ok()?;
        self.processes.output(number)
    }

    fn unknown(&self, address: &str) -> ToolError {
        let numbers = self.processes.outputs();
        let known: Vec<String> = numbers
            .iter()
            .rev()
            .take(LISTED)
            .map(|number| format!("{OUTPUT_SCHEME}{number}"))
            .collect();
        let advice = match (known.is_empty(), self.processes.output_failure()) {
            (false, _) => format!("Available: `{}`.", known.join("`, `")),
            (true, Some(failure)) => {
                format!(
                    "The output that was cut was not kept: {failure}. Run the command again with its output in a file."
                )
            }
            (true, None) => "No output was cut so far.".to_owned(),
        };
        let shown: String = address.chars().take(80).collect();
        ToolError::new(
            ErrorCode::NotFound,
            format!("There is no output `{shown}`. {advice}"),
        )
        .with("path", shown)
        .with("outputs", known)
    }
}

/// Whether this is the address of an output, which no command knows.
#[must_use]
pub fn is_address(path: &str) -> bool {
    path.starts_with(OUTPUT_SCHEME)
}

/// The lines that the address of an output names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedLines {
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The character of the first from which on it is meant.
    pub(crate) character: u64,
}

/// The address of an output without the lines that it names, and those: `output://1:120-180`, `output://1:7`, and line 7
/// from its character 501 on: `output://1:7:501`. `output://1:7-` has no end.
pub(crate) fn with_lines(address: &str) -> (&str, Option<NamedLines>) {
    let lines = || {
        let (output, lines) = address.strip_prefix(OUTPUT_SCHEME)?.split_once(':')?;
        let (lines, character) = match lines.split_once(':') {
            Some((line, character)) => (line, character.parse().ok()?),
            None => (lines, 1),
        };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let last = if last.is_empty() {
            u64::MAX
        } else {
            last.parse().ok()?
        };
        let first = first.parse().ok()?;
        let is_range = (1..=last).contains(&first) && character > 0;
        let named = NamedLines {
            first,
            last,
            character,
        };
        is_range.then_some((OUTPUT_SCHEME.len() + output.len(), named))
    };
    match lines() {
        Some((end, lines)) => (address.get(..end).unwrap_or(address), Some(lines)),
        None => (address, None),
    }
}

impl NamedLines {
    pub(crate) const fn count(self) -> u64 {
        (self.last - self.first).saturating_add(1)
    }
}

/// How many lines an output has.
pub(crate) fn lines_of(output: &Located) -> Result<u64, ToolError> {
    let request = PageRequest {
        first_line: 1,
        first_character: 1,
        max_lines: 1,
        max_bytes: 1,
        max_line_bytes: 1,
    };
    let output = output.open_file()?.as_text();
    Ok(output.read_page(&request, &|| false)?.total_lines)
}

/// The answer to a call for lines behind the last one.
pub(crate) fn past_the_end(output: &str, first: u64, lines: u64) -> ToolError {
    let has = counted(lines, "line", "lines");
    let message = format!(
        "Line {first} is past the end of `{output}`, which has {has}. {}",
        example(output, lines)
    );
    ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", output)
        .with("total_lines", lines)
}

/// The answer to an address that names an output and lines that cannot be.
fn no_lines(address: &str, output: &str, file: &std::path::Path) -> ToolError {
    let lines = match open(file).and_then(|located| lines_of(&located)) {
        Ok(lines) => lines,
        Err(error) => return error,
    };
    let shown: String = address.chars().take(80).collect();
    let has = counted(lines, "line", "lines");
    let message = format!(
        "`{shown}` names no lines of `{output}`, which has {has}. {}",
        example(output, lines)
    );
    ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", shown)
        .with("total_lines", lines)
}

fn example(output: &str, lines: u64) -> String {
    let last = lines.clamp(1, EXAMPLE_LINES);
    format!("Name lines as in `{output}:1-{last}`.")
}

/// What a call touches that only looks at an output: nothing but a command that was judged before it ran.
pub(crate) fn access_to(output: &Located) -> Access {
    Access {
        sessions: vec![output.name().to_owned()],
        ..Access::default()
    }
}

fn open(file: &std::path::Path) -> Result<Located, ToolError> {
    let directory = file.parent().unwrap_or(file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(Workspace::open::<&str>(directory, &[])?.locate_existing(&name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_can_name_lines() {
        let lines = |first, last, character| {
            Some(NamedLines {
                first,
                last,
                character,
            })
        };
        for (address, expected) in [
            ("output://1", ("output://1", None)),
            ("output://1:7", ("output://1", lines(7, 7, 1))),
            ("output://12:120-180", ("output://12", lines(120, 180, 1))),
            ("output://1:7-", ("output://1", lines(7, u64::MAX, 1))),
            ("output://1:-7", ("output://1:-7", None)),
            ("output://1:7:501", ("output://1", lines(7, 7, 501))),
            ("output://1:7:0", ("output://1:7:0", None)),
            ("output://1:0", ("output://1:0", None)),
            ("output://1:9-3", ("output://1:9-3", None)),
            ("output://1:x", ("output://1:x", None)),
            ("src/a.rs:7", ("src/a.rs:7", None)),
        ] {
            assert_eq!(with_lines(address), expected);
        }
    }
}
