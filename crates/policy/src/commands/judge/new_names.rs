//! New names that a text makes of those that a pattern stands for: `"$f.bak"` and `"${f%.txt}.md"` in `for f in *.txt`.
//!
//! What is written under them need not be there yet, so it says nothing that the directories hold no such name. It is compared as
//! a pattern, `*.txt.bak`; where a rule or a protected name has that form, with each name that is made of those that are there.

use tenon_shell::{ParameterOperation, Part, Word};

use crate::commands::judge::{CommandJudge, Usage};
use crate::commands::resolve::Site;
use crate::commands::resolve::loops::words_with;
use crate::protected::protected_of_form;
use crate::rule::Kind;

/// Whether a word is more than a variable with the names of a pattern: such names need not be there.
pub(crate) fn is_made(word: &Word, values: &[Word]) -> bool {
    let is_value = |part: &Part| {
        matches!(
            part,
            Part::Parameter {
                operation: ParameterOperation::Value,
                ..
            }
        )
    };
    let alone = matches!(word.parts.as_slice(), [part] if is_value(part));
    let is_written = |part: &Part| matches!(part, Part::Text { .. });
    !alone
        && !word.expansion.globs
        && !word.parts.iter().all(is_written)
        && values.iter().any(|value| value.expansion.globs)
}

impl<'e> CommandJudge<'e, '_> {
    /// What is written under new names, where a rule or a protected name can have their form. Returns whether each of them was
    /// judged.
    pub(crate) fn new_names(
        &mut self,
        usage: Usage<'_>,
        (word, values): (&Word, &[Word]),
        shown: &str,
        at: Site<'_>,
    ) -> bool {
        if self.open || usage.kind != Kind::Write || !is_made(word, values) {
            return false;
        }
        let protected = self.protected_by_form(values, at);
        if protected.is_none() && !self.may_bind_new(values, at) {
            return false;
        }
        if let Some(names) = self.names_made(word, at) {
            for name in &names {
                self.file(usage, name, at);
            }
            return true;
        }
        if let Some(name) = protected {
            let reason = format!("`{shown}` can become `{name}`, which is protected.");
            self.guard(shown, reason);
        }
        false
    }

    /// Whether a rule may be about a new name of one of these forms.
    pub(crate) fn may_bind_new(&self, values: &[Word], at: Site<'_>) -> bool {
        self.may_bind(Kind::Write, self.forms(values, at).as_deref())
    }

    /// A protected name that names of these forms can have in them, here or through links that are there.
    pub(crate) fn protected_by_form(&self, words: &[Word], at: Site<'_>) -> Option<&'static str> {
        let forms = self.forms(words, at);
        let mut forms = forms.iter().flatten();
        let here = forms.find_map(|form| protected_of_form(form));
        here.or_else(|| {
            let mut forms = words.iter().filter_map(crate::shell_pattern::segments);
            forms.find_map(|form| protected_of_form(&form))
        })
    }

    /// The new names, where it is known of which they are made.
    pub(crate) fn names_made(&self, word: &Word, at: Site<'_>) -> Option<Vec<Word>> {
        let variable = at.facts.loops.variable(word, at.place)?;
        let values = variable.first_values()?;
        let directories = self.path_table.candidates(at.dirs)?;
        let [directory] = directories.as_slice() else {
            return None;
        };
        if at.facts.changes_patterns || self.facts.may_change_options() {
            return None;
        }
        let mut known = Vec::new();
        for value in values {
            if value.literal().is_some() {
                known.push(value.clone());
                continue;
            }
            let names = self.listed_names(*directory, value)?;
            // A pattern that stands for nothing stays as it is.
            let itself = names.is_empty().then(|| value.pattern()).flatten();
            let names = names.iter().map(String::as_str);
            let names = names.chain(itself.as_deref());
            known.extend(names.map(|name| Word::synthetic(name, word.span)));
        }
        self.budget.take_values(known.len())?;
        words_with(word, &known)
    }
}
