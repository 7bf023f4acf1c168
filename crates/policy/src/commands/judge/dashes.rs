//! Patterns of a shell that stand for names which begin with a dash: a program takes such a name for an option.

use tenon_programs::Traits;
use tenon_shell::{Part, Word};

use crate::commands::judge::CommandJudge;
use crate::commands::resolve::Site;
use crate::commands::words::Form;
use crate::decision::PartKind;

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

impl<'e> CommandJudge<'e, '_> {
    /// The arguments of a command that are patterns, as far as `--` does not end its options.
    pub(crate) fn patterns_as_options(&mut self, name: &str, words: &[Word], at: Site<'_>) {
        if self.open {
            return;
        }
        let sets = name == "set";
        let arguments = words.iter().skip(1);
        let lists_all =
            name == "ls" && arguments.clone().all(|word| word.prefix().starts_with('-'));
        let arguments = arguments.take_while(|word| sets || word.literal() != Some("--"));
        let mut patterns = arguments
            .filter_map(|word| Some((word, first_name(word)?)))
            .peekable();
        if !lists_all && patterns.peek().is_none() {
            return;
        }
        // What these write is given to another program.
        let is_fed_on = || matches!(name, "echo" | "printf" | "ls") && self.facts.feeds_names();
        let program = tenon_programs::find(name);
        let says_nothing = program.is_some_and(|program| program.is(Traits::SAYS_NOTHING));
        if says_nothing && !sets && !is_fed_on() {
            return;
        }
        if lists_all && let Some(name) = self.option_among("*", at) {
            let reason = format!(
                "`ls` prints the name `{name}`, which another program takes for an option."
            );
            self.ask(PartKind::Unclear, "ls", reason);
        }
        for (word, pattern) in patterns {
            self.pattern_as_option(word, pattern, at);
        }
    }

    /// The values of a variable that are patterns: the shell expands them where the variable is used, if not before, also one
    /// that was quoted.
    pub(crate) fn values_as_options(&mut self, values: &[Word], at: Site<'_>) {
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
                self.pattern_as_option(word, &pattern, at);
            }
        }
    }

    fn pattern_as_option(&mut self, word: &Word, pattern: &str, at: Site<'_>) {
        let Some(name) = self.option_among(pattern, at) else {
            return;
        };
        let text = self.claim.text.get(word.span.start..word.span.end);
        let text = text.filter(|text| !text.is_empty()).unwrap_or(pattern);
        let reason = format!(
            "`{text}` can stand for `{name}`, which a program takes for an option. Write `./{text}`, or `--` before it."
        );
        self.ask(PartKind::Unclear, text, reason);
    }

    /// A name in one of these directories that the pattern fits and that begins with a dash.
    fn option_among(&self, pattern: &str, at: Site<'_>) -> Option<String> {
        let form = Form::new(pattern).filter(|_| !pattern.contains('('));
        for directory in self.path_table.candidates(at.dirs)? {
            let Some(entries) = self.path_table.list(&self.path_table.path(directory)) else {
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
