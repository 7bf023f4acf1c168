//! The files, hosts and the tool of one question.

use tenon_contract::{Effect, HostClaim, Operation};

use crate::command_pattern::Fit;
use crate::decision::{Exact, Judgement, PartDecision, PartKind, Why};
use crate::engine::{Engine, Question, rule_name};
use crate::name_pattern::exact_name;
use crate::paths::PathResolver;
use crate::rule::{Kind, Pattern, Rule, Subject, kind_of};
use crate::rules::User;
use crate::shared::{SharedFiles, other_name, shared_file};
use crate::verdict::Verdict;

/// One question with what it takes to answer it.
pub(crate) struct Asker<'e, 'q> {
    pub(crate) engine: &'e Engine,
    pub(crate) question: &'q Question<'q>,
    pub(crate) dangerous: bool,
}

impl<'e> Asker<'e, '_> {
    fn user(&self) -> User<'_> {
        User {
            operation: self.question.operation,
            tool: self.question.tool,
            arguments: &self.question.access.arguments,
        }
    }

    /// Rules on the whole tool. Returns whether it is denied as a whole.
    pub(crate) fn tool(&self, judgement: &mut Judgement<'e>) -> bool {
        let whole = |rule: &&Rule| {
            let own = kind_of(self.question.operation);
            let by_arguments = matches!(&rule.pattern, Pattern::Arguments(pattern)
                if rule.subject.names(self.question.operation, self.question.tool)
                    && pattern.binds(&self.question.access.arguments));
            let sends = rule.subject == Subject::NetworkWrite && sends(self.question);
            by_arguments
                || sends
                || rule.pattern == Pattern::Any
                    && (rule.subject.names(self.question.operation, self.question.tool)
                    // `Edit` without a path means every way of changing a file.
                    || (own != Kind::None && own != Kind::Read && rule.binds(own))
                    || (own == Kind::Read && rule.binds(Kind::Read)))
        };
        let mut strictest: Option<&'e Rule> = None;
        for rule in self
            .engine
            .rules
            .rules
            .iter()
            .filter(|rule| rule.list != Verdict::Allow)
            .filter(whole)
        {
            judgement.matched(rule);
            if strictest.is_none_or(|known| known.list < rule.list) {
                strictest = Some(rule);
            }
        }
        if let Some(rule) = strictest {
            judgement.add(self.engine.weigh(
                PartKind::Tool,
                self.question.tool,
                Some(rule),
                None,
                self.dangerous,
            ));
        }
        strictest.is_some_and(|rule| rule.list == Verdict::Deny)
    }

    pub(crate) fn files(&self, paths: &dyn PathResolver, judgement: &mut Judgement<'e>) {
        let access = self.question.access;
        self.other_names(paths, judgement);
        let uses = [
            (Kind::Write, &access.writes),
            (Kind::Delete, &access.deletes),
            (Kind::Read, &access.reads),
        ];
        for (kind, claims) in uses {
            for claim in claims {
                let part = self
                    .engine
                    .file(kind, claim, self.user(), self.dangerous, judgement);
                // What an edit reads is reported only where it decides something by itself.
                let echo = kind == Kind::Read && access.changed().any(|changed| changed == claim);
                if !echo || matches!(part.why, Why::Rule(_)) && part.verdict != Verdict::Allow {
                    judgement.add(part);
                }
            }
        }
    }

    /// Files that are read under a name of which no rule knows (hard links). What a tool writes gets a file of its own,
    /// so that other names keep what they had.
    fn other_names(&self, paths: &dyn PathResolver, judgement: &mut Judgement<'e>) {
        let reads = &self.question.access.reads;
        if reads.is_empty() || !self.engine.rules.names_files {
            return;
        }
        let mut known = None;
        for claim in reads {
            let Some(identity) = shared_file(paths, &claim.target) else {
                continue;
            };
            let files = known.get_or_insert_with(|| SharedFiles::find(self.engine, paths));
            let about = |rule: &Rule| rule.is_about(Kind::Read, self.user());
            if let Some(rule) = files.rule(self.engine, identity, about) {
                judgement.matched(rule);
                judgement.add(other_name(PartKind::Read, &claim.name, rule));
            }
        }
    }

    pub(crate) fn hosts(&self, judgement: &mut Judgement<'e>) {
        for claim in &self.question.access.hosts {
            self.host(claim, judgement);
        }
    }

    /// Whether a rule allows this host.
    pub(crate) fn is_allowed_host(&self, host: &str) -> bool {
        let mut allow = self.engine.rules.of(Verdict::Allow);
        allow.any(|rule| rule.allows_host(host, self.user()))
    }

    pub(crate) fn host(&self, claim: &HostClaim, judgement: &mut Judgement<'e>) {
        let rules = &self.engine.rules;
        let bound = |rule: &&Rule| rule.binds_host(Some(&claim.host), self.user()) == Fit::Yes;
        let strict = rules
            .of(Verdict::Deny)
            .find(bound)
            .or_else(|| rules.of(Verdict::Ask).find(bound));
        let allowing = rules
            .of(Verdict::Allow)
            .find(|rule| rule.allows_host(&claim.host, self.user()));
        for rule in strict.into_iter().chain(allowing) {
            judgement.matched(rule);
        }
        let mut part = self.engine.weigh(
            PartKind::Host,
            claim.host.as_str(),
            strict,
            allowing,
            self.dangerous,
        );
        let tool = rule_name(Kind::Host, self.question.operation);
        let host = crate::host::normalise(&claim.host);
        part.exact = host.map(|host| format!("{tool}(domain:{host})")).into();
        part.may_remember = part.exact.is_some();
        judgement.add(part);
    }

    /// The rules on sending something to this host.
    pub(crate) fn sending(&self, host: &str, judgement: &mut Judgement<'e>) {
        let rules = &self.engine.rules;
        let mut strict = rules.of(Verdict::Deny).chain(rules.of(Verdict::Ask));
        if let Some(rule) = strict.find(|rule| rule.subject == Subject::NetworkWrite) {
            judgement.matched(rule);
            judgement.add(self.engine.weigh(
                PartKind::Host,
                host,
                Some(rule),
                None,
                self.dangerous,
            ));
        }
    }

    /// What the call uses by its name alone. A rule on the tool that names nothing has decided before.
    pub(crate) fn names(&self, judgement: &mut Judgement<'e>) {
        let rules = &self.engine.rules;
        let whole = |rule: &&Rule| {
            rule.pattern == Pattern::Any
                && rule
                    .subject
                    .names(self.question.operation, self.question.tool)
        };
        for name in &self.question.access.names {
            let also = &self.question.access.also_named;
            let named = |rule: &&Rule| {
                let mut names = std::iter::once(name).chain(also);
                names.any(|name| rule.names_used(name, self.user()))
            };
            let strict = rules
                .of(Verdict::Deny)
                .find(named)
                .or_else(|| rules.of(Verdict::Ask).find(named));
            let mut allow = rules.of(Verdict::Allow);
            let allowing = allow.find(|rule| named(rule) || whole(rule));
            for rule in strict.into_iter().chain(allowing) {
                judgement.matched(rule);
            }
            let mut part = self.engine.weigh(
                PartKind::Name,
                name.as_str(),
                strict,
                allowing,
                self.dangerous,
            );
            let tool = rule_name(Kind::Name, self.question.operation);
            part.exact = exact_name(name)
                .map(|name| format!("{tool}({name})"))
                .into();
            part.may_remember = part.exact.is_some();
            judgement.add(part);
        }
    }

    /// A call that does not say what it touches.
    pub(crate) fn bare(&self, judgement: &mut Judgement<'e>) {
        if let [session, ..] = self.question.access.sessions.as_slice() {
            // Looking at a command and ending it is part of running it, and that was judged.
            let reason = format!("It manages the command `{session}`, which was allowed to run.");
            judgement.add(PartDecision::new(
                PartKind::Tool,
                self.question.tool,
                Verdict::Allow,
                Why::sentence(reason),
            ));
            return;
        }
        if self.question.operation == Operation::Message && self.question.effect == Effect::Observe
        {
            let reason = "It only shows the channels of the application.".to_owned();
            judgement.add(PartDecision::new(
                PartKind::Tool,
                self.question.tool,
                Verdict::Allow,
                Why::sentence(reason),
            ));
            return;
        }
        let names = |rule: &&Rule| {
            let fits = match &rule.pattern {
                Pattern::Any => true,
                Pattern::Arguments(pattern) => pattern.allows(&self.question.access.arguments),
                _ => false,
            };
            fits && rule
                .subject
                .names(self.question.operation, self.question.tool)
        };
        let allowing = self.engine.rules.of(Verdict::Allow).find(names);
        if let Some(rule) = allowing {
            judgement.matched(rule);
        }
        let mut part = self.engine.weigh(
            PartKind::Tool,
            self.question.tool,
            None,
            allowing,
            self.dangerous,
        );
        part.exact = Exact::Rule(self.question.tool.to_owned());
        judgement.add(part);
    }
}

/// Whether a call sends something to other machines, as far as its tool says: not a command, whose text is judged by
/// rules on commands, and not a page that is only asked for.
fn sends(question: &Question<'_>) -> bool {
    let acts = matches!(
        question.effect,
        Effect::Mutate | Effect::Execute | Effect::Unknown
    );
    match question.operation {
        Operation::WebRequest => true,
        Operation::Foreign => acts && question.access.writes.is_empty(),
        Operation::Canvas => !question.access.hosts.is_empty(),
        _ => false,
    }
}
