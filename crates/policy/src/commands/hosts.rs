//! Web addresses in commands against rules that deny or ask for hosts.

use tenon_contract::Operation;
use tenon_shell::Invocation;

use super::Context;
use super::ground::State;
use super::operands::Seen;
use crate::command_pattern::Fit;
use crate::decision::{Judgement, PartKind, Why};
use crate::host::{Address, normalise, of_address};
use crate::rule::Kind;
use crate::rules::User;

/// Programs whose operands are addresses even without a scheme.
const CLIENTS: &[&str] = &[
    "curl", "wget", "http", "https", "xh", "nc", "ncat", "telnet", "ping", "ssh", "lynx", "w3m",
    "nslookup", "dig", "host",
];

impl<'e> Context<'e, '_> {
    /// Compares every address among the words.
    pub(super) fn hosts<'i>(
        &self,
        invocation: &'i Invocation,
        seen: &mut Seen<'i>,
        judgement: &mut Judgement<'e>,
    ) {
        let bound = !self.open && self.hosts_bound;
        let client = invocation
            .base_name()
            .is_some_and(|name| CLIENTS.contains(&name));
        // What a wrapper was given is what the command behind it is given.
        if !client && seen.holds_somewhere(&invocation.words) {
            return;
        }
        seen.note(&invocation.words, State::UNKNOWN);
        for word in invocation.words.iter().skip(1) {
            let address = match word.literal() {
                // Most words are no addresses.
                Some(text) if !client && !has_scheme(text) => None,
                Some(text) => of_address(text)
                    .or_else(|| {
                        text.split_once('=')
                            .and_then(|(_, value)| of_address(value))
                    })
                    .or_else(|| bare(text).filter(|_| client)),
                None => (client || word.prefix().contains("://")).then_some(Address::Unclear),
            };
            if let Some(Address::Host(host)) = &address {
                judgement.effect(PartKind::Host, host);
            }
            if !bound {
                continue;
            }
            match address {
                Some(Address::Host(host)) => self.host(Some(&host), &host, judgement),
                Some(Address::Unclear) => self.host(None, &word.prefix(), judgement),
                None => {}
            }
        }
    }

    fn host(&self, host: Option<&str>, subject: &str, judgement: &mut Judgement<'e>) {
        let user = User {
            operation: Operation::Execute,
            tool: self.question.tool,
        };
        let bound = |wanted: Fit| {
            self.strict_rules()
                .find(|rule| rule.binds(Kind::Host) && rule.binds_host(host, user) == wanted)
        };
        if let Some(rule) = bound(Fit::Yes) {
            judgement.matched(rule);
            judgement.add(self.of_rule(PartKind::Host, subject, rule));
        } else if let Some(rule) = bound(Fit::Perhaps) {
            judgement.matched(rule);
            let reason = format!(
                "It cannot be told whether `{subject}…` leads to a host of the rule `{}`.",
                rule.text.rule
            );
            judgement.add(self.floor(PartKind::Host, subject, Why::because_of(rule, reason)));
        }
    }
}

/// Whether `://` stands in the text.
fn has_scheme(text: &str) -> bool {
    // Words are short: a search by letters begins sooner than one by needles.
    text.bytes().any(|byte| byte == b':') && text.contains("://")
}

/// The host of an address without a scheme.
fn bare(text: &str) -> Option<Address> {
    if text.starts_with('-') {
        return None;
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    host.contains('.')
        .then(|| normalise(host).map_or(Address::Unclear, Address::Host))
}
