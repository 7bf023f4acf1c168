//! Names of programs as they are compared.

use smallvec::SmallVec;
pub(crate) use tenon_programs::{base_name, system_name};
use tenon_shell::{Word, facts_name, program_name};

/// Whether these are names of one program: `grm` and `rm`, `python3.12` and `python`.
pub(crate) fn is_same_program(one: &str, other: &str) -> bool {
    one == other || program_name(one) == program_name(other)
}

/// A path to a program as it is compared: `//bin/rm`, `/bin/./rm` and `/usr/../bin/rm` are `/bin/rm`, and
/// `scripts/../deploy.sh` is `./deploy.sh`.
pub(crate) fn plain_path(path: &str) -> String {
    let mut parts: SmallVec<[&str; 8]> = SmallVec::new();
    let absolute = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if absolute => {}
            _ => parts.push(part),
        }
    }
    let start = if absolute { "/" } else { "./" };
    format!("{start}{}", parts.join("/"))
}

/// The name by which facts about the program of these words are known.
pub(crate) fn name_of(words: &[Word]) -> Option<&str> {
    let name = words.first().and_then(Word::literal)?;
    Some(facts_name(base_name(name)))
}
