//! What a decision says.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use schemars::JsonSchema;
use serde::Serialize;

use crate::rule::Rule;
use crate::verdict::Verdict;

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decision {
    /// What holds.
    pub verdict: Verdict,
    /// Why, in a sentence or two.
    pub reason: String,
    /// The rule or mode that decided.
    #[serde(rename = "matched_rule")]
    pub rule: Option<String>,
    /// Every rule that matched, of whatever list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<MatchedRule>,
    /// Everything that was judged, each with its own verdict: files, hosts, and each simple command of a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartDecision>,
    /// The smallest rules that, added to `permissions.allow`, would allow the call. Empty when it is allowed, and
    /// when no rule could allow it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestion: Vec<String>,
    /// Files and hosts that occur in command texts, as far as the text tells; for previews.
    #[serde(skip)]
    pub effects: Vec<TextEffect>,
}

/// A file or a host in a command text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextEffect {
    /// What happens to it.
    pub kind: PartKind,
    /// Its name, or the word as it is written where the name cannot be told.
    pub subject: String,
}

/// A rule that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchedRule {
    /// The rule as it was written.
    pub rule: String,
    /// The list in which it stands.
    pub list: Verdict,
    /// Its place in the list, from 0.
    pub index: usize,
    /// Why it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl From<&Rule> for MatchedRule {
    fn from(rule: &Rule) -> Self {
        Self {
            rule: rule.text.rule.clone(),
            list: rule.list,
            index: rule.index,
            because: rule.text.because.clone(),
        }
    }
}

/// The verdict on one thing that a call does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartDecision {
    /// What it does.
    pub kind: PartKind,
    /// The command as it is written, the path, the host.
    pub subject: String,
    /// What holds for it.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// The rule or mode that decided.
    #[serde(rename = "matched_rule")]
    pub rule: Option<String>,
    /// The rule that stands for exactly this part. Missing where no rule can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_rule: Option<String>,
    /// Whether an answer *always* may be remembered as that rule: never for opaque text, wrappers, interpreters (D2).
    #[serde(skip)]
    pub may_remember: bool,
}

/// What a part does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Uses the tool.
    Tool,
    /// Runs a simple command.
    Command,
    /// Reads a file or folder.
    Read,
    /// Creates or changes a file.
    Write,
    /// Removes a file or folder.
    Delete,
    /// Connects to a host.
    Host,
    /// Uses a skill or a sub-agent, by its name.
    Name,
    /// Sets a variable that can load or choose code.
    Variable,
    /// Changes the working folder.
    Folder,
    /// Something that cannot be told from the text.
    Unclear,
}

impl PartKind {
    /// How a sentence names it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Tool => "the tool",
            Self::Command => "the command",
            Self::Read => "reading",
            Self::Write => "writing",
            Self::Delete => "deleting",
            Self::Host => "the host",
            Self::Name => "using",
            Self::Variable => "the variable",
            Self::Folder => "the folder change",
            Self::Unclear => "the text",
        }
    }
}

/// Parts while they are collected, with the rules that matched.
#[derive(Debug, Default)]
pub(crate) struct Judgement<'r> {
    pub(crate) parts: Vec<PartDecision>,
    pub(crate) matched: Vec<&'r Rule>,
    effects: Vec<TextEffect>,
    /// Places in `parts`, found by what makes a part another one.
    known: HashTable<usize>,
    /// Places in `effects`.
    known_effects: HashTable<usize>,
    /// Keyed anew for each judgement: no text can be written to fill one slot of the tables.
    hasher: DefaultHashBuilder,
}

fn part_key(part: &PartDecision) -> (PartKind, &str, Verdict) {
    (part.kind, &part.subject, part.verdict)
}

impl<'r> Judgement<'r> {
    /// Adds a part, once.
    pub(crate) fn add(&mut self, part: PartDecision) {
        let hash = self.hasher.hash_one(part_key(&part));
        let parts = &self.parts;
        let key = |place: &usize| parts.get(*place).map(part_key);
        let same = |place: &usize| key(place) == Some(part_key(&part));
        if self.known.find(hash, same).is_none() {
            let hasher = &self.hasher;
            let again = |place: &usize| key(place).map_or(0, |key| hasher.hash_one(key));
            self.known.insert_unique(hash, parts.len(), again);
            self.parts.push(part);
        }
    }

    /// Adds what another judgement refuses or asks about, and none of what it allows.
    pub(crate) fn add_refusals(&mut self, other: Self) {
        for effect in other.effects {
            self.effect(effect.kind, &effect.subject);
        }
        for rule in other.matched {
            if rule.list != Verdict::Allow {
                self.matched(rule);
            }
        }
        for mut part in other.parts {
            if part.verdict != Verdict::Allow {
                // A rule for a part of what is typed would not stand for typing it.
                part.exact_rule = None;
                part.may_remember = false;
                self.add(part);
            }
        }
    }

    /// Adds something that a text does to a file or host, once.
    pub(crate) fn effect(&mut self, kind: PartKind, subject: &str) {
        let hash = self.hasher.hash_one((kind, subject));
        let effects = &self.effects;
        let key = |place: &usize| effects.get(*place).map(|own| (own.kind, &*own.subject));
        let same = |place: &usize| key(place) == Some((kind, subject));
        if self.known_effects.find(hash, same).is_none() {
            let hasher = &self.hasher;
            let again = |place: &usize| key(place).map_or(0, |key| hasher.hash_one(key));
            self.known_effects.insert_unique(hash, effects.len(), again);
            self.effects.push(TextEffect {
                kind,
                subject: subject.to_owned(),
            });
        }
    }

    pub(crate) fn matched(&mut self, rule: &'r Rule) {
        if !self.matched.iter().any(|known| std::ptr::eq(*known, rule)) {
            self.matched.push(rule);
        }
    }

    /// The strictest part decides (D1).
    pub(crate) fn decision(self, tool: &str) -> Decision {
        let verdict = self
            .parts
            .iter()
            .map(|part| part.verdict)
            .max()
            .unwrap_or(Verdict::Ask);
        let deciding: Vec<&PartDecision> = self
            .parts
            .iter()
            .filter(|part| part.verdict == verdict)
            .collect();
        let reason = match deciding.as_slice() {
            [] => format!("Nothing is known of what `{tool}` does."),
            [only] => only.reason.clone(),
            [first, ..] if verdict == Verdict::Allow => first.reason.clone(),
            [first, rest @ ..] => format!(
                "{} The same verdict holds for {} more of its parts.",
                first.reason,
                rest.len()
            ),
        };
        let rule = deciding.first().and_then(|part| part.rule.clone());
        let suggestion = self.suggestion(verdict);
        let mut matched: Vec<MatchedRule> =
            self.matched.into_iter().map(MatchedRule::from).collect();
        matched.sort_by_key(|rule| (std::cmp::Reverse(rule.list), rule.index));
        Decision {
            verdict,
            reason,
            rule,
            matched,
            parts: self.parts,
            suggestion,
            effects: self.effects,
        }
    }

    fn suggestion(&self, verdict: Verdict) -> Vec<String> {
        if verdict == Verdict::Allow || self.matched.iter().any(|rule| rule.list != Verdict::Allow)
        {
            return Vec::new();
        }
        let mut rules = Vec::new();
        let mut known = HashSet::new();
        for part in self
            .parts
            .iter()
            .filter(|part| part.verdict != Verdict::Allow)
        {
            match &part.exact_rule {
                Some(rule) => {
                    if known.insert(rule.as_str()) {
                        rules.push(rule.clone());
                    }
                }
                None => return Vec::new(),
            }
        }
        rules
    }
}
