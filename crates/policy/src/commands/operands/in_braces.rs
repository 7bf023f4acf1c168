//! Operands that lists in braces make: `cp {a,b}` is `cp a b`, so that what each is used for depends on its place.

use tenon_shell::{FileOperand, Invocation, Reach, Word, file_operands};

use crate::commands::Context;
use crate::commands::ground::State;
use crate::commands::names::in_braces;
use crate::commands::recursion::Recursion;
use crate::commands::selection::Selection;
use crate::decision::Judgement;

/// How many words are looked at; the lists are judged as they stand besides.
const MOST_WORDS: usize = 1_000;

impl<'e> Context<'e, '_> {
    /// The operands that name files once lists in braces are put in.
    pub(super) fn operands_in_braces(
        &self,
        invocation: &Invocation,
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        let words = invocation.plain_words();
        if !words.iter().any(|word| word.expansion.braces) || words.len() > MOST_WORDS {
            return;
        }
        let mut put_in: Vec<Word> = Vec::new();
        for word in words {
            match in_braces(word) {
                Some(values) => put_in.extend(values),
                None => put_in.push(word.clone()),
            }
        }
        put_in.truncate(MOST_WORDS);
        let recursion = Recursion::of(&put_in);
        let selection = Selection::of(&put_in);
        let named = |file: &&FileOperand<'_>| {
            matches!(file.reach, Reach::Named | Reach::Patterns | Reach::Below)
                && !file.word.is_opaque()
        };
        for file in file_operands(&put_in).iter().filter(named) {
            self.operand(file, invocation, &recursion, &selection, state, judgement);
        }
    }
}
