//! Files in commands (B9): those of redirections need the decision of the file tools, those of operands are
//! compared with deny and ask rules.

use std::borrow::Cow;
use std::path::Path;

use smallvec::smallvec;
use tenon_contract::{Operation, PathClaim};
use tenon_shell::{FileUse, Redirection, Word};

use super::Context;
use super::ground::{Folder, State};
use crate::decision::{Judgement, PartDecision, PartKind};
use crate::engine::told;
use crate::glob::{Segment, Token};
use crate::paths::{ClaimPlaces, Resolved};
use crate::protected::protected_name;
use crate::rule::{Kind, Rule};
use crate::rules::User;
use crate::verdict::Verdict;

/// How strictly a file in a command is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    /// Like a use by a file tool: it must be allowed.
    Full,
    /// Only rules that deny or ask count.
    Strict,
}

/// Descriptors and what takes or gives nothing.
fn is_free(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr"
    ) || path.strip_prefix("/dev/fd/").is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

pub(crate) const fn part_kind(kind: Kind) -> PartKind {
    match kind {
        Kind::Write => PartKind::Write,
        Kind::Delete => PartKind::Delete,
        _ => PartKind::Read,
    }
}

impl<'e> Context<'e, '_> {
    pub(crate) fn user(&self) -> User<'_> {
        User {
            operation: Operation::Execute,
            tool: self.question.tool,
        }
    }

    /// The files of a redirection.
    pub(crate) fn redirection(
        &self,
        redirection: &Redirection,
        state: State,
        duty: Duty,
        judgement: &mut Judgement<'e>,
    ) {
        let kinds: &[Kind] = match redirection.file_use() {
            FileUse::Read => &[Kind::Read],
            FileUse::Write => &[Kind::Write],
            FileUse::ReadWrite => &[Kind::Read, Kind::Write],
            FileUse::None => &[],
        };
        for kind in kinds {
            self.file(*kind, &redirection.target, state, duty, false, judgement);
        }
    }

    /// Deny rules, then ask rules.
    pub(crate) fn strict_rules(&self) -> impl Iterator<Item = &'e Rule> {
        let rules = self.engine.rules.rules.iter();
        rules.filter(|rule| rule.list != Verdict::Allow)
    }

    /// Looks at the places that a path leads to.
    pub(crate) fn at<T>(
        &self,
        folder: Folder,
        path: &str,
        look: impl FnOnce(&ClaimPlaces<'_>) -> T,
    ) -> T {
        let name = self.ground.follow(folder, path);
        match &name.resolved {
            Resolved::Inside { claim, .. } => {
                look(&ClaimPlaces::new(claim, &self.engine.root_parts))
            }
            Resolved::Outside => {
                let claim = outside_claim(&self.ground.path(folder), path);
                look(&ClaimPlaces::new(&claim, &self.engine.root_parts))
            }
        }
    }

    pub(crate) fn file(
        &self,
        kind: Kind,
        word: &Word,
        state: State,
        duty: Duty,
        recursive: bool,
        judgement: &mut Judgement<'e>,
    ) {
        let Some(path) = word.literal() else {
            return self.opaque(kind, word, state, duty, judgement);
        };
        if is_free(path) {
            return;
        }
        let Some(folders) = self.ground.candidates(state) else {
            return self.homeless(kind, path, duty, judgement);
        };
        for folder in folders {
            match &self.ground.follow(folder, path).resolved {
                Resolved::Inside { claim, is_folder } => {
                    judgement.effect(part_kind(kind), &claim.name);
                    let places = ClaimPlaces::new(claim, &self.engine.root_parts);
                    self.inside(kind, claim, &places, duty, judgement);
                    if recursive && *is_folder {
                        self.below(kind, claim, &places, judgement);
                    }
                }
                Resolved::Outside => {
                    judgement.effect(part_kind(kind), path);
                    self.outside(kind, folder, path, duty, judgement);
                }
            }
        }
    }

    fn inside(
        &self,
        kind: Kind,
        claim: &PathClaim,
        places: &ClaimPlaces<'_>,
        duty: Duty,
        judgement: &mut Judgement<'e>,
    ) {
        let user = self.user();
        let bound = self.engine.file_rules(kind, places, user, judgement);
        let full = duty == Duty::Full && !self.open;
        // Most files are read by commands that are allowed, and no rule is about them.
        if !full && bound.strict.is_none() && bound.protected.is_none() {
            return;
        }
        let allowed = bound.allowing.is_some() || self.engine.mode.verdict(true) == Verdict::Allow;
        if full || bound.strict.is_some() || allowed {
            let part = self
                .engine
                .file_part(kind, claim, user.operation, true, &bound);
            judgement.add(part);
        } else if let Some(name) = bound.protected {
            // The mode may be stricter than the protection; the name still needs a look.
            judgement.add(self.floor(
                part_kind(kind),
                &claim.name,
                format!("`{}` is protected (`{name}`).", claim.name),
            ));
        }
    }

    /// A folder of which everything is read, changed or removed.
    fn below(
        &self,
        kind: Kind,
        claim: &PathClaim,
        places: &ClaimPlaces<'_>,
        judgement: &mut Judgement<'e>,
    ) {
        if let Some(rule) = self.engine.rules.strict_on_files().find(|rule| {
            rule.may_bind_below(kind, places) && !rule.binds_file(kind, places, self.user())
        }) {
            judgement.matched(rule);
            let reason = format!(
                "`{}` is used with everything below it, which may hold files that the rule `{}` protects.",
                claim.name, rule.text.rule
            );
            judgement.add(PartDecision {
                rule: Some(rule.name()),
                ..self.floor(part_kind(kind), &format!("{}/**", claim.name), reason)
            });
        }
    }

    fn outside(
        &self,
        kind: Kind,
        folder: Folder,
        path: &str,
        duty: Duty,
        judgement: &mut Judgement<'e>,
    ) {
        let rule = self.at(folder, path, |places| {
            let mut rules = self.engine.rules.strict_on_files();
            rules.find(|rule| rule.binds_file(kind, places, self.user()))
        });
        if let Some(rule) = rule {
            judgement.matched(rule);
            judgement.add(self.strict_part(kind, path, rule));
        } else if duty == Duty::Full && !self.open {
            let reason = format!(
                "`{path}` lies outside of the workspace, or it cannot be made out where it leads."
            );
            judgement.add(self.floor(part_kind(kind), path, reason));
        }
    }

    fn strict_part(&self, kind: Kind, subject: &str, rule: &Rule) -> PartDecision {
        let kind = part_kind(kind);
        PartDecision {
            verdict: rule.list,
            rule: Some(rule.name()),
            ..self.floor(kind, subject, told(rule, kind.words(), subject))
        }
    }

    /// A literal path whose folder is not known.
    fn homeless(&self, kind: Kind, path: &str, duty: Duty, judgement: &mut Judgement<'e>) {
        if path.starts_with('/') {
            return self.file(
                kind,
                &Word::synthetic(path, tenon_shell::Span::new(0, 0)),
                self.ground
                    .state(smallvec![self.ground.folder(Path::new("/").to_owned())]),
                duty,
                false,
                judgement,
            );
        }
        let mut form = vec![Segment::AnyDepth];
        form.extend(
            crate::paths::parts(Path::new(path))
                .iter()
                .map(|part| Segment::Name(part.chars().map(Token::Character).collect())),
        );
        self.perhaps(
            kind,
            path,
            Some(&form),
            duty,
            "the folder that it is relative to is not known",
            judgement,
        );
    }

    /// A word that cannot be told from the text.
    fn opaque(
        &self,
        kind: Kind,
        word: &Word,
        state: State,
        duty: Duty,
        judgement: &mut Judgement<'e>,
    ) {
        let shown = self
            .claim
            .text
            .get(word.span.start..word.span.end)
            .unwrap_or("$…")
            .to_owned();
        judgement.effect(part_kind(kind), &shown);
        let writes = matches!(kind, Kind::Write | Kind::Delete);
        let prefix = word.prefix();
        let place = crate::glob::Place {
            absolute: prefix.split('/').map(Cow::Borrowed).collect(),
            below: Some(0),
        };
        let protected = writes.then(|| protected_name(&place)).flatten();
        if let Some(name) = protected {
            judgement.add(self.floor(
                part_kind(kind),
                &shown,
                format!("`{shown}` may be below the protected name `{name}`."),
            ));
        }
        let folders = self.ground.candidates(state);
        let forms: Option<Vec<Vec<Segment>>> = folders.and_then(|folders| {
            folders
                .iter()
                .map(|folder| {
                    let folder = self.ground.path(*folder);
                    let below = folder.strip_prefix(&self.engine.root).ok()?;
                    crate::shell_pattern::form(&crate::paths::parts(below), word)
                })
                .collect()
        });
        let why = "it cannot be told from the text which file that is";
        match forms {
            None => self.perhaps(kind, &shown, None, duty, why, judgement),
            Some(forms) => {
                for form in forms {
                    self.perhaps(kind, &shown, Some(&form), duty, why, judgement);
                }
            }
        }
    }

    fn perhaps(
        &self,
        kind: Kind,
        shown: &str,
        form: Option<&[Segment]>,
        duty: Duty,
        why: &str,
        judgement: &mut Judgement<'e>,
    ) {
        if self.open {
            return;
        }
        let rule = self
            .strict_rules()
            .find(|rule| rule.may_bind_form(kind, form));
        let part = part_kind(kind);
        if let Some(rule) = rule {
            judgement.matched(rule);
            let reason = format!(
                "{} `{shown}` may be what the rule `{}` is about: {why}.",
                capital(part.words()),
                rule.text.rule
            );
            judgement.add(PartDecision {
                rule: Some(rule.name()),
                ..self.floor(part, shown, reason)
            });
        } else if duty == Duty::Full {
            judgement.add(self.floor(
                part,
                shown,
                format!("{} `{shown}`: {why}.", capital(part.words())),
            ));
        }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// A place outside, as far as its text tells.
fn outside_claim(folder: &Path, path: &str) -> PathClaim {
    let target = crate::paths::parts(&folder.join(path))
        .iter()
        .fold(std::path::PathBuf::from("/"), |whole, part| {
            whole.join(part)
        });
    PathClaim {
        name: target.to_string_lossy().into_owned(),
        target,
    }
}
