//! What the vocabularies share of messages.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{
    ChannelTarget, MessageAction, MessageChannel, MessageOutput, MessagePart, MessageStatus,
};

use crate::result_view::ResultView;
use crate::words::Words;

/// Details of a tool for messages. Which are there depends on the action.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageAnswer {
    /// Whether the whole message was sent.
    delivered: bool,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<MessageStatus>,
    /// Its id on the channel; of several parts that of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    /// Who got it, as the channel knows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Who got it, as users know them.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_name: Option<String>,
    /// Its parts, where it has several; those that were not tried are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<MessagePart>>,
    /// Why it was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Whether the same call was made before, and nothing was sent again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// Whether nothing was to be sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    /// channels: where messages can go.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<MessageChannel>>,
}

impl ResultView for MessageAnswer {
    type Output = MessageOutput;

    fn render(output: MessageOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let status = output.status();
        let (text, details) = match output {
            MessageOutput::Channels(channels) => {
                let text = channels_text(&channels);
                (
                    text,
                    Self {
                        channels: Some(channels),
                        ..Self::default()
                    },
                )
            }
            MessageOutput::Done {
                action,
                place,
                parts,
                of,
                is_repeated,
                dry_run,
            } => {
                let text = done_text(action, &place, (&parts, of), status, (is_repeated, dry_run));
                let (target, target_name) =
                    place.target.map(|target| (target.id, target.label)).unzip();
                let details = Self {
                    delivered: parts.len() == of
                        && matches!(status, MessageStatus::Sent | MessageStatus::Queued),
                    status: Some(status),
                    id: parts.first().and_then(|part| part.id.clone()),
                    channel: Some(place.channel),
                    target,
                    target_name: target_name.flatten(),
                    error: parts.iter().find_map(|part| part.error.clone()),
                    parts: (of > 1).then_some(parts),
                    repeated: is_repeated,
                    dry_run,
                    channels: None,
                };
                (text, details)
            }
        };
        (vec![Content::Text(text)], details)
    }
}

fn done_text(
    action: MessageAction,
    place: &ChannelTarget,
    (parts, of): (&[MessagePart], usize),
    status: MessageStatus,
    (is_repeated, dry_run): (bool, bool),
) -> String {
    let name = name_of(place);
    let in_parts = if of > 1 {
        format!(" in {of} parts")
    } else {
        String::new()
    };
    if dry_run {
        return format!(
            "Nothing was sent. `{}` would go to {name}{in_parts}.",
            action.name()
        );
    }
    let repeated = if is_repeated {
        " This call was made before; nothing was sent again."
    } else {
        ""
    };
    let id = parts
        .first()
        .and_then(|part| part.id.as_ref())
        .map_or_else(String::new, |id| format!(" Id: {id}."));
    let error = parts
        .iter()
        .find_map(|part| part.error.as_ref())
        .map_or_else(String::new, |error| format!(" {error}"));
    let reached = match parts.len().saturating_sub(1) {
        0 => String::new(),
        sent => format!(" {sent} of {of} parts were sent before."),
    };
    match status {
        MessageStatus::Sent => format!("{} {name}{in_parts}.{id}{repeated}", done_word(action)),
        MessageStatus::Queued => format!(
            "The channel has accepted it for {name}{in_parts} and sends it later.{id}{repeated}"
        ),
        MessageStatus::Suppressed => {
            format!("The application did not send it to {name}.{error}{repeated}")
        }
        MessageStatus::Unknown => format!(
            "It is unknown whether it reached {name}.{error}{reached} Do not send it again unless the user confirms that it did not arrive.{repeated}"
        ),
        MessageStatus::Failed => format!("It was not sent to {name}.{error}{reached}{repeated}"),
    }
}

fn name_of(place: &ChannelTarget) -> String {
    match &place.target {
        Some(target) => format!(
            "{} in {}",
            target.label.as_ref().unwrap_or(&target.id),
            place.channel
        ),
        None => place.channel.clone(),
    }
}

const fn done_word(action: MessageAction) -> &'static str {
    match action {
        MessageAction::Edit => "Edited the message to",
        MessageAction::Delete => "Deleted the message to",
        MessageAction::React => "Reacted to the message to",
        MessageAction::Send | MessageAction::Channels => "Sent to",
    }
}

fn channels_text(channels: &[MessageChannel]) -> String {
    if channels.is_empty() {
        return "This application does not list its channels.".to_owned();
    }
    /// More are in the details.
    const SHOWN: usize = 50;
    let line = |channel: &MessageChannel| {
        let label = channel
            .label
            .as_ref()
            .map_or_else(String::new, |label| format!(" ({label})"));
        let targets = match &channel.targets {
            None => "any target".to_owned(),
            Some(targets) => {
                let names = targets
                    .iter()
                    .take(SHOWN)
                    .map(|target| match &target.label {
                        Some(label) if *label != target.id => format!("{} ({label})", target.id),
                        _ => target.id.clone(),
                    });
                let more = targets.len().saturating_sub(SHOWN);
                let mut names: Vec<String> = names.collect();
                if more > 0 {
                    names.push(format!("{more} more"));
                }
                names.join(", ")
            }
        };
        format!(
            "{}{label}: {}; {targets}",
            channel.id,
            channel.actions.join(", ")
        )
    };
    channels.iter().map(line).collect::<Vec<_>>().join("\n")
}
