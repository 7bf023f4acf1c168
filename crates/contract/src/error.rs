//! Why a call failed: a kind for programs, a sentence for the model, facts for both.

use std::error::Error;

use serde_json::{Map, Value};

use crate::{Advice, Names, NextStep, with_parameters};

/// The six words that `ToolError.error_type` may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorType {
    /// Policy, approval or containment refused.
    PermissionDenied,
    /// The thing that was named does not exist.
    NotFound,
    /// The time limit was reached.
    Timeout,
    /// The parameters cannot be worked with.
    InvalidInput,
    /// The work itself failed.
    ExecutionFailed,
    /// The caller aborted.
    Aborted,
}

impl ErrorType {
    /// As it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PermissionDenied => "permission_denied",
            Self::NotFound => "not_found",
            Self::Timeout => "timeout",
            Self::InvalidInput => "invalid_input",
            Self::ExecutionFailed => "execution_failed",
            Self::Aborted => "aborted",
        }
    }
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal => $type:ident;)*) => {
        /// The finer kind, in `details.code`; each belongs to one [`ErrorType`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $variant,)* }

        impl ErrorCode {
            /// Every code, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As it stands in `details.code`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The coarse kind of it, in `error_type`.
            #[must_use]
            pub const fn error_type(self) -> ErrorType {
                match self { $(Self::$variant => ErrorType::$type,)* }
            }
        }
    };
}

error_codes! {
    /// No tool of this name is exposed.
    UnknownTool = "unknown_tool" => NotFound;
    /// The parameters do not fit the schema; `details.errors` lists every fault.
    InvalidParams = "invalid_params" => InvalidInput;
    /// A file or directory does not exist.
    NotFound = "not_found" => NotFound;
    /// A file exists where none was expected.
    AlreadyExists = "already_exists" => InvalidInput;
    /// A directory was named where a file is needed, or a device, FIFO or socket.
    NotAFile = "not_a_file" => InvalidInput;
    /// A file was named where a directory is needed.
    NotADirectory = "not_a_directory" => InvalidInput;
    /// The text to replace does not occur.
    NoMatch = "no_match" => NotFound;
    /// The text to replace occurs several times.
    NotUnique = "not_unique" => InvalidInput;
    /// The call would change nothing.
    NoChange = "no_change" => InvalidInput;
    /// The file changed since it was last read or planned.
    StaleFile = "stale_file" => ExecutionFailed;
    /// The call would do something else than what was shown to the one who approved it.
    PlanChanged = "plan_changed" => ExecutionFailed;
    /// The call is made in the handler of another one, and would wait for ever for a file of a third.
    Deadlock = "deadlock" => ExecutionFailed;
    /// The file has to be read in this session before it is changed.
    NotRead = "not_read" => InvalidInput;
    /// The path leads out of the workspace.
    OutsideWorkspace = "outside_workspace" => PermissionDenied;
    /// The file is not text.
    BinaryFile = "binary_file" => InvalidInput;
    /// The text is in an encoding that cannot be read or written.
    Encoding = "unsupported_encoding" => InvalidInput;
    /// Too large to be worked with.
    TooLarge = "too_large" => InvalidInput;
    /// A pattern, patch or other small language does not parse.
    Syntax = "syntax_error" => InvalidInput;
    /// The file would not parse any more, and the host has such changes refused.
    BrokenSyntax = "broken_syntax" => InvalidInput;
    /// A line such as "rest unchanged" would take the place of text, and the host has such changes refused.
    Placeholder = "placeholder" => InvalidInput;
    /// A rule, an exposure list or the lack of an approver refused.
    PolicyDenied = "policy_denied" => PermissionDenied;
    /// The user refused.
    ApprovalDenied = "approval_denied" => PermissionDenied;
    /// The operating system refused (EACCES, EPERM, EROFS).
    AccessDenied = "access_denied" => PermissionDenied;
    /// The time limit was reached.
    Timeout = "timeout" => Timeout;
    /// The caller aborted, or the toolkit was closed.
    Cancelled = "cancelled" => Aborted;
    /// A program could not be started or was lost.
    ProcessFailed = "process_failed" => ExecutionFailed;
    /// Reading or writing failed (disk full, I/O error).
    Io = "io" => ExecutionFailed;
    /// Another machine could not be reached or answered badly.
    Network = "network" => ExecutionFailed;
    /// A tool of the host failed.
    HandlerFailed = "handler_failed" => ExecutionFailed;
    /// There are as many agents as may be, they are as deep as they may be, or one has used up what it may use.
    AgentLimit = "agent_limit" => ExecutionFailed;
    /// A part that the tool needs (a host member, a program) is missing.
    Unavailable = "unavailable" => ExecutionFailed;
    /// The directory of the workspace was removed, moved or replaced since the toolkit was made.
    WorkspaceGone = "workspace_gone" => ExecutionFailed;
    /// A bug in tenon.
    Internal = "internal" => ExecutionFailed;
}

