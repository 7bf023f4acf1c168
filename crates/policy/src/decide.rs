//! Decides on a call: its tool, files, hosts, names and commands, each by itself.

mod asker;

use tenon_contract::{Effect, HostClaim, Operation};
use tenon_programs::Catalogue;

use crate::commands::resolve::ResolvedCommands;
use crate::commands::{decide_command, stdin_commands};
use crate::decision::{Decision, Judgement, PartDecision, PartKind, Why};
use crate::engine::{Engine, Question};
use crate::parsed::ParsedCommands;
use crate::paths::PathResolver;
use crate::verdict::Verdict;

impl Engine {
    /// What holds for a call. `paths` follows the names that occur in command texts.
    #[must_use]
    pub fn decide(&self, question: &Question<'_>, paths: &dyn PathResolver) -> Decision {
        let commands = ResolvedCommands::new(paths, &ParsedCommands::default());
        self.decide_resolved(question, &commands)
    }

    /// The same for one of several questions about a call at one moment, whose commands are resolved once.
    #[must_use]
    pub fn decide_resolved(
        &self,
        question: &Question<'_>,
        commands: &ResolvedCommands<'_>,
    ) -> Decision {
        let access = question.access;
        let decision = self.judge_by(question, (commands, &self.catalogue));
        let Some(catalogue) = &self.untrusted else {
            return decision;
        };
        if access.commands.is_empty() && access.inputs.is_empty() {
            return decision;
        }
        // What is not trusted can only make stricter.
        let other = self.judge_by(question, (commands, catalogue));
        decision.with_stricter(other)
    }

    fn judge_by(
        &self,
        question: &Question<'_>,
        (commands, catalogue): (&ResolvedCommands<'_>, &Catalogue),
    ) -> Decision {
        let mut judgement = Judgement::default();
        let asker = asker::Asker {
            engine: self,
            question,
            dangerous: is_dangerous(question),
        };
        if !asker.tool(&mut judgement) {
            asker.files(commands.paths(), &mut judgement);
            asker.hosts(&mut judgement);
            asker.names(&mut judgement);
            for command in &question.access.commands {
                let resolved = commands.of(command, &self.directories, catalogue);
                decide_command(self, question, &resolved, &mut judgement);
            }
            for input in &question.access.inputs {
                let with = (commands, catalogue);
                stdin_commands::decide_input(self, question, input, with, &mut judgement);
            }
            if judgement.parts.is_empty() {
                asker.bare(&mut judgement);
            }
        }
        judgement.decision(question.tool)
    }

    /// The decision on one more host, such as that of a redirect, which is judged again: another host than the
    /// one before is at least asked.
    #[must_use]
    pub fn decide_redirect(&self, question: &Question<'_>, from: &str, to: &HostClaim) -> Decision {
        let mut judgement = Judgement::default();
        let asker = asker::Asker {
            engine: self,
            question,
            dangerous: is_dangerous(question),
        };
        asker.host(to, &mut judgement);
        // Where nothing was restricted there is no consent that a redirect could evade.
        let is_elsewhere = crate::host::normalise(from) != crate::host::normalise(&to.host);
        if is_elsewhere && !self.is_unrestricted() {
            let reason = format!("`{from}` redirects to another host, `{}`.", to.host);
            judgement.add(PartDecision::new(
                PartKind::Host,
                to.host.as_str(),
                Verdict::Ask,
                Why::sentence(reason),
            ));
        }
        judgement.decision(question.tool)
    }

    /// The decision on a host of which a page opens a document, or to which it `sends` something. It is that of a call
    /// with this address; sending asks unless a rule allows the host. Where nothing was restricted only `is_strict` does.
    #[must_use]
    pub fn decide_visit(
        &self,
        question: &Question<'_>,
        to: &HostClaim,
        sends: bool,
        is_strict: bool,
    ) -> Decision {
        let mut judgement = Judgement::default();
        let asker = asker::Asker {
            engine: self,
            question,
            dangerous: is_dangerous(question),
        };
        asker.host(to, &mut judgement);
        let is_allowed = || asker.is_allowed_host(&to.host);
        if sends && (is_strict || !self.is_unrestricted()) && !is_allowed() {
            let reason = format!("The page sends data to `{}`.", to.host);
            judgement.add(PartDecision::new(
                PartKind::Host,
                to.host.as_str(),
                Verdict::Ask,
                Why::sentence(reason),
            ));
        }
        if sends {
            asker.sending(&to.host, &mut judgement);
        }
        judgement.decision(question.tool)
    }
}

/// Whether a call changes files, runs something, sends something, or is not known.
fn is_dangerous(question: &Question<'_>) -> bool {
    let access = question.access;
    let touches =
        !access.writes.is_empty() || !access.deletes.is_empty() || !access.commands.is_empty();
    let types = !access.inputs.is_empty();
    touches
        || types
        || matches!(
            question.effect,
            Effect::Mutate | Effect::Execute | Effect::Unknown
        )
        || question.operation == Operation::WebRequest
        || speaks(question)
        // A page can send what it shows to the hosts that it may use.
        || (question.operation == Operation::Canvas && !access.hosts.is_empty())
}

/// Whether a call speaks to people outside, or has something done later.
const fn speaks(question: &Question<'_>) -> bool {
    matches!(question.operation, Operation::Message | Operation::Cron)
        && matches!(question.effect, Effect::Converse)
}
