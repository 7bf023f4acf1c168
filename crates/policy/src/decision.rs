//! What a decision says.

mod explanation;
mod part;

pub(crate) use part::{Cause, Exact, Why};
pub use part::{PartDecision, PartKind};

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::path::PathBuf;

use compact_str::CompactString;
use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::display::is_plain;
use crate::rule::Rule;
use crate::sources::{Source, SourceSet};
use crate::verdict::Verdict;

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What holds.
    pub verdict: Verdict,
    /// Why, in a sentence or two.
    pub reason: String,
    /// The rule that decided, as it was written, else the setting that did.
    pub rule: Option<String>,
    /// The list in which that rule stands. Nothing where no rule decided.
    pub list: Option<Verdict>,
    /// What was decided on: what the deciding part does, and to what.
    pub about: Option<(PartKind, String)>,
    /// Every rule that matched, of whatever list.
    pub matched: Vec<MatchedRule>,
    /// Everything that was judged, each with its own verdict: files, hosts, and each simple command of a text.
    pub parts: Vec<PartDecision>,
    pub(crate) effects: Vec<TextEffect>,
    /// The files of the workspace that a command text runs, by absolute paths.
    pub(crate) scripts: Vec<PathBuf>,
}

impl Decision {
    /// A refusal before anything was judged.
    #[must_use]
    pub fn refusal(reason: String, rule: String) -> Self {
        Self {
            verdict: Verdict::Deny,
            reason,
            rule: Some(rule),
            list: None,
            about: None,
            matched: Vec::new(),
            parts: Vec::new(),
            effects: Vec::new(),
            scripts: Vec::new(),
        }
    }

    /// Whether every character of its texts can be seen, as in most.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        let subjects = self.parts.iter().map(|part| part.subject.as_str());
        let mut texts = subjects.chain([self.reason.as_str()]);
        texts.all(is_plain)
    }

    /// Whether it is the answer to a call of a tool that the agent does not have.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.verdict == Verdict::Deny
            && self.rule.is_some()
            && self.parts.is_empty()
            && self.about.is_none()
    }

    /// The stricter of two decisions on the same call, with all that the other one refuses.
    pub(crate) fn with_stricter(self, other: Self) -> Self {
        fn join<T: PartialEq>(own: &mut Vec<T>, others: impl IntoIterator<Item = T>) {
            for other in others {
                if !own.contains(&other) {
                    own.push(other);
                }
            }
        }
        let (mut own, other) = match other.verdict > self.verdict {
            true => (other, self),
            false => (self, other),
        };
        let refused = |part: &PartDecision| part.verdict != Verdict::Allow;
        join(&mut own.parts, other.parts.into_iter().filter(refused));
        join(&mut own.matched, other.matched);
        join(&mut own.effects, other.effects);
        join(&mut own.scripts, other.scripts);
        own
    }

    /// The files of the workspace that a command text runs, by absolute paths: an answer is for what they hold now.
    #[must_use]
    pub fn scripts(&self) -> &[PathBuf] {
        &self.scripts
    }

    /// The answer to a call that fails before anything of it can be judged.
    #[must_use]
    pub fn failure(reason: String) -> Self {
        Self {
            rule: None,
            ..Self::refusal(reason, String::new())
        }
    }

    /// The sources after which those rules hold that deny or ask about the call only because of what was read before.
    #[must_use]
    pub fn after(&self) -> SourceSet {
        let sources = self.matched.iter().flat_map(|rule| rule.after.iter());
        sources.copied().collect()
    }

    /// Files and hosts that occur in command texts, as far as the text shows, each once; for previews.
    #[must_use]
    pub fn effects(&self) -> Vec<&TextEffect> {
        let mut known = HashSet::with_capacity(self.effects.len());
        let effects = self.effects.iter();
        effects
            .filter(|effect| known.insert((effect.kind, effect.subject())))
            .collect()
    }

    /// The smallest rules that, added to `permissions.allow`, would allow the call. Empty when it is allowed, and when
    /// no rule could allow it.
    #[must_use]
    pub fn suggestion(&self) -> Vec<String> {
        let strict = |rule: &MatchedRule| rule.list != Verdict::Allow;
        if self.verdict == Verdict::Allow || self.matched.iter().any(strict) {
            return Vec::new();
        }
        let refused = self
            .parts
            .iter()
            .filter(|part| part.verdict != Verdict::Allow);
        let rules: Option<Vec<String>> = refused.map(PartDecision::exact_rule).collect();
        let mut rules = rules.unwrap_or_default();
        let mut known = HashSet::new();
        rules.retain(|rule| known.insert(rule.clone()));
        rules
    }
}

