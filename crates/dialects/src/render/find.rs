//! Found files, one a line.

use tenon_tools::FindOutput;

use super::{bounded_list, nothing_found, out_of_time, unread, with_notices};

/// The paths, or why there are none. `limit_name` is what the model calls the parameter that shows
/// more, if it has one, `cursor_name` the one that goes on after time ran out.
pub(crate) fn found_text(
    output: &FindOutput,
    limit_name: Option<&str>,
    cursor_name: Option<&str>,
) -> String {
    let out_of_time = output
        .timed_out
        .then(|| out_of_time(output.cursor.as_deref(), cursor_name));
    if output.files.is_empty() {
        return match out_of_time {
            Some(notice) => with_notices("No files found so far".to_owned(), &[notice]),
            None => nothing_found(output),
        };
    }
    let (text, cut) = bounded_list(output.files.iter().map(|file| &file.path));
    let mut notices = Vec::new();
    if let Some(notice) = out_of_time {
        notices.push(notice);
    } else if output.truncated {
        let shown = output.files.len();
        let lead = if output.totals.exact {
            format!("{shown} of {} files shown", output.totals.matches)
        } else {
            format!("{shown} results limit reached")
        };
        let more = match limit_name {
            Some(name) => format!("Use {name}={} for more, or refine pattern", shown * 2),
            _ => "Use a narrower pattern".to_owned(),
        };
        notices.push(format!("{lead}. {more}"));
    }
    notices.extend(cut);
    notices.extend(unread(&output.facts));
    with_notices(text, &notices)
}
