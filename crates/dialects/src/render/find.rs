//! Found files, one a line.

use tenon_tools::FindOutput;

use super::{bounded_list, kept_back, nothing_found, out_of_time, unread, with_notices};

/// How a vocabulary comes to files that an answer leaves out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rest<'a> {
    /// By a parameter that raises the limit.
    Limit(&'a str),
    /// By a smaller place or a narrower pattern, in these words.
    Narrower(&'a str),
}

/// How many files there are of which an answer has only the first; nothing where it has all of them.
pub(crate) fn total_of_cut(output: &FindOutput) -> Option<u64> {
    output.truncated.then_some(output.totals.matches)
}

/// The paths, or why there are none. `cursor_name` is what the model calls the parameter that goes on after time ran
/// out, if it has one.
pub(crate) fn found_text(output: &FindOutput, rest: Rest<'_>, cursor_name: Option<&str>) -> String {
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
        let more = match (rest, output.files.last()) {
            (Rest::Limit(name), _) => {
                format!("Use {name}={} for more, or refine pattern", shown * 2)
            }
            (Rest::Narrower(how), Some(last)) => {
                format!("They are sorted by path and end at `{}`. {how}", last.path)
            }
            (Rest::Narrower(how), None) => how.to_owned(),
        };
        notices.push(format!("{lead}. {more}"));
    }
    notices.extend(cut);
    notices.extend(unread(&output.facts));
    notices.extend(kept_back(output.kept_back.as_ref(), "listed"));
    with_notices(text, &notices)
}