/// A failed call. The name of the tool is added at the border, by the name the model used.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// The finer kind.
    pub code: ErrorCode,
    /// A sentence for the model: the thing, what was wrong, the next step.
    pub message: String,
    /// Facts a program can use. `code` is added at the border.
    pub details: Map<String, Value>,
    /// What helps, in the order in which it is said. The dialect puts it into words.
    pub next: Vec<NextStep>,
    /// What failed below, for logs only.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// An error of this kind with its sentence.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Map::new(),
            next: Vec::new(),
            source: None,
        }
    }

    /// Adds one fact to the details.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a next step. Those that lead to tools that are not exposed are left out when the error is reported.
    #[must_use]
    pub fn then(mut self, step: NextStep) -> Self {
        self.next.push(step);
        self
    }

    /// Adds the parameter that would help.
    #[must_use]
    pub fn advising(self, advice: Advice) -> Self {
        self.then(NextStep::Set(advice))
    }

    /// The message in the words of the model: its [parameters](crate::parameter) by the names of the tool, and the next
    /// steps behind it.
    #[must_use]
    pub fn reported(mut self, names: &dyn Names) -> Self {
        self.message = with_parameters(&self.message, names);
        for step in std::mem::take(&mut self.next) {
            if let Some(sentence) = step.sentence(names) {
                self.message.push(' ');
                self.message.push_str(&sentence);
            }
        }
        self
    }

    /// Cuts the middle out of a message of more than `most` bytes: the thing is named at its start, the
    /// next step at its end.
    #[must_use]
    pub fn bounded(mut self, most: usize) -> Self {
        let length = self.message.len();
        if length > most {
            let head = self.message.floor_char_boundary(most / 2);
            let tail = self.message.ceil_char_boundary(length - most / 2);
            let mark = format!(" … [{} bytes omitted] … ", tail - head);
            self.message.replace_range(head..tail, &mark);
        }
        self
    }

    /// Keeps the failure below, for logs.
    #[must_use]
    pub fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The call was aborted by its caller.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(
            ErrorCode::Cancelled,
            "The call was aborted before it finished.",
        )
    }

    /// A bug in tenon; `what` says where.
    #[must_use]
    pub fn internal(what: impl std::fmt::Display) -> Self {
        Self::new(
            ErrorCode::Internal,
            format!("Internal error in tenon: {what}. Other calls are not affected."),
        )
    }

    /// The coarse kind, as `ToolError.error_type` holds it.
    #[must_use]
    pub const fn error_type(&self) -> ErrorType {
        self.code.error_type()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Operation, Unnamed};

    struct Multiline;

    impl Names for Multiline {
        fn tool(&self, _: Operation) -> Option<&str> {
            None
        }

        fn parameter<'n>(&'n self, _: &'n str) -> Option<&'n str> {
            Some("acrossLines")
        }
    }

    #[test]
    fn an_overlong_message_keeps_its_start_and_its_end() {
        let error = ToolError::new(
            ErrorCode::Syntax,
            format!("`{}` fails. Mend it.", "ä".repeat(50)),
        );
        let reported = error.bounded(24).message;
        assert_eq!(reported, "`äääää … [95 bytes omitted] … ls. Mend it.");
    }

    #[test]
    fn a_sentence_about_parameters_is_said_where_the_tool_has_them() {
        let steps = NextStep::FirstOf(vec![
            NextStep::with_fields(
                &["multiline"],
                format!("Set {}.", crate::parameter("multiline")),
            ),
            NextStep::say("Search for one of the lines."),
        ]);
        let error = || ToolError::new(ErrorCode::Syntax, "No.").then(steps.clone());
        assert_eq!(
            [&Multiline as &dyn Names, &Unnamed].map(|names| error().reported(names).message),
            ["No. Set `acrossLines`.", "No. Search for one of the lines."]
        );
    }

    #[test]
    fn advice_names_the_parameter_as_the_dialect_does_or_the_other_way_alone() {
        let advice = Advice {
            aim: "match across lines".into(),
            field: "multiline",
            value: true.into(),
            otherwise: Some("search for one of the lines".into()),
        };
        let error = || ToolError::new(ErrorCode::Syntax, "No.").advising(advice.clone());
        let with = error().reported(&Multiline).message;
        let without = error().reported(&Unnamed).message;
        assert_eq!(
            with,
            "No. To match across lines, set `acrossLines: true` or search for one of the lines."
        );
        assert_eq!(
            without,
            "No. To match across lines, search for one of the lines."
        );
    }

    #[test]
    fn codes_are_unique_on_the_wire() {
        let mut names: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ErrorCode::ALL.len());
    }
}
