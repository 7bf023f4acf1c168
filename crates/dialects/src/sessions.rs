//! What the vocabularies share of sessions and sub-agents.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{Content, FileChange};
use tenon_tools::{
    ResultFact, SessionFact, SessionStatusOutput, SessionsHistoryOutput, SessionsListOutput,
    SessionsSendOutput, SessionsSpawnOutput, StoppedFact, SubagentsOutput,
};

use crate::render::{count, with_notices};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details that are what the operation returns, with a text.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident of $output:ident by $text:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Serialize, JsonSchema)]
            #[serde(transparent)]
            pub(crate) struct $name($output);

            impl ResultView for $name {
                type Output = $output;

                fn render(output: $output, _: &Words<'_>) -> (Vec<Content>, Self) {
                    (vec![Content::Text($text(&output))], Self(output))
                }
            }
        )*
    };
}

answers! {
    /// Details of a tool that starts a session.
    SpawnAnswer of SessionsSpawnOutput by spawn_text;
    /// Details of a tool that sends a message.
    SendAnswer of SessionsSendOutput by send_text;
    /// Details of a tool that looks after sub-agents.
    SubagentsAnswer of SubagentsOutput by subagents_text;
    /// Details of a tool that lists sessions.
    ListAnswer of SessionsListOutput by list_text;
    /// Details of a tool that says how a session is.
    StatusAnswer of SessionStatusOutput by status_text;
    /// Details of a tool that shows what was said.
    HistoryAnswer of SessionsHistoryOutput by history_text;
}

fn spawn_text(output: &SessionsSpawnOutput) -> String {
    if let Some(result) = &output.result {
        return result_text(result);
    }
    let place = output
        .position
        .map_or_else(String::new, |place| format!(", place {place} in the queue"));
    format!(
        "Started \"{}\" as {} ({}{place}).",
        output.label,
        output.session_id,
        output.status.as_str()
    )
}

fn send_text(output: &SessionsSendOutput) -> String {
    if let Some(result) = &output.result {
        return result_text(result);
    }
    let (label, id) = (&output.label, &output.session_id);
    match output.disposition {
        "steered" => format!("\"{label}\" ({id}) has the message in its present run."),
        "started" if output.status == "timeout" => {
            format!("\"{label}\" ({id}) is still working on the message.")
        }
        "started" => format!("\"{label}\" ({id}) works on the message."),
        "queued" => format!("The message waits until \"{label}\" ({id}) can work on it."),
        _ => format!(
            "The message is stored for \"{label}\" ({id}), which is shown it with its next result."
        ),
    }
}

fn subagents_text(output: &SubagentsOutput) -> String {
    if let Some(sessions) = &output.sessions {
        let notices: Vec<String> = (output.has_more == Some(true))
            .then(|| "There are more. Use a larger `limit`".to_owned())
            .into_iter()
            .collect();
        return with_notices(rows_text(sessions), &notices);
    }
    if let Some(results) = &output.results {
        let mut parts: Vec<String> = results.iter().map(result_text).collect();
        let pending = output.pending.as_deref().unwrap_or_default();
        if !pending.is_empty() {
            parts.push(format!(
                "Not ended: {}",
                names(pending.iter().map(|row| (&row.label, &row.session_id)))
            ));
        }
        if parts.is_empty() {
            parts.push(
                "There is nothing to wait for: no sub-agent runs, and no result is unread."
                    .to_owned(),
            );
        }
        return parts.join("\n\n");
    }
    let list = |what: &str, facts: &Option<Vec<StoppedFact>>| {
        let facts = facts.as_deref().unwrap_or_default();
        let named = names(facts.iter().map(|fact| (&fact.label, &fact.session_id)));
        (!facts.is_empty()).then(|| format!("{what}: {named}"))
    };
    let lines: Vec<String> = [
        list("Stopped", &output.stopped),
        list("Had ended before", &output.already_ended),
        list("Not stopped", &output.failed),
    ]
    .into_iter()
    .flatten()
    .collect();
    if lines.is_empty() {
        "Nothing was running.".to_owned()
    } else {
        lines.join("\n")
    }
}

