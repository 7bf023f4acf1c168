//! Permission modes: what holds for calls beside the rules, switched while a toolkit is in use.
//!
//! A mode never opens what a rule denies or containment refuses: `plan` and `dontAsk` only take away, `acceptEdits` and
//! `bypass` only spare questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tenon_contract::{Effect, ErrorCode, Operation, ToolError};
use tenon_policy::{Danger, Decision, Grade, PartDecision, PartKind, Verdict};
use tenon_tools::PlanGate;

use crate::events::{EventKind, Events};
use crate::permission_mode::PermissionMode;
use crate::service::Call;

/// The mode of one toolkit and of all that inherit it. Cheap to clone; clones are the same mode.
#[derive(Debug, Clone, Default)]
pub struct Modes(Arc<ModeState>);

#[derive(Debug, Default)]
struct ModeState {
    mode: AtomicU8,
    /// What held before `plan`.
    before_plan: AtomicU8,
    allows_bypass: bool,
}

impl Modes {
    /// Begins with this mode. `bypass` may be switched on later only if it is allowed here, or is the mode to begin with.
    #[must_use]
    pub fn new(mode: PermissionMode, allows_bypass: bool) -> Self {
        Self(Arc::new(ModeState {
            mode: AtomicU8::new(mode.number()),
            before_plan: AtomicU8::new(PermissionMode::Default.number()),
            allows_bypass: allows_bypass || mode == PermissionMode::Bypass,
        }))
    }

    /// The mode that holds now.
    #[must_use]
    pub fn get(&self) -> PermissionMode {
        PermissionMode::of_number(self.0.mode.load(Ordering::Acquire))
    }

    /// Switches; returns the mode that held before.
    ///
    /// # Errors
    /// `bypass` where it was not allowed when the toolkit was made.
    pub fn set(&self, mode: PermissionMode) -> Result<PermissionMode, ToolError> {
        if mode == PermissionMode::Bypass && !self.0.allows_bypass {
            let message = "The mode `bypass` was not allowed when the toolkit was created. Create it with `allowBypass: true`.";
            return Err(
                ToolError::new(ErrorCode::InvalidParams, message).with("option", "allowBypass")
            );
        }
        let before = PermissionMode::of_number(self.0.mode.swap(mode.number(), Ordering::AcqRel));
        if mode == PermissionMode::Plan && before != PermissionMode::Plan {
            self.0.before_plan.store(before.number(), Ordering::Release);
        }
        Ok(before)
    }

    /// What holds for a call in this mode, by what the rules say to it.
    pub(crate) fn apply(
        &self,
        call: &Call,
        decision: &mut Decision,
        grade: impl FnOnce() -> Grade,
    ) {
        let mode = self.get();
        match mode {
            PermissionMode::Default => {}
            PermissionMode::Plan => plan(call, decision, grade),
            PermissionMode::AcceptEdits => {
                if is_plain_edit(call, decision) && grade().danger <= Danger::Medium {
                    let reason =
                        "The mode `acceptEdits` needs no approval for edits in the workspace.";
                    decide(decision, mode, Verdict::Allow, reason.to_owned());
                }
            }
            PermissionMode::DontAsk | PermissionMode::Bypass => {
                Self::without_question(mode, decision)
            }
        }
    }

    /// What holds for another host that a running call is led on to.
    pub(crate) fn apply_to_hop(&self, decision: &mut Decision) {
        let mode = self.get();
        if matches!(mode, PermissionMode::DontAsk | PermissionMode::Bypass) {
            Self::without_question(mode, decision);
        }
    }

    fn without_question(mode: PermissionMode, decision: &mut Decision) {
        if decision.verdict != Verdict::Ask {
            return;
        }
        if mode == PermissionMode::Bypass {
            let reason = "The mode `bypass` needs no approval.";
            decide(decision, mode, Verdict::Allow, reason.to_owned());
        } else {
            let reason = format!(
                "{} The mode `dontAsk` denies what requires approval.",
                decision.reason
            );
            decide(decision, mode, Verdict::Deny, reason);
        }
    }
}

impl Modes {
    /// Whether nothing may be changed before a plan was approved.
    #[must_use]
    pub fn are_planning(&self) -> bool {
        self.get() == PermissionMode::Plan
    }

    /// Ends the mode `plan`, if it still holds: an approver that has switched already has chosen what follows. Whether
    /// it held.
    fn leave_plan(&self) -> bool {
        let before = self.0.before_plan.load(Ordering::Acquire);
        let plan = PermissionMode::Plan.number();
        let left = self
            .0
            .mode
            .compare_exchange(plan, before, Ordering::AcqRel, Ordering::Acquire);
        left.is_ok()
    }
}

/// The way out of the mode `plan` for the tool that presents plans.
pub(crate) struct PlanExit {
    pub(crate) modes: Modes,
    pub(crate) events: Events,
    /// The name of that tool, where it is shown only in the mode `plan`.
    pub(crate) tool: Option<String>,
}

impl PlanGate for PlanExit {
    fn is_planning(&self) -> bool {
        self.modes.are_planning()
    }

