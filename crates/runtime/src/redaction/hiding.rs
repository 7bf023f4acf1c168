//! What the results of a call must not show.

use std::sync::Arc;

use tenon_secrets::VariableValues;

use crate::variable_files::{FileContents, VariableFiles};

/// What a call shows of a file of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Variables {
    /// It shows none, or all that they say.
    #[default]
    Shown,
    /// All lines are such a file's.
    Hidden,
    /// Lines that begin with the name of one are.
    HiddenByLine,
    /// Lines of a diff of one are, and those that begin with its name: what a command prints that names none.
    HiddenInDiffs,
}

/// What the results of a call must not show of files of variables: by the form of lines, and by what the files say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hiding {
    pub(super) variables: Variables,
    /// The files that the call reads or may read, and what they say.
    pub(super) files: VariableFiles,
    pub(super) contents: FileContents,
    pub(super) values: Arc<VariableValues>,
    /// Whether the result shows lines of such a file, by the name of the file or by what that leads to.
    pub(super) shows_files: bool,
}

impl Hiding {
    /// The same for a part of a result.
    pub(super) fn with(&self, variables: Variables) -> Self {
        Self {
            variables,
            ..self.clone()
        }
    }

    /// Whether nothing is hidden but what is a secret in any text.
    pub(super) fn is_nothing(&self) -> bool {
        self.variables == Variables::Shown && self.values.is_empty()
    }

    /// Whether a search shows nothing of such files but what its result itself says.
    pub(super) fn shows_none(&self) -> bool {
        self.values.is_empty() && !self.shows_files
    }

    /// What both hide.
    pub(super) fn and(&mut self, other: &Self) {
        // What was kept is no file of variables by its name.
        if other.variables == Variables::Hidden || self.variables == Variables::HiddenByLine {
            self.variables = Variables::Hidden;
        }
        self.learn(&other.contents);
    }

    /// Looks for the values of these files as well.
    pub(super) fn learn(&mut self, contents: &FileContents) {
        let all = self.contents.clone().and(contents);
        if all != self.contents {
            self.values = all.values();
            self.contents = all;
        }
    }
}
