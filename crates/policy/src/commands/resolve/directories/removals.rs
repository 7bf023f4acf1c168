//! Directories that a text may take away before it changes into them: the change fails then.

use std::path::Path;

use tenon_shell::{Examination, Invocation, Word};

use crate::paths::parts;

/// What is taken away by one command.
struct Removal<'t> {
    text: usize,
    finding: usize,
    /// The last name of what goes; `None` if that cannot be determined.
    name: Option<&'t str>,
}

/// What the texts take away.
pub(crate) struct Removals<'t>(Vec<Removal<'t>>);

impl<'t> Removals<'t> {
    /// Of texts that change the directory; of all others nothing needs to be known.
    pub(crate) fn of(examination: &'t Examination, changing: &[Vec<usize>]) -> Self {
        let mut all = Vec::new();
        if changing.iter().all(Vec::is_empty) {
            return Self(all);
        }
        for (text, examined) in examination.texts.iter().enumerate() {
            for (finding, invocation) in &examined.invocations {
                for command in invocation.chain() {
                    let removed = removed(command).map(|name| Removal {
                        text,
                        finding: *finding,
                        name,
                    });
                    all.extend(removed);
                }
            }
        }
        Self(all)
    }

    /// Whether the directory to which a finding changes may have gone when it runs.
    pub(crate) fn may_hold(&self, text: usize, finding: usize, directory: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let names = parts(Path::new(directory));
        self.0.iter().any(|removal| {
            let before = removal.text != text || removal.finding < finding;
            let fits = removal
                .name
                .is_none_or(|name| names.iter().any(|part| part == name));
            before && !names.is_empty() && fits
        })
    }
}

/// The last names of what a command takes away or closes to others, `None` for one that cannot be determined.
fn removed(command: &Invocation) -> impl Iterator<Item = Option<&str>> {
    let words: &[Word] = &command.words;
    let base = command.base_name().unwrap_or_default();
    let verb = words.get(1).and_then(Word::literal).unwrap_or_default();
    let removes = match base {
        "mv" | "rm" | "rmdir" | "rename" | "chmod" => true,
        "find" => words
            .iter()
            .any(|word| matches!(word.literal(), Some("-delete" | "-rm"))),
        "git" => matches!(verb, "mv" | "rm"),
        _ => false,
    };
    let leaves =
        base == "git" && matches!(verb, "checkout" | "switch" | "stash" | "reset" | "clean");
    let operands = words.iter().skip(1).filter(move |_| removes);
    let named = operands.map(|word| {
        let text = word.literal()?.trim_end_matches('/');
        text.rsplit('/').next()
    });
    named.chain(leaves.then_some(None))
}
