//! Commands that run. What they change is recorded only when they end, so that others have to know of those that never did.

use serde::{Deserialize, Serialize};

use super::keeper::RowChange;
use super::rollback::Scope;
use super::state::{By, now};
use super::{Journal, JournalState};
use crate::Error;

/// What begins the keys of their rows.
pub(super) const RUNNING: &str = "r-";

/// A command whose changes will be recorded. What is dropped has ended with its process, or was never started.
#[derive(Debug)]
pub struct RunningCommand {
    journal: Journal,
    key: String,
}

impl RunningCommand {
    /// It has ended, and what it changed is recorded. Blocks.
    pub fn end(self) {
        let journal = self.journal.clone();
        drop(self);
        // What is not kept now is the next time; the keeper says why.
        let _ = journal.flush();
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        let key = std::mem::take(&mut self.key);
        self.journal.lock().send(|| RowChange::Delete { key });
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct RunningRow {
    at: i64,
    command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<(String, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<String>,
}

/// A command of another journal of the session, of which nobody has said that it ended.
#[derive(Debug)]
pub(super) struct Unended {
    key: String,
    number: u64,
    row: RunningRow,
}

impl Journal {
    /// Notes that a command begins whose changes will be recorded, where others may have to know that it never ended. Blocks.
    #[must_use]
    pub fn running(&self, command: &str) -> Option<RunningCommand> {
        let mut state = self.lock();
        if !state.is_kept || !state.wants_commands(&self.by) {
            return None;
        }
        let key = format!("{RUNNING}{}", state.key());
        let row = RunningRow {
            at: now(),
            command: crate::error::shorten(command),
            call: { self.by.call.as_ref() }.map(|(call, number)| (call.to_string(), *number)),
            runs: self.by.runs.to_vec(),
        };
        let value = serde_json::to_value(&row).ok()?;
        let put = RowChange::Put {
            key: key.clone(),
            value,
        };
        state.send(|| put);
        drop(state);
        // A store that is away keeps nobody from working; the keeper says why.
        let _ = self.flush();
        let journal = self.clone();
        Some(RunningCommand { journal, key })
    }
}

impl JournalState {
    /// Takes in a command of the session that has not ended, unless it is one of this journal.
    pub(super) fn take_running(&mut self, number: u64, key: String, value: serde_json::Value) {
        let is_own = key.starts_with(&format!("{RUNNING}{:016x}-", self.name));
        let age = i64::try_from(self.max_age.as_millis()).unwrap_or(i64::MAX);
        if let Ok(row) = serde_json::from_value::<RunningRow>(value)
            && !is_own
            && row.at >= now().saturating_sub(age)
        {
            self.unended.push(Unended { key, number, row });
        }
    }

    /// Refuses a way back over what commands may have changed that have not ended.
    pub(super) fn check_running(&self, scope: &Scope<'_>, by: &By) -> Result<(), Error> {
        let unended = self.unended_of(scope, by);
        if unended.is_empty() {
            return Ok(());
        }
        let commands = unended.iter().map(|one| one.row.command.clone());
        Err(Error::CommandNotEnded {
            commands: commands.collect(),
            may_force: !matches!(scope, Scope::Call(_)),
        })
    }

    /// Forgets them, when the way back was gone nevertheless.
    pub(super) fn forget_running(&mut self, scope: &Scope<'_>, by: &By) {
        let unended = self.unended_of(scope, by).into_iter();
        let keys: Vec<String> = unended.map(|one| one.key.clone()).collect();
        self.unended.retain(|one| !keys.contains(&one.key));
        for key in keys {
            self.send(|| RowChange::Delete { key });
        }
    }

    fn unended_of(&self, scope: &Scope<'_>, by: &By) -> Vec<&Unended> {
        let since = match scope {
            Scope::Since(id) => self.first_since(*id).unwrap_or(u64::MAX),
            Scope::Run(_) | Scope::Call(_) => 0,
        };
        let is_meant = |one: &&Unended| match scope {
            Scope::Since(_) => one.number >= since,
            Scope::Run(run) => one.row.runs.iter().any(|other| other == run),
            Scope::Call(call) => {
                let named = one.row.call.as_ref();
                named.is_some_and(|(id, _)| id == call) && one.row.runs.starts_with(&by.runs)
            }
        };
        self.unended.iter().filter(is_meant).collect()
    }
}