/// The answer to one call.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Decision")]
struct DecisionView<'d> {
    /// What holds.
    verdict: Verdict,
    /// Why, in a sentence or two.
    reason: &'d str,
    /// The rule that decided, as it was written, else the setting that did.
    matched_rule: Option<&'d str>,
    /// The list in which that rule stands. Missing where no rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Verdict>,
    /// Every rule that matched, of whatever list.
    #[serde(default, skip_serializing_if = "<[MatchedRule]>::is_empty")]
    matched: &'d [MatchedRule],
    /// Everything that was judged, each with its own verdict: files, hosts, and each simple command of a text.
    #[serde(default, skip_serializing_if = "<[PartDecision]>::is_empty")]
    parts: &'d [PartDecision],
    /// The smallest rules that, added to `permissions.allow`, would allow the call. Empty when it is allowed, and
    /// when no rule could allow it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    suggestion: Vec<String>,
    /// For a dialog, where approval is required: what would happen, why it requires approval, and the smallest rule that
    /// would allow it, or that none is safe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = DecisionView {
            verdict: self.verdict,
            reason: &self.reason,
            matched_rule: self.rule.as_deref(),
            list: self.list,
            matched: &self.matched,
            parts: &self.parts,
            suggestion: self.suggestion(),
            explanation: (self.verdict == Verdict::Ask).then(|| self.explanation()),
        };
        view.serialize(serializer)
    }
}

impl JsonSchema for Decision {
    fn schema_name() -> Cow<'static, str> {
        DecisionView::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        DecisionView::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        DecisionView::json_schema(generator)
    }
}

/// A file or a host in a command text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEffect {
    /// What happens to it.
    pub kind: PartKind,
    subject: CompactString,
    is_as_written: bool,
}

impl TextEffect {
    /// Its name, or the word as it is written where the name cannot be determined.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Whether the name led to the place below the workspace root that it says, over no link, when that was judged. Of others it was not
    /// asked.
    #[must_use]
    pub const fn is_as_written(&self) -> bool {
        self.is_as_written
    }
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
    /// The sources after which it holds, one of which was read. Missing where it always holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Source>,
}

impl From<&Rule> for MatchedRule {
    fn from(rule: &Rule) -> Self {
        Self {
            rule: rule.text.rule.clone(),
            list: rule.list,
            index: rule.index,
            because: rule.text.because.clone(),
            after: rule.after.iter().collect(),
        }
    }
}

/// Fewer parts are compared one by one, which takes less than a table.
const FEW_PARTS: usize = 8;

/// How many files that a text runs are noted.
const MOST_SCRIPTS: usize = 64;

/// Parts while they are collected, with the rules that matched.
#[derive(Debug, Default)]
pub(crate) struct Judgement<'r> {
    pub(crate) parts: Vec<PartDecision>,
    matched: Vec<&'r Rule>,
    /// The same, by their addresses: a use can match hundreds of rules.
    noted: HashSet<*const Rule>,
    /// Some of them several times.
    effects: Vec<TextEffect>,
    scripts: Vec<PathBuf>,
    /// Places in `parts`, found by what makes a part another one, from [`FEW_PARTS`] on.
    known: HashTable<usize>,
    /// With a fresh key for each judgement: no text can be written to fill one slot of the table.
    hasher: DefaultHashBuilder,
}

fn part_key(part: &PartDecision) -> (PartKind, &str, Verdict) {
    (part.kind, part.subject(), part.verdict)
}

impl<'r> Judgement<'r> {
    /// Makes room for so many more parts.
    pub(crate) fn expect(&mut self, count: usize) {
        if self.parts.len() + count > FEW_PARTS {
            let (hasher, parts) = (&self.hasher, &self.parts);
            self.known.reserve(count, |place| {
                let part = parts.get(*place);
                part.map_or(0, |part| hasher.hash_one(part_key(part)))
            });
        }
        self.parts.reserve(count);
    }

    /// Adds a part, once.
    pub(crate) fn add(&mut self, part: PartDecision) {
        let place = self.place_of(&part);
        if let Some(known) = place.and_then(|place| self.parts.get_mut(place)) {
            // The same words stand here and there in the text; what is remembered is for all of them.
            known.is_bound |= part.is_bound;
            known.may_remember &= part.may_remember;
            return;
        }
        self.parts.push(part);
        match self.parts.len() {
            few if few < FEW_PARTS => {}
            FEW_PARTS => (0..FEW_PARTS).for_each(|place| self.note_place(place)),
            many => self.note_place(many - 1),
        }
    }

