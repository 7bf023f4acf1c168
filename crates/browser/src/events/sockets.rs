//! WebSockets of pages and workers: what is sent over them is held by no interception, so those to hosts that nobody has
//! named are not connected, by a rule of the browser's network, until it was decided about them.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// The command that sets the rules. Browsers before 2026 have none such.
pub(crate) const COMMAND: &str = "Network.emulateNetworkConditionsByRule";
/// Most hosts that are named in the rules. The ones that were named last stay.
const HOSTS_MAX: usize = 200;

/// What holds for the WebSockets of a session.
#[derive(Default)]
pub(crate) struct Sockets {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The hosts in the rules that the browser has; nothing before there are any.
    applied: Option<Option<Vec<String>>>,
    /// Hosts that are being decided about, or were, for the page that is there: each is one question.
    asked: HashSet<(String, String)>,
    /// Workers that obey the rules, too.
    workers: HashSet<String>,
}

impl Sockets {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add_worker(&self, session: &str) {
        self.lock().workers.insert(session.to_owned());
    }

    pub(crate) fn remove_worker(&self, session: &str) {
        self.lock().workers.remove(session);
    }

    /// The rules for these hosts, for a target that is being prepared.
    pub(crate) fn begin(&self, hosts: Option<Vec<String>>) -> Value {
        let rules = rules(hosts.as_deref());
        self.lock().applied = Some(hosts);
        rules
    }

    /// The rules for these hosts and the workers that must get them; nothing where they hold already.
    pub(crate) fn replace(&self, hosts: Option<Vec<String>>) -> Option<(Value, Vec<String>)> {
        let mut state = self.lock();
        if state.applied.as_ref() == Some(&hosts) {
            return None;
        }
        let rules = rules(hosts.as_deref());
        state.applied = Some(hosts);
        Some((rules, state.workers.iter().cloned().collect()))
    }

    /// Whether a document connects to a host that is held, and nobody was asked about it yet.
    pub(crate) fn is_question(&self, document: String, host: String) -> bool {
        let mut state = self.lock();
        let is_held = match &state.applied {
            Some(Some(hosts)) => !hosts.contains(&host),
            _ => false,
        };
        is_held && state.asked.len() < 1_000 && state.asked.insert((document, host))
    }
}

/// The rules for these hosts; without hosts everything is connected.
fn rules(hosts: Option<&[String]>) -> Value {
    let rule = |pattern: String, offline: bool| {
        json!({
            "urlPattern": pattern, "offline": offline,
            "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        })
    };
    let mut rules = Vec::new();
    if let Some(hosts) = hosts {
        let named = hosts.iter().rev().take(HOSTS_MAX);
        for host in named.filter(|host| is_plain(host)) {
            for scheme in ["ws", "wss"] {
                rules.push(rule(format!("{scheme}://{host}:*/*?*"), false));
            }
        }
        for scheme in ["ws", "wss"] {
            rules.push(rule(format!("{scheme}://*:*/*?*"), true));
        }
    }
    // Its `offline` for all would undo the rules, also where it is false.
    json!({ "matchedNetworkConditions": rules })
}

/// Whether a host means itself in a pattern.
fn is_plain(host: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-._[]:".contains(letter);
    !host.is_empty() && host.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_hosts_come_before_the_rule_for_all() {
        let hosts = [
            "a.example".to_owned(),
            "*".to_owned(),
            "b.example".to_owned(),
        ];
        let made = rules(Some(&hosts));
        let patterns: Vec<(&str, bool)> = made["matchedNetworkConditions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| {
                let pattern = rule["urlPattern"].as_str().unwrap();
                (pattern, rule["offline"].as_bool().unwrap())
            })
            .collect();
        assert_eq!(
            patterns,
            [
                ("ws://b.example:*/*?*", false),
                ("wss://b.example:*/*?*", false),
                ("ws://a.example:*/*?*", false),
                ("wss://a.example:*/*?*", false),
                ("ws://*:*/*?*", true),
                ("wss://*:*/*?*", true),
            ]
        );
        assert_eq!(rules(None)["matchedNetworkConditions"], json!([]));
    }
}
