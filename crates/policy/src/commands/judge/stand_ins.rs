//! Words of which it is known in part what they become, for rules that deny or ask: `"$f"` of `for f in *.txt`, a new name of
//! `mktemp`, what `find -exec` puts in. None of them can be `-rf`.

use tenon_shell::{Invocation, Part, Word};

use crate::command_pattern::Fit;
use crate::commands::judge::{CommandJudge, deny_rules};
use crate::commands::resolve::Site;
use crate::rule::Rule;

/// How many commands are compared in place of one.
const MOST: usize = 64;

/// Letters that `mktemp` replaces.
const CHOSEN: &str = "XXX";

/// A word and the lists of words of which it becomes one.
type Alternatives = (Word, Vec<Vec<Word>>);

impl CommandJudge<'_, '_> {
    /// The commands that this one can be, as far as its words are known; nothing where none of them is, and where they are too many.
    pub(crate) fn possible_commands(
        &self,
        invocation: &Invocation,
        at: Site<'_>,
    ) -> Option<Vec<Invocation>> {
        let mut known: Vec<Alternatives> = Vec::new();
        let mut count = 1;
        for command in invocation.chain() {
            for word in command.words.iter().filter(|word| word.is_opaque()) {
                if known.iter().any(|(own, _)| own == word) {
                    continue;
                }
                let Some(lists) = self.stand_ins(word, at) else {
                    continue;
                };
                count *= lists.len();
                if count > MOST {
                    return None;
                }
                known.push((word.clone(), lists));
            }
        }
        if known.is_empty() {
            return None;
        }
        self.budget.take_values(count)?;
        let commands = (0..count).map(|number| {
            let put = |word: &Word| {
                let mut number = number;
                for (own, lists) in &known {
                    if own == word {
                        return lists.get(number % lists.len()).cloned();
                    }
                    number /= lists.len();
                }
                None
            };
            invocation.with_words(&put)
        });
        Some(commands.collect())
    }

    /// Whether a rule that may match one of these commands matches none that they can be.
    pub(crate) fn is_no_match(&self, rule: &Rule, commands: Option<&[Invocation]>) -> bool {
        let fits = |command: &Invocation| {
            let mut chain = command.chain().into_iter();
            chain.any(|command| deny_rules::fit(rule, command) != Fit::No)
        };
        commands.is_some_and(|commands| !commands.iter().any(fits))
    }

    /// The lists of words of which a word becomes one; a pattern stands for all that fits it.
    fn stand_ins(&self, word: &Word, at: Site<'_>) -> Option<Vec<Vec<Word>>> {
        if word.expansion.globs {
            return None;
        }
        if let Some(fed) = at.piped.filter(|fed| fed.stands_for(word)) {
            let finds = fed.source.words.first().and_then(Word::literal) == Some("find");
            let roots = self.roots(&fed.source, at).filter(|_| finds && fed.whole)?;
            let begun = roots.iter().map(|(_, root)| vec![begins_with(root, word)]);
            return Some(begun.collect()).filter(|lists: &Vec<_>| !lists.is_empty());
        }
        let values = self.loop_values(word, at)?;
        let is_nothing = |value: &Word| word.expansion.splits && value.literal() == Some("");
        let lists = values.iter().map(|value| match value.literal() {
            _ if is_nothing(value) => Vec::new(),
            Some(text) => vec![with_chosen(text, word)],
            None => vec![value.clone()],
        });
        Some(lists.collect()).filter(|lists: &Vec<_>| !lists.is_empty())
    }
}

/// A pattern of all that begins so.
fn begins_with(start: &str, word: &Word) -> Word {
    let mut pattern = Word::synthetic("", word.span);
    let parts = [Part::text(start, true), Part::text("*", false)];
    pattern.expansion.globs = true;
    Word::of_parts(parts.into_iter().collect(), pattern.expansion, word.span)
}

/// The text, as a pattern where it is a name of which `mktemp` chooses letters.
fn with_chosen(value: &str, word: &Word) -> Word {
    let Some((before, behind)) = value.split_once(CHOSEN) else {
        return Word::synthetic(value, word.span);
    };
    let behind = behind.trim_start_matches('X');
    let mut pattern = Word::synthetic("", word.span);
    pattern.expansion.globs = true;
    let parts = [
        Part::text(before, true),
        Part::text("*", false),
        Part::text(behind, true),
    ];
    Word::of_parts(parts.into_iter().collect(), pattern.expansion, word.span)
}
