//! Files in commands of which the name, or the directory that it is relative to, cannot be determined from the text.

use std::path::Path;

use smallvec::smallvec;
use tenon_shell::{ParameterOperation, Part, Word};

use crate::commands::judge::new_names::is_made;
use crate::commands::judge::{CommandJudge, Extent, Found, RequiredCheck, Usage, part_kind};
use crate::commands::resolve::{DirId, Site};
use crate::decision::PartKind;
use crate::glob::{Segment, Token};
use crate::protected::protected_among;
use crate::rule::{Kind, Rule};
use crate::verdict::Verdict;

impl<'e, 'q> CommandJudge<'e, 'q> {
    /// A literal path whose directory is not known.
    pub(crate) fn homeless(&mut self, usage: Usage<'_>, path: &str, at: Site<'_>) {
        if crate::paths::is_rooted(path) {
            let root = self.path_table.directory(Path::new("/"));
            let at = at.in_dirs(self.path_table.working_dirs(smallvec![root]));
            return self.path(usage.to(Extent::Itself), path, at);
        }
        let mut form = vec![Segment::AnyDepth];
        form.extend(
            crate::paths::parts(Path::new(path))
                .iter()
                .map(|part| Segment::Literal(part.as_str().into())),
        );
        let form = Some(form.as_slice()).filter(|_| !self.is_linked(at));
        let why = "the directory that it is relative to is not known";
        self.perhaps(usage, path, form, why);
    }

    /// A word that cannot be determined from the text.
    pub(crate) fn opaque(&mut self, usage: Usage<'_>, word: &Word, at: Site<'_>) {
        let kind = usage.kind;
        let shown = self.written(word);
        self.judgement.effect(part_kind(kind), shown);
        let values = self.values(word, at);
        let words = values.as_deref().unwrap_or(std::slice::from_ref(word));
        if words.iter().all(|word| !word.is_opaque()) {
            let each = words.iter();
            return each.for_each(|word| self.file(usage, word, at));
        }
        self.perhaps_protected(kind, words, shown);
        let made = (word, values.as_deref().unwrap_or_default());
        if self.new_names(usage, made, shown, at) {
            return;
        }
        // Rules are looked at below.
        self.unknown_protected((kind, false), word, shown, at);
        self.surely_outside(usage, words, at);
        self.by_links_outside(usage, (word, words), shown, at);
        self.possible_files(usage, (word, values.as_deref()), shown, at);
    }

    /// The files that a word, or one of its `values`, can stand for, against rules.
    fn possible_files(
        &mut self,
        usage: Usage<'_>,
        (word, values): (&Word, Option<&[Word]>),
        shown: &str,
        at: Site<'_>,
    ) {
        let kind = usage.kind;
        let words = values.unwrap_or(std::slice::from_ref(word));
        let strict = usage.duty.is_strict() || self.all_may_be_used(kind, (word, words), at);
        let is_of_no_rule = |word: &Word| {
            let path = word.literal();
            path.is_some_and(|path| self.is_of_no_rule(kind, path, at, usage.extent))
        };
        if strict && words.iter().all(is_of_no_rule) {
            return;
        }
        let mut forms = self.forms(words, at);
        let goes_below = matches!(usage.extent, Extent::Below(_));
        if goes_below {
            let forms = forms.iter_mut().flatten();
            forms.for_each(|form| form.push(Segment::AnyDepth));
        }
        if strict {
            let others = self.has_other_names(kind);
            if !goes_below && !others && !self.may_bind(kind, forms.as_deref()) {
                return;
            }
            // What is written may be new.
            let is_new =
                kind == Kind::Write && is_made(word, words) && self.may_bind_new(words, at);
            match self.found(kind, word, at, usage.extent, values) {
                Found::Nothing if is_new => {}
                Found::Nothing => return,
                Found::Name(held, Some(rule)) => {
                    return self.held(kind, shown, &held, rule);
                }
                // It can be any of them.
                Found::Unknown if others => forms = None,
                Found::Name(_, None) | Found::Unknown => {}
            }
        }
        let why = self.why_unknown(word);
        match forms {
            None => self.perhaps(usage, shown, None, why),
            Some(forms) => {
                for form in forms {
                    self.perhaps(usage, shown, Some(&form), why);
                }
            }
        }
    }

    /// Words that begin with a directory outside of the workspace, whatever they stand for: what is written there is judged like
    /// that directory.
    pub(crate) fn surely_outside(&mut self, usage: Usage<'_>, words: &[Word], at: Site<'_>) {
        if usage.duty != RequiredCheck::Known {
            return;
        }
        let directories = self.path_table.candidates(at.dirs).unwrap_or_default();
        let mut possible: Vec<Word> = Vec::new();
        for word in words {
            possible.extend(at.facts.beginnings(at.place.0, word));
        }
        if self.budget.take_values(possible.len()).is_none() {
            let shown = self.claim.text.as_str();
            let reason = "A name in it can stand for too many files, and some of them may be outside the workspace.";
            return self.add(self.unclear(shown, reason));
        }
        let words = words.iter().chain(&possible);
        for start in words.filter_map(|word| self.known_directory(word)) {
            let is_outside = |directory: &&DirId| {
                let name = self.path_table.follow(**directory, &start);
                name.inside().is_none()
            };
            if let Some(directory) = directories.iter().find(is_outside) {
                return self.outside(usage, *directory, &start);
            }
        }
    }