    fn leave(&self) -> &'static str {
        let has_left = self.modes.leave_plan();
        let mode = self.modes.get();
        if has_left {
            let previous = PermissionMode::Plan;
            self.events
                .emit(|| EventKind::ModeChanged { mode, previous });
            if let Some(tool) = &self.tool {
                self.events.emit(|| EventKind::ToolsChanged {
                    added: Vec::new(),
                    removed: vec![tool.clone()],
                    changed: Vec::new(),
                });
            }
        }
        mode.name()
    }
}

fn decide(decision: &mut Decision, mode: PermissionMode, verdict: Verdict, reason: String) {
    decision.verdict = verdict;
    decision.reason = reason;
    decision.rule = Some(mode.rule());
    decision.list = None;
    decision.about = None;
}

/// Denies what does more than read. What reads is left to the rules.
fn plan(call: &Call, decision: &mut Decision, grade: impl FnOnce() -> Grade) {
    if decision.verdict == Verdict::Deny || only_reads(call, grade) {
        return;
    }
    let reason = format!(
        "`{}` does more than read here, and the mode `plan` permits only what reads. Finish the plan and present it for approval.",
        call.tool.name()
    );
    decide(decision, PermissionMode::Plan, Verdict::Deny, reason);
}

/// Whether nothing outside of the session is different after the call.
fn only_reads(call: &Call, grade: impl FnOnce() -> Grade) -> bool {
    let access = call.prepared.access();
    if access.changed().next().is_some()
        || !access.inputs.is_empty()
        || call.prepared.is_provisional()
    {
        return false;
    }
    let operation = call.tool.operation();
    match call.prepared.effect() {
        Effect::Observe => access.commands.is_empty() || grade().only_looks,
        // Commands that are known to only read, from a host or a service as well: pages of the web are read, too.
        Effect::Execute => {
            matches!(operation, Operation::Execute) && grade().only_looks
                || operation == Operation::Process && looks_only(&call.wire)
        }
        Effect::Network => matches!(operation, Operation::WebFetch | Operation::WebSearch),
        // Agents inherit the mode.
        Effect::Converse => matches!(
            operation,
            Operation::AskUser
                | Operation::ExitPlan
                | Operation::TodoWrite
                | Operation::Task
                | Operation::SessionsSpawn
        ),
        Effect::Mutate | Effect::Unknown => false,
    }
}

/// Whether a call that looks after processes only looks.
fn looks_only(wire: &serde_json::Value) -> bool {
    let action = wire.get("action").and_then(serde_json::Value::as_str);
    matches!(action, Some("list" | "poll" | "log"))
}

/// Whether it is nothing but edits of files that only the default mode asks about.
fn is_plain_edit(call: &Call, decision: &Decision) -> bool {
    let asks_by_default = |part: &PartDecision| {
        let by_default = || {
            let rule = part.rule();
            rule.is_some_and(|rule| rule.starts_with("permissions.defaultMode"))
        };
        part.verdict == Verdict::Allow
            || matches!(part.kind, PartKind::Read | PartKind::Write)
                && part.list().is_none()
                && by_default()
    };
    let access = call.prepared.access();
    decision.verdict == Verdict::Ask
        && call.question.is_none()
        && call.prepared.effect() == Effect::Mutate
        && !access.writes.is_empty()
        && access.commands.is_empty()
        && decision.parts.iter().all(asks_by_default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_found_by_its_name_and_its_number() {
        for mode in PermissionMode::ALL {
            assert_eq!(PermissionMode::from_name(mode.name()), Some(mode));
            assert_eq!(PermissionMode::of_number(mode.number()), mode);
        }
        assert_eq!(PermissionMode::from_name("yolo"), None);
    }

    #[test]
    fn bypass_must_be_allowed_when_the_toolkit_is_made() {
        let modes = Modes::new(PermissionMode::Default, false);
        let error = modes.set(PermissionMode::Bypass).unwrap_err();
        assert_eq!(error.details["option"], "allowBypass");
        assert_eq!(modes.get(), PermissionMode::Default);
        let modes = Modes::new(PermissionMode::Default, true);
        assert_eq!(
            modes.set(PermissionMode::Bypass).unwrap(),
            PermissionMode::Default
        );
        let modes = Modes::new(PermissionMode::Bypass, false);
        modes.set(PermissionMode::Default).unwrap();
        modes.set(PermissionMode::Bypass).unwrap();
    }

    #[test]
    fn a_plan_ends_in_the_mode_that_held_before_it_or_the_one_that_was_set_meanwhile() {
        let modes = Modes::new(PermissionMode::AcceptEdits, false);
        modes.set(PermissionMode::Plan).unwrap();
        modes.set(PermissionMode::Plan).unwrap();
        assert!(modes.are_planning());
        assert!(modes.leave_plan());
        assert_eq!(modes.get(), PermissionMode::AcceptEdits);
        modes.set(PermissionMode::Plan).unwrap();
        modes.set(PermissionMode::DontAsk).unwrap();
        assert!(!modes.leave_plan());
        assert_eq!(modes.get(), PermissionMode::DontAsk);
        let modes = Modes::new(PermissionMode::Plan, false);
        assert!(modes.leave_plan());
        assert_eq!(modes.get(), PermissionMode::Default);
    }
}
