//! Package managers that run something in each package of a workspace.

use tenon_programs::words::packages::{FOREACH_WITH_VALUE, IN_EACH};

use crate::unwrap::invocation::Invocation;
use crate::word::Word;
use crate::words::Words;

/// Whether a package manager of this name runs something in packages of a workspace.
pub(super) fn runs_in_each(base: &str, words: &[Word]) -> bool {
    // What stands behind the name of the program is for the program: `npx prettier -w a.ts`.
    let own = match base {
        "npx" | "pnpx" | "pnx" | "bunx" => own_options(words),
        "npm" | "pnpm" | "yarn" | "bun" | "corepack" | "lerna" | "nx" | "bolt" | "ultra"
        | "wsrun" => 8,
        // `-r` behind it is for what it runs: `python -m pip install -r a.txt`.
        _ => return false,
    };
    words.iter().take(own).any(|word| {
        let text = word.prefix();
        let name = text.split('=').next().unwrap_or_default();
        IN_EACH.contains(&name)
    })
}

/// How many words in front are `npx` itself and its options.
fn own_options(words: &[Word]) -> usize {
    let mut place = 1;
    while let Some(word) = words.get(place) {
        let text = word.prefix();
        if !text.starts_with('-') || text == "--" {
            break;
        }
        let takes_value = matches!(text.as_ref(), "-p" | "--package" | "-c" | "--call");
        place += 1 + usize::from(takes_value);
    }
    place
}

/// The words behind `foreach` and its options, or behind `run` of the first yarn.
pub(super) fn behind_options(words: &Words) -> Words {
    let mut place = usize::from(words.first().and_then(Word::literal) == Some("foreach"));
    while let Some(text) = words.get(place).and_then(Word::literal) {
        if !text.starts_with('-') {
            break;
        }
        let takes_value = FOREACH_WITH_VALUE.contains(&text);
        place += 1 + usize::from(takes_value);
    }
    words.behind(place)
}

/// A command of yarn as it runs in a package: `exec` and `dlx` run a program, others are its own.
pub(super) fn as_yarn(words: &Words, invocation: &Invocation) -> Words {
    if matches!(words.first().and_then(Word::literal), Some("exec" | "dlx")) {
        return words.behind(1);
    }
    let mut yarn = vec![Word::synthetic("yarn", invocation.span())];
    yarn.extend(words.iter().cloned());
    yarn.into()
}
