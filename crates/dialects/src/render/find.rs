//! Found files, one a line.

use tenon_tools::FindOutput;

use super::{bounded_list, nothing_found, with_notices};

/// The paths, or why there are none. `limit_name` is what the model calls the parameter that shows
/// more, if it has one.
pub(crate) fn found_text(output: &FindOutput, limit_name: Option<&str>) -> String {
    if output.files.is_empty() {
        return nothing_found(output);
    }
    let (text, cut) = bounded_list(output.files.iter().map(|file| file.path.clone()));
    let mut notices = Vec::new();
    if output.truncated {
        let shown = output.files.len();
        let lead = if output.totals.exact {
            format!("{shown} of {} files shown", output.totals.matches)
        } else {
            format!("{shown} results limit reached")
        };
        let more = match limit_name {
            Some(name) => format!("Use {name}={} for more, or refine pattern", shown * 2),
            None => "Use a narrower pattern".to_owned(),
        };
        notices.push(format!("{lead}. {more}"));
    }
    notices.extend(cut);
    with_notices(text, &notices)
}
