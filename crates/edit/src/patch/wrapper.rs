//! The command that a patch may be wrapped in: `cd sub && apply_patch <<'EOF'`.
//!
//! Prose before a patch is passed over, and so is a command that only hands it to a program. One that gives its names another meaning
//! is not: the directory of a `cd` goes before the names, as Codex has it, and what cannot be followed is refused.

use crate::patch::input::{Input, PatchLine, first_line};
use crate::patch::{FileOperation, FilePatch, PatchError};

/// What applies a patch.
const PROGRAMS: [&str; 4] = ["apply_patch", "applypatch", "git apply", "patch"];

/// Shells that are given the command as a text.
const SHELLS: [&str; 5] = ["bash -lc ", "bash -c ", "sh -lc ", "sh -c ", "zsh -lc "];

/// Options that leave the meaning of a patch alone.
const HARMLESS_OPTIONS: [&str; 17] = [
    "-",
    "-p0",
    "-p1",
    "-u",
    "-N",
    "-s",
    "-v",
    "-f",
    "-t",
    "-3",
    "--3way",
    "--index",
    "--recount",
    "--unidiff-zero",
    "--verbose",
    "--forward",
    "--batch",
];

/// Puts the directory of the command around a patch before the names of its files.
pub(crate) fn in_its_directory(
    input: &Input<'_>,
    mut files: Vec<FilePatch>,
) -> Result<Vec<FilePatch>, PatchError> {
    if let Some(directory) = directory(input)? {
        for file in &mut files {
            file.operation = beneath(&directory, &file.operation);
        }
    }
    Ok(files)
}

/// What says whether a name, as it stands in the patch, is that of a file.
pub(crate) fn beside_directory<'f>(
    input: &Input<'_>,
    is_file: &'f dyn Fn(&str) -> bool,
) -> impl Fn(&str) -> bool + 'f {
    // One that cannot be followed is refused once the patch is read.
    let directory = directory(input).ok().flatten();
    move |name| match &directory {
        Some(directory) => is_file(&path_beneath(directory, name)),
        None => is_file(name),
    }
}

/// The directory that the command around the patch changes to.
fn directory(input: &Input<'_>) -> Result<Option<String>, PatchError> {
    let before = input.lines.get(..first_line(input).unwrap_or(0));
    let mut commands = before.unwrap_or_default().iter().filter_map(|line| {
        let (command, _) = line.text.split_once("<<")?;
        Some((line, Command::of(command)))
    });
    // What stands right before the patch is what it is given to.
    match commands.next_back() {
        Some((line, command)) => command.directory(line),
        None => Ok(None),
    }
}

/// A list of commands on one line.
struct Command<'a> {
    parts: Vec<&'a str>,
}

impl<'a> Command<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.trim_start().trim_start_matches("$ ");
        let in_shell = SHELLS.iter().find_map(|shell| text.strip_prefix(shell));
        let text = in_shell.map_or(text, |text| {
            text.trim_start().trim_start_matches(['\'', '"'])
        });
        let parts = text.split("&&").flat_map(|part| part.split(';'));
        Self {
            parts: parts
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .collect(),
        }
    }

    fn directory(&self, line: &PatchLine<'_>) -> Result<Option<String>, PatchError> {
        let refused = |does| PatchError::Wrapped {
            line: line.number,
            text: line.text.to_owned(),
            does,
        };
        let mut directory: Option<String> = None;
        for part in &self.parts {
            if let Some(place) = place_of_change(part) {
                let place = plain_word(place).ok_or_else(|| refused("changes the directory"))?;
                directory = Some(match directory {
                    Some(outer) if !is_absolute(place) => format!("{outer}/{place}"),
                    _ => place.to_owned(),
                });
            } else if options_of_program(part)
                .is_some_and(|mut options| options.any(|option| !is_harmless(option)))
            {
                return Err(refused("applies it in another way"));
            }
        }
        Ok(directory)
    }
}

/// Where `cd` or `pushd` leads.
fn place_of_change(part: &str) -> Option<&str> {
    let place = ["cd ", "pushd "]
        .iter()
        .find_map(|change| part.strip_prefix(change))?;
    Some(place.trim().trim_start_matches("-- "))
}

fn options_of_program(part: &str) -> Option<impl Iterator<Item = &str>> {
    let options = PROGRAMS.iter().find_map(|program| {
        let options = part.strip_prefix(program)?;
        (options.is_empty() || options.starts_with(' ')).then_some(options)
    });
    let elsewhere = || part.strip_prefix("git -");
    Some(options.or_else(elsewhere)?.split_whitespace())
}

