//! Patterns of a shell that stand for names which begin with a dash: a program takes such a name for an option.

use tenon_shell::{Part, Word};

use super::Context;
use super::ground::State;
use super::operands::SAYING_NOTHING;
use super::selection::Form;
use super::strict::name_of;
use crate::decision::{Judgement, PartKind, Why};

/// The first name of a pattern that begins with a sign which can stand for a dash.
fn first_name(word: &Word) -> Option<&str> {
    if !word.expansion.globs {
        return None;
    }
    let Some(Part::Text {
        value,
        quoted: false,
    }) = word.parts.first()
    else {
        // What stands in front may be nothing.
        let is_open = matches!(word.parts.first(), Some(Part::Parameter { .. }));
        return is_open.then_some("*");
    };
    let begins = value.starts_with(['*', '?', '[', '+', '@', '!', '-']);
    begins.then(|| value.split('/').next().unwrap_or_default())
}

impl<'e> Context<'e, '_> {
    /// The arguments of a command that are patterns, as far as `--` does not end its options.
    pub(super) fn patterns_as_options(
        &self,
        words: &[Word],
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        let name = name_of(words).unwrap_or_default();
        // What these write is given to another program.
        let feeds = || {
            let mut marks = ["xargs", "read", "$(", "`"].iter();
            marks.any(|mark| self.claim.text.contains(mark))
        };
        let is_fed_on =
            matches!(name, "echo" | "printf" | "ls") && *self.feeds_names.get_or_init(feeds);
        let sets = name == "set";
        if self.open || (SAYING_NOTHING.contains(name) && !is_fed_on && !sets) {
            return;
        }
        let names_none = words
            .iter()
            .skip(1)
            .all(|word| word.prefix().starts_with('-'));
        if name == "ls"
            && names_none
            && let Some(name) = self.option_among("*", state)
        {
            let reason = format!(
                "`ls` prints the name `{name}`, which another program takes for an option."
            );
            judgement.add(self.floor(PartKind::Unclear, "ls", Why::sentence(reason)));
        }
        let ends = |word: &&Word| !sets && word.literal() == Some("--");
        let arguments = words.iter().skip(1).take_while(|word| !ends(word));
        for word in arguments {
            if let Some(pattern) = first_name(word) {
                self.pattern_as_option(word, pattern, state, judgement);
            }
        }
    }

    /// The values of a variable that are patterns: the shell expands them where the variable is used, if not before, also one
    /// that was quoted.
    pub(super) fn values_as_options(
        &self,
        values: &[Word],
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        if self.open {
            return;
        }
        let quoted = |word: &'_ Word| {
            let text = word.literal()?;
            let begins = text.starts_with(['*', '?', '[', '-']);
            (begins && text.contains(['*', '?', '['])).then(|| text.to_owned())
        };
        for word in values {
            let pattern = first_name(word).map(str::to_owned);
            if let Some(pattern) = pattern.or_else(|| quoted(word)) {
                self.pattern_as_option(word, &pattern, state, judgement);
            }
        }
    }

    fn pattern_as_option(
        &self,
        word: &Word,
        pattern: &str,
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        let Some(name) = self.option_among(pattern, state) else {
            return;
        };
        let text = self.claim.text.get(word.span.start..word.span.end);
        let text = text.filter(|text| !text.is_empty()).unwrap_or(pattern);
        let reason = format!(
            "`{text}` can stand for `{name}`, which a program takes for an option. Write `./{text}`, or `--` before it."
        );
        judgement.add(self.floor(PartKind::Unclear, text, Why::sentence(reason)));
    }

    /// A name in one of these folders that the pattern fits and that begins with a dash.
    fn option_among(&self, pattern: &str, state: State) -> Option<String> {
        let form = Form::new(pattern).filter(|_| !pattern.contains('('));
        for folder in self.ground.candidates(state)? {
            let Some(entries) = self.ground.list(&self.ground.path(folder)) else {
                continue;
            };
            let mut names = entries
                .iter()
                .map(|entry| &entry.name)
                .filter(|name| name.starts_with('-'));
            let fits = |name: &&String| form.as_ref().is_none_or(|form| form.fits(name));
            if let Some(name) = names.find(fits) {
                return Some(name.clone());
            }
        }
        None
    }
}
