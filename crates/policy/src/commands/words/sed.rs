//! Whether a sed script can run a program or open a file of its own (`e`, `w`, `r` and the flags of `s`).
//!
//! Cautious: what is not a plain editing script counts.

use tenon_programs::parse;
use tenon_shell::{Word, sed_only_edits};

/// Looks at the arguments of `sed`.
pub(crate) fn may_run_or_write(words: &[Word]) -> bool {
    let scripts = scripts(words.get(1..).unwrap_or_default());
    !scripts.is_some_and(|scripts| scripts.into_iter().all(sed_only_edits))
}

/// The scripts among the arguments; nothing where it cannot be determined what they are. With `--sandbox`, which refuses all
/// that this is about, there are none.
fn scripts(arguments: &[Word]) -> Option<Vec<&str>> {
    let is_sandbox = |word: &Word| word.literal() == Some("--sandbox");
    let sandbox = arguments.iter().position(is_sandbox);
    let own = arguments.get(..sandbox.unwrap_or(arguments.len()))?;
    let parsed = parse(tenon_programs::find("sed")?.options, own);
    if parsed.ended || parsed.operands.iter().any(|word| may_be_option(word)) {
        return None;
    }
    let mut scripts = Vec::new();
    for given in &parsed.options {
        given.word.literal().filter(|_| given.exact)?;
        match given.name {
            "e" | "expression" => scripts.push(given.value_literal()?),
            // It names a copy, perhaps in another directory.
            "i" | "in-place"
                if !given
                    .value_literal()
                    .is_some_and(|suffix| suffix.contains('/')) => {}
            "follow-symlinks" => return None,
            _ if given.value.is_some() => return None,
            _ => {}
        }
    }
    if sandbox.is_some() {
        return Some(Vec::new());
    }
    if scripts.is_empty()
        && let Some(first) = parsed.operands.first()
    {
        scripts.push(first.literal()?);
    }
    Some(scripts)
}

/// Whether an operand becomes an option, or nothing, when the shell has expanded it.
fn may_be_option(word: &Word) -> bool {
    let text = word.prefix();
    word.is_opaque() && (text.is_empty() || text.starts_with('-'))
}
