//! Rendering that several dialects share.

mod browser;
mod canvas;
mod changed;
mod command;
mod diagnostics;
mod explain;
mod find;
mod git;
mod grep;
mod image;
mod limit;
mod lines;
mod listing;
mod lsp;
mod memory;
mod patch;
mod planning;
mod sandbox;
mod session;
mod testing;
mod web;
mod write;

pub(crate) use browser::{browser_content, browser_page};
pub(crate) use canvas::canvas_content;
pub(crate) use changed::{ChangedDetails, changed_line};
pub(crate) use command::{COMMANDS, CommandStyle, command_text, stream_texts};
pub(crate) use diagnostics::diagnostics_text;
pub(crate) use explain::{kept_back, nothing_found, nothing_matched, out_of_time, unread};
pub(crate) use find::{found_text, total_of_cut};
pub(crate) use git::git_status_text;
pub(crate) use grep::{MatchedLine, grep_text, matched_lines};
pub(crate) use image::{ImageDetails, image_content};
pub(crate) use limit::{LimitName, limit_line};
pub(crate) use lines::{
    anchored_text, numbered, other_encoding, page_answer, page_notice, page_text, whole_text,
};
pub(crate) use listing::{BoundedList, bounded_list, listing_text, size};
pub(crate) use lsp::{fallback, lsp_text, total as lsp_total, truncated as lsp_truncated};
pub(crate) use memory::memory_text;
pub(crate) use patch::patch_text;
pub(crate) use planning::{answers_text, skill_text, task_text, todos_text, written_todos_text};
pub(crate) use sandbox::{SandboxDetails, sandbox_line};
pub(crate) use session::{
    EndedByName, ScreenDetails, condensed_news, ended_line, is_ready, matched_line, millis,
    polled_text, ready_line, since_epoch,
};
pub(crate) use testing::tests_text;
pub(crate) use web::{
    SearchResultDetails, fetched_image, page_content, results_text, search_results,
    web_response_text,
};
pub(crate) use write::{WriteOperation, write_message, written};

use tenon_contract::with_parameters;
use tenon_tools::AnchoredLines;

use crate::words::Words;

/// Puts warnings, which are sentences, below a text.
pub(crate) fn with_warnings(text: String, warnings: &[String], words: &Words<'_>) -> String {
    warnings.iter().fold(text, |text, warning| {
        let warning = with_parameters(warning, words);
        format!("{text}\n\nWarning: {warning}")
    })
}

/// The text of an edit by anchors with the new lines behind theirs.
pub(crate) fn with_new_anchors(text: String, places: &[AnchoredLines]) -> String {
    if places.is_empty() {
        return text;
    }
    let lines: Vec<&str> = places.iter().map(|place| place.text.as_str()).collect();
    format!(
        "{}\nNow:\n{}",
        text.trim_end_matches('\n'),
        lines.join("\n…\n")
    )
}

/// A number with its noun: `1 line`, `2 lines`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// That there are more than these: `First match shown`, `First 2 matches shown`.
pub(crate) fn first_shown(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("First {one} shown"),
        _ => format!("First {number} {many} shown"),
    }
}

/// Text and a bracketed notice after a blank line, as the model sees both.
pub(crate) fn with_notices(text: String, notices: &[String]) -> String {
    let Some((last, others)) = notices.split_last() else {
        return text;
    };
    // Those that are whole sentences end in a period already.
    let mut notice: String = others
        .iter()
        .map(|other| format!("{}. ", other.trim_end_matches('.')))
        .collect();
    notice.push_str(last);
    if text.is_empty() {
        format!("[{notice}]")
    } else {
        format!("{text}\n\n[{notice}]")
    }
}
