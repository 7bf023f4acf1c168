//! What one command runs, uses and reaches.

use std::rc::Rc;

use tenon_shell::{Assignment, Command, Invocation};

use super::Walk;
use crate::commands::feeds::Fed;
use crate::commands::folders;
use crate::commands::ground::State;
use crate::commands::seen::Seen;
use crate::decision::Judgement;

impl<'e> Walk<'_, 'e, '_> {
    /// A variable that takes names of files of which one may be taken for an option: that of a loop, an array, a pattern
    /// that the shell expands where the variable is used.
    pub(super) fn takes_names(
        &self,
        index: usize,
        assignment: &Assignment,
        judgement: &mut Judgement<'e>,
    ) {
        if !assignment.values.is_empty() {
            let state = self.folders.at(self.index, index);
            self.context
                .values_as_options(&assignment.values, state, judgement);
        }
    }

    /// What a command runs, uses and reaches.
    pub(in crate::commands) fn opened(
        &self,
        index: usize,
        command: &Command,
        invocation: &Invocation,
        judgement: &mut Judgement<'e>,
    ) {
        let state = self.folders.at(self.index, index);
        let ground = &self.context.ground;
        let fed = Fed::of(
            invocation,
            state,
            (self.index, index),
            &self.context.around.borrow().feeds,
        );
        self.context.fed.replace(fed.map(Rc::new));
        let (mut inner_state, mut in_each) = (state, false);
        self.context
            .patterns_as_options(&command.words, state, judgement);
        let (mut mentioned, mut connected) = (Seen::default(), Seen::default());
        for inner in invocation.chain() {
            for assignment in &inner.assignments {
                self.assignment(assignment, judgement);
                self.setting(assignment, inner, judgement);
            }
            let whole = self.slice(command.span);
            self.context.named(inner, whole, judgement);
            if let Some(why) = folders::leaves(inner_state, inner, ground) {
                let reason = format!("It works in another directory: {why}.");
                self.unclear(self.slice(command.span), &reason, judgement);
            }
            if self.context.goes_through_link(inner, inner_state) {
                let reason = "It enters a directory that may be reached through a link that the text creates.";
                self.unclear(self.slice(command.span), reason, judgement);
            }
            inner_state = folders::own(inner_state, inner, ground);
            if let Some(reason) = self
                .context
                .strange_repository(inner, inner_state, self.reading)
            {
                self.unclear(self.slice(command.span), &reason, judgement);
            }
            let subject = self.slice(command.span);
            self.context
                .projects(inner, inner_state, subject, judgement);
            self.context
                .operands(inner, inner_state, &mut mentioned, judgement);
            // What it runs works in each of several directories, which are not told apart.
            if in_each && inner_state.is_known() {
                self.context
                    .operands(inner, State::UNKNOWN, &mut mentioned, judgement);
            }
            in_each |= inner.in_each;
            self.context.scripts(inner, inner_state, judgement);
            self.fed_code(index, command, inner, inner_state, judgement);
            self.context.hosts(inner, &mut connected, judgement);
        }
        let part = self.judge(index, command, invocation, judgement);
        judgement.add(part);
    }
}
