//! Why a search could not be done.

use std::io;

use tenon_contract::{Advice, ErrorCode, ToolError};

/// Every failure of this crate. Single files and directories that cannot be read are not failures; they
/// are counted in [`Facts::unreadable`](crate::Facts::unreadable).
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern to search for is not a regular expression of ripgrep's.
    #[error("`{pattern}` is not a valid regular expression: {reason}{}.{}", place(*.character), sentence(.remedy))]
    Pattern {
        /// The start of the pattern as given.
        pattern: String,
        /// What is wrong, without a full stop.
        reason: String,
        /// Where, in characters from 1, if it is at one place.
        character: Option<usize>,
        /// The next step.
        remedy: Remedy,
    },
    /// The text to search for has a line break, and lines are searched one by one.
    #[error("`{pattern}` has a line break, but lines are searched one by one.")]
    LineBreak {
        /// The start of the text as given.
        pattern: String,
    },
    /// A glob does not parse, or leads out of the search root.
    #[error("`{glob}` cannot be used as a glob: {reason}.")]
    Glob {
        /// The glob as given.
        glob: String,
        /// What is wrong, without a full stop.
        reason: String,
    },
    /// A file type that ripgrep does not know.
    #[error("`{name}` is not a known file type.{}", suggested_types(.near))]
    Type {
        /// The name as given.
        name: String,
        /// Known names that are like it.
        near: Vec<String>,
    },
    /// The search root cannot be searched.
    #[error("`{path}` cannot be searched: {source}.")]
    Root {
        /// The root.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The call was cancelled.
    #[error("The call was aborted before it finished.")]
    Cancelled,
}

/// What helps against a pattern that does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// A sentence.
    Sentence(&'static str),
    /// To search for the text as it stands; with how it is written as a regular expression, unless that is long.
    Literal {
        /// The pattern with its signs escaped.
        escaped: Option<String>,
    },
    /// To search across lines.
    Multiline,
}

impl Remedy {
    fn advice(&self) -> Option<Advice> {
        let (aim, field, otherwise) = match self {
            Self::Sentence(_) => return None,
            Self::Literal { escaped } => (
                "search for this text literally",
                "literal",
                escaped.as_ref().map_or_else(
                    || r"write a backslash before each of `\.+*?()|[]{}^$`".to_owned(),
                    |escaped| format!("write `{escaped}`"),
                ),
            ),
            Self::Multiline => (
                "match across lines",
                "multiline",
                "search for one of the lines".to_owned(),
            ),
        };
        Some(Advice {
            aim: aim.to_owned(),
            field,
            value: true.into(),
            otherwise: Some(otherwise),
        })
    }
}

/// Where the remedy is a sentence of its own. What takes a parameter is reported where its name is known.
fn sentence(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Sentence(sentence) => format!(" {sentence}"),
        Remedy::Literal { .. } | Remedy::Multiline => String::new(),
    }
}

/// Enough of a text to recognise it.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 200;
    if text.len() <= SHOWN {
        text.to_owned()
    } else {
        format!(
            "{}…",
            text.get(..text.floor_char_boundary(SHOWN))
                .unwrap_or_default()
        )
    }
}

fn place(character: Option<usize>) -> String {
    character.map_or_else(String::new, |character| {
        format!(" (at character {character})")
    })
}

fn suggested_types(near: &[String]) -> String {
    match near {
        [] => " Omit it, or filter by a glob such as `*.rs`.".to_owned(),
        names => format!(" Did you mean `{}`?", names.join("`, `")),
    }
}

impl SearchError {
    /// A glob that cannot be used, with the reason.
    pub(crate) fn glob(glob: &str, reason: impl Into<String>) -> Self {
        Self::Glob {
            glob: shorten(glob),
            reason: reason.into(),
        }
    }
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        let code = match &error {
            SearchError::Cancelled => return Self::cancelled(),
            SearchError::Pattern { .. }
            | SearchError::LineBreak { .. }
            | SearchError::Glob { .. } => ErrorCode::Syntax,
            SearchError::Type { .. } => ErrorCode::InvalidParams,
            SearchError::Root { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => ErrorCode::NotFound,
                io::ErrorKind::PermissionDenied => ErrorCode::AccessDenied,
                io::ErrorKind::NotADirectory => ErrorCode::NotADirectory,
                io::ErrorKind::InvalidInput => ErrorCode::NotAFile,
                _ => ErrorCode::Io,
            },
        };
        let reported = Self::new(code, error.to_string());
        let reported = match &error {
            SearchError::LineBreak { .. } => match Remedy::Multiline.advice() {
                Some(advice) => reported.advising(advice),
                None => reported,
            },
            SearchError::Pattern {
                character, remedy, ..
            } => {
                let reported = match character {
                    Some(character) => reported.with("character", *character as u64),
                    None => reported,
                };
                match remedy.advice() {
                    Some(advice) => reported.advising(advice),
                    None => reported,
                }
            }
            _ => reported,
        };
        reported.caused_by(error)
    }
}
