//! What language servers find, as text: short lines, references by file.

use tenon_contract::{NextStep, with_parameters};
use tenon_tools::{
    ActionFact, CallFact, ChangedFileFact, ChangesFact, LspFound, LspOperation, LspOutput,
    PlaceFact, Shortfall, SymbolFact, shown_name,
};

use super::patch::changed_line;
use super::{with_notices, with_warnings};
use crate::words::Words;

/// What to do instead where no language server answers, as far as the tools for it are exposed.
pub(crate) fn fallback(operation: LspOperation, words: &Words<'_>) -> Option<String> {
    use LspOperation as Asked;
    let (first, second) = match operation {
        Asked::Diagnostics => (
            NextStep::read_file("read the file"),
            NextStep::run_command("run the project's checker"),
        ),
        Asked::Hover => (
            NextStep::read_file("read the source"),
            NextStep::search("find the declaration"),
        ),
        _ => (
            NextStep::search("search for the name"),
            NextStep::read_file("read the source"),
        ),
    };
    let steps = [first, second];
    let reported: Vec<String> = steps
        .iter()
        .filter_map(|step| step.sentence(words))
        .collect();
    (!reported.is_empty()).then(|| reported.join(" "))
}

/// The text of an answer.
pub(crate) fn lsp_text(output: &LspOutput, words: &Words<'_>) -> String {
    let text = match &output.found {
        Err(shortfall) => return shortfall_text(shortfall, output.operation, words),
        Ok(LspFound::Contents(contents)) if contents.is_empty() => {
            "No information about this symbol.".to_owned()
        }
        Ok(LspFound::Contents(contents)) => contents.clone(),
        Ok(LspFound::Source { symbol, text }) => format!("{}\n{text}", symbol_line(symbol)),
        Ok(LspFound::Locations(listed)) => by_file(&listed.items),
        Ok(LspFound::Symbols(listed) | LspFound::Items(listed)) => {
            lines(&listed.items, symbol_line)
        }
        Ok(LspFound::Calls(listed)) => lines(&listed.items, call_line),
        Ok(LspFound::Diagnostics(listed)) => lines(&listed.items, |finding| {
            let source = finding.source.as_deref().unwrap_or("server");
            let code = finding
                .code
                .as_ref()
                .map(|code| format!(" {code}"))
                .unwrap_or_default();
            format!(
                "{}:{} {}: {} [{source}{code}]",
                finding.line,
                finding.character,
                finding.severity.as_str(),
                finding.message
            )
        }),
        Ok(LspFound::Actions(listed)) => lines(&listed.items, action_line),
        Ok(LspFound::Changes(changes)) => changes_text(changes, words),
    };
    let text = if text.is_empty() {
        "No results.".to_owned()
    } else {
        text
    };
    with_notices(text, &notices(output, words))
}

fn notices(output: &LspOutput, words: &Words<'_>) -> Vec<String> {
    let (total, shown) = total(output);
    let cut = if total > shown {
        Some(format!("First {shown} of {total} shown"))
    } else if truncated(output) {
        Some(format!("First {shown} matches shown. Narrow the query"))
    } else {
        None
    };
    let mut notices: Vec<String> = cut.into_iter().collect();
    notices.extend(
        output
            .notes
            .iter()
            .map(|note| with_parameters(note.trim_end_matches('.'), words)),
    );
    if output.status == tenon_lsp::ServerStatus::Indexing {
        notices.push("The server is still indexing the project, so this may be incomplete. Call again in a moment".to_owned());
    }
    notices
}

/// Whether there are, or may be, more than are shown.
pub(crate) fn truncated(output: &LspOutput) -> bool {
    match &output.found {
        Ok(LspFound::Symbols(listed) | LspFound::Items(listed)) => listed.truncated(),
        _ => {
            let (total, shown) = total(output);
            total > shown
        }
    }
}

