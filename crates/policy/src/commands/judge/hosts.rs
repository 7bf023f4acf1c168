//! Web addresses in commands against rules that deny or ask for hosts.

use tenon_shell::Invocation;

use crate::command_pattern::Fit;
use crate::commands::judge::CommandJudge;
use crate::commands::judge::visited_texts::VisitedTexts;
use crate::commands::resolve::WorkingDirs;
use crate::commands::words::addresses::{Client, Found, pieces};
use crate::decision::PartKind;
use crate::host::Address;
use crate::rule::{Kind, Rule};

/// What is in the names of variables whose value is a host, or an address with one.
const NAMING: &[&str] = &[
    "HOST", "ADDR", "URL", "URI", "DSN", "ENDPOINT", "SERVER", "PROXY", "REGISTRY", "REMOTE",
];

impl<'e> CommandJudge<'e, '_> {
    /// Compares every address among the words.
    pub(crate) fn hosts<'i>(&mut self, invocation: &'i Invocation, seen: &mut VisitedTexts<'i>) {
        let bound = !self.open && self.bounds().hosts;
        let client = Client::of(invocation);
        // What a wrapper was given is what the command behind it is given.
        if client == Client::None && seen.holds_somewhere(&invocation.words) {
            return;
        }
        seen.note(&invocation.words, WorkingDirs::UNKNOWN);
        if bound {
            for word in invocation.words.iter().skip(1) {
                if let Some((name, value)) = word.prefix().split_once('=') {
                    self.host_of_variable(name, value);
                }
            }
        }
        crate::commands::words::addresses::each(client, invocation, bound, |found| match found {
            Found::Certain(Address::Host(host), _) => {
                self.judgement.effect(PartKind::Host, &host);
                if bound {
                    self.host(Some(&host), &host);
                }
            }
            Found::Certain(Address::Unclear, text) if bound => self.host(None, text),
            Found::Mentioned(host) if bound => self.mentioned(&host),
            Found::Certain(Address::Unclear, _) | Found::Mentioned(_) => {}
        });
    }

    /// A variable by whose name a program finds the host that it talks to: `PGHOST`, `DATABASE_URL`.
    pub(crate) fn host_of_variable(&mut self, name: &str, value: &str) {
        let is_name = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_';
        let says_host = || NAMING.iter().any(|word| name.contains(word));
        if !self.open && self.bounds().hosts && name.bytes().all(is_name) && says_host() {
            pieces(value, |host| self.mentioned(&host));
        }
    }

    fn host(&mut self, host: Option<&str>, subject: &str) {
        if let Some(rule) = self.host_rule(host, Fit::Yes) {
            self.add(self.of_rule(PartKind::Host, subject, rule));
        } else if let Some(rule) = self.host_rule(host, Fit::Perhaps) {
            self.matched(rule);
            let reason = format!(
                "`{subject}…` may reach a host that the rule `{}` is about.",
                rule.text.rule
            );
            self.ask_by_rule((PartKind::Host, subject), rule, reason);
        }
    }

    /// A host that stands somewhere in an argument of a program that talks to hosts.
    fn mentioned(&mut self, host: &str) {
        if let Some(rule) = self.host_rule(Some(host), Fit::Yes) {
            let reason = format!(
                "The program may reach `{host}`, which the rule `{}` is about.",
                rule.text.rule
            );
            self.ask_by_rule((PartKind::Host, host), rule, reason);
        }
    }

    fn host_rule(&self, host: Option<&str>, wanted: Fit) -> Option<&'e Rule> {
        let is_it = |rule: &Rule| rule.binds_host(host, self.user()) == wanted;
        let mut rules = self.strict_rules();
        rules.find(|rule| rule.binds(Kind::Host) && is_it(rule))
    }
}