    /// The directory with which a word begins, where that is known: `../out` of `../out/*.txt`, the home directory of `~/x*`.
    pub(crate) fn known_directory(&self, word: &Word) -> Option<String> {
        let home = self.engine.directories.home();
        let mut text = String::new();
        let mut is_whole = true;
        for (place, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { value, .. } => text.push_str(value),
                Part::Parameter {
                    name,
                    operation: ParameterOperation::Value,
                    ..
                } if place == 0 && name == "HOME" => text.push_str(home?),
                Part::Parameter {
                    name,
                    operation: ParameterOperation::Value,
                    ..
                } if place == 0 && name == "PWD" => text.push('.'),
                _ => {
                    is_whole = false;
                    break;
                }
            }
        }
        if word.expansion.tilde {
            match text.find('/').unwrap_or(text.len()) {
                1 => text.replace_range(..1, home?),
                2 if text.starts_with("~+") => text.replace_range(..2, "."),
                2 if text.starts_with("~-") => return None,
                // The home directory of another user.
                _ => text.replace_range(..1, "/home/"),
            }
        }
        if is_whole && !word.expansion.globs && !word.expansion.braces {
            return Some(text);
        }
        // Names that a pattern stands for, and as many `..` behind it, lead back to where it begins.
        let open = text.find(['*', '?', '[', '{']).unwrap_or(text.len());
        let end = text.get(..open)?.rfind('/')?;
        let (start, behind) = text.split_at(end + 1);
        let mut depth = 0_usize;
        let mut start = start.to_owned();
        for name in behind.split('/') {
            match (name, depth) {
                ("..", 0) => start.push_str("../"),
                ("..", _) => depth -= 1,
                ("" | ".", _) => {}
                _ => depth += 1,
            }
        }
        Some(start)
    }

    /// Whether these are names in the workspace, and the mode or rules allow such a use of all of them: only rules that deny or ask
    /// count then.
    fn all_may_be_used(&self, kind: Kind, (word, words): (&Word, &[Word]), at: Site<'_>) -> bool {
        let is_inside = |word: &Word| {
            word.pattern().is_some_and(|pattern| {
                !pattern.starts_with(['/', '~'])
                    && !pattern.contains("..")
                    && !pattern.contains('{')
            })
        };
        let is_all =
            |rule: &Rule| rule.binds(kind) && !rule.names_files() && rule.command().is_none();
        let allowing = || self.engine.rules.of(Verdict::Allow);
        // Who writes to a pattern that is no variable of a loop meant one file.
        if !words.iter().all(is_inside) || kind != Kind::Read && word.expansion.globs {
            return false;
        }
        if kind == Kind::Read && allowing().any(is_all) {
            return true;
        }
        let by_mode = self.engine.mode.verdict(true) == Verdict::Allow;
        let covered =
            |form: &Vec<Segment>| by_mode || allowing().any(|rule| rule.covers_form(kind, form));
        let forms = self.forms(words, at).filter(|_| self.is_in_workspace(at));
        let is_covered = forms.is_some_and(|forms| {
            forms.iter().all(covered) && !forms.iter().any(|form| is_like_an_option(form))
        });
        is_covered
            && (kind == Kind::Read
                || self.protected_by_form(words, at).is_none()
                || matches!(self.kept_by_patterns(kind, words, at), Found::Nothing))
    }

    /// Whether the command surely runs in the workspace.
    fn is_in_workspace(&self, at: Site<'_>) -> bool {
        self.all_places(".", at, |inside| inside.is_some()) == Some(true)
    }

    /// A protected name that a word can stand for which is written, or given to a program that may write it: one that is
    /// there, or one that the text names elsewhere where the word is unknown. With `rules` also a name that a
    /// rule is about.
    pub(crate) fn unknown_protected(
        &mut self,
        (kind, rules): (Kind, bool),
        word: &Word,
        shown: &str,
        at: Site<'_>,
    ) {
        if self.open || kind == Kind::Read {
            return;
        }
        let kept = self.kept_name(kind, word, at);
        let reason = if let Some((name, Some(rule))) = kept.as_ref().filter(|_| rules) {
            self.matched(rule);
            let rule = &rule.text.rule;
            format!("`{shown}` can stand for `{name}`, which the rule `{rule}` protects.")
        } else if let Some((name, None)) = kept {
            format!("`{shown}` can stand for `{name}`, which is protected.")
        } else if self.is_open_word(word, at)
            && let Some((piece, _)) = self.named_protected()
        {
            format!(
                "`{shown}` is not known from the text and can stand for `{piece}`, which is protected."
            )
        } else {
            return;
        };
        self.ask(part_kind(kind), shown, reason);
    }

    /// The first protected name that the text names anywhere.
    pub(crate) fn named_protected(&self) -> Option<&'q (String, &'static str)> {
        self.facts.named_protected()
    }

    fn perhaps_protected(&mut self, kind: Kind, words: &[Word], shown: &str) {
        let protected = words
            .iter()
            .find_map(|word| protected_among(&word.prefix()));
        if let Some(name) = protected.filter(|_| part_kind(kind) != PartKind::Read) {
            let reason = format!("`{shown}` may be below the protected name `{name}`.");
            self.ask(part_kind(kind), shown, reason);
        }
    }

    fn why_unknown(&self, word: &Word) -> &'static str {
        if self.is_given(word) {
            "the names come from another program; those of `find -name … -print0 | xargs -0` and `rg -l0 … | xargs -0` can be checked"
        } else {
            "the text does not determine which file it is"
        }
    }
}

/// Whether the name of a file of this form is written as an option is.
fn is_like_an_option(form: &[Segment]) -> bool {
    match form.last() {
        Some(Segment::Literal(name)) => name.starts_with('-'),
        Some(Segment::Name(tokens)) => tokens.first() == Some(&Token::Character('-')),
        Some(Segment::AnyDepth) | None => false,
    }
}
