//! Ways of telling that several dialects share.

mod command;
mod explain;
mod grep;
mod lines;
mod listing;

pub(crate) use command::command_text;
pub(crate) use explain::{nothing_found, nothing_matched};
pub(crate) use grep::{GrepStyle, grep_text};
pub(crate) use lines::{image_content, numbered, page_notice, page_text};
pub(crate) use listing::{bounded_list, size};

/// Puts warnings, which are sentences, below a text.
pub(crate) fn with_warnings(text: String, warnings: &[String]) -> String {
    warnings.iter().fold(text, |text, warning| {
        format!("{text}\n\nWarning: {warning}")
    })
}

/// Text and a bracketed notice after a blank line, as the model sees both.
pub(crate) fn with_notices(text: String, notices: &[String]) -> String {
    if notices.is_empty() {
        text
    } else {
        format!("{text}\n\n[{}]", notices.join(". "))
    }
}
