//! Folders and files whose code or settings an option tells a program to work with (`mvn -f`, `cmake -S`, `docker build`).
//!
//! A rule on such a program means what is in the workspace.

use tenon_shell::{Invocation, projects};

use super::Context;
use super::folders::beyond;
use super::ground::State;
use crate::decision::Judgement;

impl<'e> Context<'e, '_> {
    /// Asks about what a command works with that does not lie in the workspace, or cannot be told.
    pub(super) fn projects(
        &self,
        invocation: &Invocation,
        state: State,
        subject: &str,
        judgement: &mut Judgement<'e>,
    ) {
        if self.open {
            return;
        }
        for project in projects(invocation.plain_words()) {
            let values = self.values(&project);
            let words = values.as_deref().unwrap_or(std::slice::from_ref(&project));
            for word in words {
                let why = beyond(state, word, &self.ground).or_else(|| {
                    let links = "the text creates a link there";
                    self.enters_link(word, state).then_some(links)
                });
                if let Some(why) = why {
                    let reason = format!("It uses files of another directory: {why}.");
                    judgement.add(self.unclear(subject, &reason));
                }
            }
        }
    }
}
