//! Directories and files whose code or settings an option gives a program to work with (`mvn -f`, `cmake -S`, `docker
//! build`).
//!
//! A rule on such a program means what is in the workspace.

use tenon_shell::{Invocation, Word, project_code, project_operands, projects};

use crate::commands::judge::CommandJudge;
use crate::commands::resolve::Site;
use crate::commands::resolve::directories::beyond;

impl<'e> CommandJudge<'e, '_> {
    /// Asks about what a command works with that does not lie in the workspace, or cannot be determined.
    pub(crate) fn projects(&mut self, invocation: &Invocation, at: Site<'_>, subject: &str) {
        if self.open {
            return;
        }
        for project in projects(invocation)
            .into_iter()
            .chain(project_code(invocation))
        {
            let values = self.values(&project, at);
            let words = values.as_deref().unwrap_or(std::slice::from_ref(&project));
            for word in words {
                self.project(word, at, subject);
            }
        }
        for operand in project_operands(invocation) {
            let values = self.values(&operand, at);
            let words = values.as_deref().unwrap_or(std::slice::from_ref(&operand));
            for word in words {
                // It need not be a path, so only what is known of it counts.
                let start = self.known_directory(word);
                if let Some(start) = start {
                    let start = Word::synthetic(&start, word.span);
                    self.project(&start, at, subject);
                }
            }
        }
    }

    fn project(&mut self, word: &Word, at: Site<'_>, subject: &str) {
        let why = beyond(at.dirs, word, self.path_table).or_else(|| {
            let links = "the text creates a link there";
            self.enters_link(word, at).then_some(links)
        });
        if let Some(why) = why {
            let reason = format!("It uses files of another directory: {why}.");
            self.add(self.unclear(subject, &reason));
        }
    }
}