    /// Where the same part is.
    fn place_of(&self, part: &PartDecision) -> Option<usize> {
        let (parts, key) = (&self.parts, part_key(part));
        if parts.len() < FEW_PARTS {
            return parts.iter().position(|known| part_key(known) == key);
        }
        let same = |place: &usize| parts.get(*place).map(part_key) == Some(key);
        let hash = self.hasher.hash_one(key);
        self.known.find(hash, same).copied()
    }

    /// Makes the part at this place known.
    fn note_place(&mut self, place: usize) {
        let (hasher, parts) = (&self.hasher, &self.parts);
        let hash_of = |place: &usize| {
            let part = parts.get(*place);
            part.map_or(0, |part| hasher.hash_one(part_key(part)))
        };
        self.known.insert_unique(hash_of(&place), place, hash_of);
    }

    /// Adds what another judgement refuses or asks about, and none of what it allows.
    pub(crate) fn add_refusals(&mut self, other: Self) {
        self.effects.extend(other.effects);
        other
            .scripts
            .into_iter()
            .for_each(|script| self.script(script));
        for rule in other.matched {
            if rule.list != Verdict::Allow {
                self.matched(rule);
            }
        }
        for mut part in other.parts {
            if part.verdict != Verdict::Allow {
                // A rule for a part of what is typed would not stand for typing it.
                part.exact = Exact::None;
                part.may_remember = false;
                self.add(part);
            }
        }
    }

    /// Adds something that a text does to a file or host.
    pub(crate) fn effect(&mut self, kind: PartKind, subject: &str) {
        self.effects.push(TextEffect {
            kind,
            subject: subject.into(),
            is_as_written: false,
        });
    }

    /// Adds something that a text does to a file that is where its name says.
    pub(crate) fn effect_as_written(&mut self, kind: PartKind, subject: &str) {
        self.effects.push(TextEffect {
            kind,
            subject: subject.into(),
            is_as_written: true,
        });
    }

    /// Adds a file that a text runs, once.
    pub(crate) fn script(&mut self, script: PathBuf) {
        if self.scripts.len() < MOST_SCRIPTS && !self.scripts.contains(&script) {
            self.scripts.push(script);
        }
    }

    /// What a text does to files and hosts.
    pub(crate) fn effects(&self) -> &[TextEffect] {
        &self.effects
    }

    /// The strictest verdict on a part; nothing that is known is asked about.
    pub(crate) fn verdict(&self) -> Verdict {
        let verdicts = self.parts.iter().map(|part| part.verdict);
        verdicts.max().unwrap_or(Verdict::Ask)
    }

    pub(crate) fn matched(&mut self, rule: &'r Rule) {
        let is_last = |last: &&Rule| std::ptr::eq(*last, rule);
        if !self.matched.last().is_some_and(is_last) && self.noted.insert(rule) {
            self.matched.push(rule);
        }
    }

    /// The strictest part decides (docs/policy.md, "The verdict").
    pub(crate) fn decision(self, tool: &str) -> Decision {
        let verdict = self.verdict();
        let mut deciding = self.parts.iter().filter(|part| part.verdict == verdict);
        let first = deciding.next();
        let reason = match (first.map(PartDecision::reason), deciding.count()) {
            (None, _) => format!("What `{tool}` does is not known."),
            (Some(reason), 0) => reason,
            (Some(reason), _) if verdict == Verdict::Allow => reason,
            (Some(reason), more) => {
                let parts = if more == 1 { "part" } else { "parts" };
                let reason = reason.trim_end_matches('.');
                format!("{reason} (and {more} other {parts}).")
            }
        };
        let rule = first.and_then(PartDecision::rule);
        let list = first.and_then(PartDecision::list);
        let about = first.map(|part| (part.kind, part.subject().to_owned()));
        let mut matched: Vec<MatchedRule> =
            self.matched.into_iter().map(MatchedRule::from).collect();
        matched.sort_by_key(|rule| (std::cmp::Reverse(rule.list), rule.index));
        Decision {
            verdict,
            reason,
            rule,
            list,
            about,
            matched,
            parts: self.parts,
            effects: self.effects,
            scripts: self.scripts,
        }
    }
}