fn is_harmless(option: &str) -> bool {
    HARMLESS_OPTIONS.contains(&option) || option.starts_with("--whitespace=")
}

/// A word that the shell takes as it stands, without its quotes.
fn plain_word(word: &str) -> Option<&str> {
    let quoted = |quote| word.strip_prefix(quote)?.strip_suffix(quote);
    let (text, special): (&str, &[char]) = match (quoted('\''), quoted('"')) {
        (Some(text), _) => (text, &['\'']),
        (_, Some(text)) => (text, &['"', '$', '`', '\\']),
        _ => (
            word,
            &[
                ' ', '\t', '\'', '"', '$', '`', '\\', '*', '?', '[', '{', '(', ')', '|', '&', '<',
                '>',
            ],
        ),
    };
    let is_plain = !text.is_empty() && !text.contains(special) && !text.starts_with(['-', '~']);
    is_plain
        .then(|| text.trim_end_matches('/'))
        .filter(|text| !text.is_empty())
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.get(1..2) == Some(":")
}

fn path_beneath(directory: &str, path: &str) -> String {
    match is_absolute(path) {
        true => path.to_owned(),
        false => format!("{directory}/{path}"),
    }
}

fn beneath(directory: &str, operation: &FileOperation) -> FileOperation {
    let name = |path: &String| path_beneath(directory, path);
    match operation {
        FileOperation::Create { path } => FileOperation::Create { path: name(path) },
        FileOperation::Delete { path, any_content } => FileOperation::Delete {
            path: name(path),
            any_content: *any_content,
        },
        FileOperation::Update { path } => FileOperation::Update { path: name(path) },
        FileOperation::Replace { path } => FileOperation::Replace { path: name(path) },
        FileOperation::Move { from, to } => FileOperation::Move {
            from: name(from),
            to: name(to),
        },
        FileOperation::Copy { from, to } => FileOperation::Copy {
            from: name(from),
            to: name(to),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::patch::{PatchError, parse_patch};

    const ENVELOPE: &str = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch\nEOF\n";
    const DIFF: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\nEOF\n";

    fn path(command: &str, patch: &str) -> Result<String, PatchError> {
        let patch = parse_patch(&format!("{command}\n{patch}"))?;
        Ok(patch.files[0].path().to_owned())
    }

    /// The `cd` was dropped and a file of the workspace's own directory changed.
    #[test]
    fn the_directory_of_the_command_goes_before_the_names() {
        for (command, patch, expected) in [
            ("apply_patch <<'EOF'", ENVELOPE, "a"),
            ("cd sub && apply_patch <<'EOF'", ENVELOPE, "sub/a"),
            ("cd sub/ && apply_patch <<'EOF'", ENVELOPE, "sub/a"),
            ("cd 'my dir' && apply_patch <<'EOF'", ENVELOPE, "my dir/a"),
            (
                "bash -lc \"cd sub; cd deep && applypatch <<'EOF'",
                ENVELOPE,
                "sub/deep/a",
            ),
            ("cd /srv/sub && apply_patch <<EOF", ENVELOPE, "/srv/sub/a"),
            ("set -e; cd .. && git apply -p1 - <<EOF", DIFF, "../a"),
            ("cd sub && patch -p1 <<EOF", DIFF, "sub/a"),
            ("To see it: cd sub && less <<EOF", DIFF, "a"),
            ("cat > my.patch <<EOF", DIFF, "a"),
        ] {
            assert_eq!(path(command, patch).as_deref(), Ok(expected), "{command}");
        }
    }

    #[test]
    fn a_command_that_cannot_be_followed_is_refused() {
        for (command, does) in [
            ("cd $DIR && git apply <<EOF", "changes the directory"),
            ("cd ~/x && git apply <<EOF", "changes the directory"),
            ("cd a b && git apply <<EOF", "changes the directory"),
            ("git apply -R <<EOF", "applies it in another way"),
            (
                "git apply --directory=sub <<EOF",
                "applies it in another way",
            ),
            ("git -C sub apply <<EOF", "applies it in another way"),
            ("patch -p2 <<EOF", "applies it in another way"),
        ] {
            let refused = PatchError::Wrapped {
                line: 1,
                text: command.to_owned(),
                does,
            };
            assert_eq!(path(command, DIFF), Err(refused), "{command}");
        }
    }
}
