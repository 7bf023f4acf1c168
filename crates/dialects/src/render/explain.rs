//! Why nothing was found: what was looked at, and what was left out by which kind of rule.

use tenon_contract::counted;
use tenon_search::Facts;
use tenon_tools::{FindOutput, GrepOutput, KeptBack};

use super::grep::fell_back;
use crate::words::Words;

/// How a search is made smaller.
pub(crate) fn narrower(words: &Words<'_>) -> String {
    let pattern = words.parameter("pattern").unwrap_or("pattern");
    match words.parameter("path") {
        Some(path) => format!("Narrow {pattern} or {path}"),
        None => format!("Narrow {pattern}"),
    }
}

/// That a search ended before it had seen everything, and how the rest can be had.
pub(crate) fn out_of_time(cursor: Option<&str>, words: &Words<'_>) -> String {
    let lead = "Timed out: these results are incomplete";
    let narrower = narrower(words);
    match (cursor, words.parameter("cursor")) {
        (Some(cursor), Some(name)) => {
            format!("{lead}. Use {name}=\"{cursor}\" to continue from there. {narrower}")
        }
        (Some(cursor), None) => {
            format!("{lead} and end at `{cursor}` in path order. {narrower}")
        }
        (None, _) => format!("{lead}. {narrower}"),
    }
}

/// A content search without a match.
pub(crate) fn nothing_matched(output: &GrepOutput, words: &Words<'_>) -> String {
    if output.offset > 0 && output.totals.matches > 0 {
        return format!(
            "No more matches: {} in total, {} skipped.",
            output.totals.matches, output.offset
        );
    }
    let mut facts = left_out(&output.facts);
    if output.facts.files_searched == 0 && output.glob.is_some() && output.facts.files_filtered > 0
    {
        facts.insert(
            0,
            format!(
                "none of {} files matches the glob `{}`",
                output.facts.files_filtered,
                output.glob.as_deref().unwrap_or("")
            ),
        );
    }
    facts.extend(kept_back(output.kept_back.as_ref(), "searched"));
    if !output.near.is_empty() {
        // What would have matched says it all: where it is and why it was passed over.
        facts.clear();
        facts.extend(kept_back(output.kept_back.as_ref(), "searched"));
    }
    // What is ignored is searched where a path names it, if there is such a parameter.
    let takes_path = words.parameter("path").is_some();
    let near = output.near.iter().map(|near| {
        let way = near.rfind(". Search in `").filter(|_| !takes_path);
        way.and_then(|end| near.get(..end))
            .unwrap_or(near)
            .to_owned()
    });
    facts.splice(0..0, near);
    let near_by = output.near_by.filter(|_| !output.near.is_empty());
    if let Some(name) = near_by.and_then(|field| words.parameter(field)) {
        facts.insert(1, format!("set `{name}` to include it"));
    }
    if output.near.is_empty()
        && !output.ignore_case
        && output.pattern.chars().any(char::is_uppercase)
    {
        facts.push("the search was case-sensitive".to_owned());
    }
    facts.extend(fell_back(output));
    reported("No matches found", &output.facts, &facts)
}

/// A file search without a match.
pub(crate) fn nothing_found(output: &FindOutput) -> String {
    let mut facts = if output.near.is_empty() {
        left_out(&output.facts)
    } else {
        output.near.clone()
    };
    facts.extend(kept_back(output.kept_back.as_ref(), "listed"));
    reported("No files found matching pattern", &output.facts, &facts)
}

fn reported(lead: &str, facts: &Facts, notes: &[String]) -> String {
    let seen = facts.files_searched;
    let place = match seen {
        0 => String::new(),
        1 => " in 1 file".to_owned(),
        _ => format!(" in {seen} files"),
    };
    if notes.is_empty() {
        format!("{lead}{place}")
    } else {
        format!("{lead}{place}\n\n[{}]", notes.join("; "))
    }
}

/// What rules kept back from an answer; `what` says what was not done with it.
pub(crate) fn kept_back(kept: Option<&KeptBack>, what: &str) -> Option<String> {
    let kept = kept?;
    let quoted = |rules: &[String]| format!("`{}`", rules.join("`, `"));
    let reasons: Vec<String> = [
        ("denied by", &kept.denied_by),
        ("approval required by", &kept.approval_by),
    ]
    .into_iter()
    .filter(|(_, rules)| !rules.is_empty())
    .map(|(how, rules)| format!("{how} {}", quoted(rules)))
    .collect();
    let files = counted(kept.entries, "file", "files");
    Some(match reasons.as_slice() {
        [] => format!("{files} not {what}: denied by a rule"),
        reasons => format!("{files} not {what}: {}", reasons.join("; ")),
    })
}

/// What may hold more than was found, as `rg` says it of every search.
pub(crate) fn unread(facts: &Facts) -> Option<String> {
    match facts.unreadable {
        0 => None,
        1 => Some("1 file or directory could not be read".to_owned()),
        count => Some(format!("{count} files or directories could not be read")),
    }
}

/// What a search passed over, where that could explain an empty answer.
fn left_out(facts: &Facts) -> Vec<String> {
    let many = |count: u64, one: &str, more: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {more}")),
    };
    let ignored = facts.files_ignored + facts.directories_ignored;
    [
        many(
            ignored,
            "file or directory skipped by ignore files (such as .gitignore)",
            "files or directories skipped by ignore files (such as .gitignore)",
        ),
        many(
            facts.binary,
            "binary file not searched",
            "binary files not searched",
        ),
        many(
            facts.too_large,
            "file too large to search",
            "files too large to search",
        ),
        many(
            facts.unreadable,
            "file or directory unreadable",
            "files or directories unreadable",
        ),
        many(facts.links, "link not followed", "links not followed"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