/// How many were found, and how many are shown.
pub(crate) fn total(output: &LspOutput) -> (usize, usize) {
    match &output.found {
        Ok(LspFound::Locations(listed)) => (listed.total, listed.items.len()),
        Ok(LspFound::Symbols(listed) | LspFound::Items(listed)) => {
            (listed.total, listed.items.len())
        }
        Ok(LspFound::Calls(listed)) => (listed.total, listed.items.len()),
        Ok(LspFound::Diagnostics(listed)) => (listed.total, listed.items.len()),
        Ok(LspFound::Actions(listed)) => (listed.total, listed.items.len()),
        Ok(LspFound::Changes(changes)) => (changes.files.len(), changes.files.len()),
        Ok(LspFound::Source { .. }) => (1, 1),
        Ok(LspFound::Contents(contents)) => (
            usize::from(!contents.is_empty()),
            usize::from(!contents.is_empty()),
        ),
        Err(_) => (0, 0),
    }
}

fn shortfall_text(shortfall: &Shortfall, operation: LspOperation, words: &Words<'_>) -> String {
    let install = shortfall
        .install
        .as_ref()
        .map(|command| format!(" Install it with `{command}`."))
        .unwrap_or_default();
    let fallback = fallback(operation, words).map_or_else(String::new, |line| format!("\n{line}"));
    let reason = with_parameters(&shortfall.reason, words);
    format!("{reason}{install}{fallback}")
}

/// The changed files in the short form of version control; a dry run shows its diff.
fn changes_text(changes: &ChangesFact, words: &Words<'_>) -> String {
    let title = changes
        .title
        .as_ref()
        .map(|title| format!(" (`{title}`)"))
        .unwrap_or_default();
    let files = lines(&changes.files, |file: &ChangedFileFact| {
        let counts = (file.additions, file.deletions);
        changed_line(&file.path, file.kind, file.from.as_deref(), counts)
    });
    let text = if changes.applied {
        format!("Success{title}. Updated the following files:\n{files}")
    } else {
        format!(
            "Dry run: nothing was changed{title}. It would update:\n{files}\n{}",
            changes.diff
        )
    };
    with_warnings(text.trim_end().to_owned(), &changes.warnings, words)
}

fn action_line(action: &ActionFact) -> String {
    let kind = action.kind.as_deref().unwrap_or("action");
    let preferred = if action.is_preferred {
        " (preferred)"
    } else {
        ""
    };
    let disabled = action
        .disabled
        .as_ref()
        .map(|reason| format!(" (not now: {reason})"))
        .unwrap_or_default();
    format!("{} [{kind}]{preferred}{disabled}", action.title)
}

fn lines<T>(items: &[T], line: impl Fn(&T) -> String) -> String {
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn by_file(places: &[PlaceFact]) -> String {
    let mut reported = Vec::new();
    let mut file = "";
    for place in places {
        if place.file != file {
            file = &place.file;
            reported.push(shown_name(file).into_owned());
        }
        reported.push(format!(
            "  {}:{} {}",
            place.line, place.character, place.text
        ));
        if let Some(excerpt) = place
            .excerpt
            .as_ref()
            .filter(|excerpt| excerpt.contains('\n'))
        {
            reported.push(excerpt.clone());
        }
    }
    reported.join("\n")
}

fn symbol_line(symbol: &SymbolFact) -> String {
    let indent = "  ".repeat(symbol.depth);
    let detail = symbol
        .detail
        .as_ref()
        .map(|detail| format!(" {detail}"))
        .unwrap_or_default();
    let place = &symbol.place;
    format!(
        "{indent}{} {}{detail} {}:{}:{}",
        symbol.kind,
        symbol.name,
        shown_name(&place.file),
        place.line,
        place.character
    )
}

fn call_line(call: &CallFact) -> String {
    let places: Vec<String> = call
        .places
        .iter()
        .map(|place| format!("{}:{}", place.line, place.character))
        .collect();
    let at = if places.is_empty() {
        String::new()
    } else {
        format!(" (calls at {})", places.join(", "))
    };
    format!("{}{at}", symbol_line(&call.symbol))
}