fn names<'a>(named: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    let named: Vec<String> = named
        .map(|(label, id)| format!("\"{label}\" ({id})"))
        .collect();
    named.join(", ")
}

fn result_text(result: &ResultFact) -> String {
    let late = if result.late == Some(true) {
        ", late"
    } else {
        ""
    };
    let mut text = format!(
        "\"{}\" ({}): {}{late}",
        result.label,
        result.session_id,
        result.status.as_str()
    );
    if !result.summary.is_empty() {
        text.push('\n');
        text.push_str(&result.summary);
    }
    let mut notices = Vec::new();
    if result.code.as_deref() == Some("output_mismatch") {
        let words = "Its output did not match `outputSchema`, also at a second try";
        notices.push(words.to_owned());
    }
    if result.omitted_bytes > 0 {
        let bytes = count(result.omitted_bytes as u64, "byte is", "bytes are");
        notices.push(format!(
            "{bytes} omitted; the whole text is in the history of the session"
        ));
    }
    notices.extend(FileChange::listed(&result.changes));
    with_notices(text, &notices)
}

fn rows_text(sessions: &[SessionFact]) -> String {
    if sessions.is_empty() {
        return "There are no sessions.".to_owned();
    }
    let row = |fact: &SessionFact| {
        let unread = if fact.unread > 0 {
            format!(", {} unread", fact.unread)
        } else {
            String::new()
        };
        format!(
            "{} \"{}\" {} ({}, {}{unread})",
            fact.session_id,
            fact.label,
            fact.status.as_str(),
            fact.agent,
            count(fact.tool_calls, "call", "calls"),
        )
    };
    sessions.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn list_text(output: &SessionsListOutput) -> String {
    let cursor = output.next_cursor.iter();
    let notices: Vec<String> = cursor
        .map(|cursor| format!("There are more. Use `cursor`: `{cursor}`"))
        .collect();
    with_notices(rows_text(&output.sessions), &notices)
}

fn status_text(output: &SessionStatusOutput) -> String {
    let number = |of: &std::collections::BTreeMap<&str, usize>, name: &str| {
        of.get(name).copied().unwrap_or_default()
    };
    let mut lines = vec![
        rows_text(std::slice::from_ref(&output.session)),
        format!(
            "Tasks: {} pending, {} in progress, {} completed",
            number(&output.todos, "pending"),
            number(&output.todos, "inProgress"),
            number(&output.todos, "completed")
        ),
        format!(
            "Sub-agents: {} running, {} queued, {} ended, {} unread",
            number(&output.children, "running"),
            number(&output.children, "queued"),
            number(&output.children, "ended"),
            number(&output.children, "unread")
        ),
        format!(
            "Now: {} (time zone of the user: {})",
            output.now, output.time_zone
        ),
        format!("Version: {}", output.version),
    ];
    for change in output.changes.iter().flatten() {
        lines.push(format!("Changed: {change}"));
    }
    if output.gap == Some(true) {
        lines.push("Some older changes are not known any more.".to_owned());
    }
    lines.join("\n")
}

fn history_text(output: &SessionsHistoryOutput) -> String {
    if output.messages.is_empty() {
        return "Nothing was said in this session.".to_owned();
    }
    let texts: Vec<String> = output
        .messages
        .iter()
        .map(|message| {
            let from = message.from.as_ref().map_or_else(String::new, |from| {
                format!(" (from session {from}, not from the user)")
            });
            format!("{}{from}: {}", message.role, message.text)
        })
        .collect();
    let before = output.before.iter();
    let notices: Vec<String> = before
        .map(|before| format!("There are older messages. Use `before`: {before}"))
        .collect();
    with_notices(texts.join("\n\n"), &notices)
}
