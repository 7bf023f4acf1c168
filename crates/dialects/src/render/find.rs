//! Found files, one a line.

use tenon_tools::{FindOutput, shown_name};

use super::explain::narrower;
use super::{
    bounded_list, first_shown, kept_back, nothing_found, out_of_time, unread, with_notices,
};
use crate::words::Words;

/// How many files there are of which an answer has only the first; nothing where it has all of them.
pub(crate) fn total_of_cut(output: &FindOutput) -> Option<u64> {
    output.truncated.then_some(output.totals.matches)
}

/// The paths, or why there are none.
pub(crate) fn found_text(output: &FindOutput, words: &Words<'_>) -> String {
    let out_of_time = output
        .timed_out
        .then(|| out_of_time(output.cursor.as_deref(), words));
    if output.files.is_empty() {
        return match out_of_time {
            Some(notice) => with_notices("No files found so far".to_owned(), &[notice]),
            None => nothing_found(output),
        };
    }
    let (text, cut) = bounded_list(output.files.iter().map(|file| shown_name(&file.path)));
    let mut notices = Vec::new();
    if let Some(notice) = out_of_time {
        notices.push(notice);
    } else if output.truncated {
        let shown = output.files.len();
        let lead = if output.totals.exact {
            format!("{shown} of {} files shown", output.totals.matches)
        } else {
            first_shown(shown, "file", "files")
        };
        let more = match (words.parameter("limit"), output.files.last()) {
            (Some(name), _) => {
                let pattern = words.parameter("pattern").unwrap_or("pattern");
                format!("Use {name}={} for more, or narrow {pattern}", shown * 2)
            }
            (None, Some(last)) => {
                let narrower = narrower(words);
                format!(
                    "They are sorted by path and end at `{}`. {narrower}",
                    shown_name(&last.path)
                )
            }
            (None, None) => narrower(words),
        };
        notices.push(format!("{lead}. {more}"));
    }
    notices.extend(cut);
    notices.extend(unread(&output.facts));
    notices.extend(kept_back(output.kept_back.as_ref(), "listed"));
    with_notices(text, &notices)
}
