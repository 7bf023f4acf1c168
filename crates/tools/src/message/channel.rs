//! Channels of the host, and who is meant by a target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};

use super::MessageAction;
use crate::host::odd;

/// A channel, as the host reports it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageChannel {
    /// What it is called by.
    pub id: String,
    /// What users call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it can do. Default: `send`.
    #[serde(default = "only_send")]
    pub actions: Vec<String>,
    /// The longest text, in UTF-16 units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_text: Option<usize>,
    /// Who can be reached. Missing: anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<MessageTarget>>,
}

fn only_send() -> Vec<String> {
    vec!["send".to_owned()]
}

/// Somebody who can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct MessageTarget {
    /// What the host knows them by.
    pub id: String,
    /// What users call them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelTarget {
    /// The channel.
    pub channel: String,
    /// The target; nothing where the channel has only one.
    pub target: Option<MessageTarget>,
    /// The longest text.
    pub max_text: Option<usize>,
}

impl ChannelTarget {
    /// What rules call it: the channel with the name of the target, else with its id.
    pub(super) fn subject(&self) -> String {
        match &self.target {
            Some(target) => format!(
                "{}:{}",
                self.channel,
                target.label.as_ref().unwrap_or(&target.id)
            ),
            None => self.channel.clone(),
        }
    }

    /// What rules may call it as well.
    pub(super) fn also(&self) -> Vec<String> {
        let other = self.target.as_ref().filter(|target| target.label.is_some());
        other
            .map(|target| format!("{}:{}", self.channel, target.id))
            .into_iter()
            .collect()
    }
}

/// The channels as the host reports them.
pub(super) fn read(said: Value) -> Result<Vec<MessageChannel>, ToolError> {
    serde_json::from_value(said).map_err(|error| odd("channels", &format!("{error}")))
}

fn invalid(code: ErrorCode, message: String) -> ToolError {
    ToolError::new(code, message)
}

/// The place that a call means.
pub(super) fn resolve(
    channels: &[MessageChannel],
    action: MessageAction,
    channel: Option<&str>,
    target: Option<&str>,
) -> Result<ChannelTarget, ToolError> {
    let found = channel_of(channels, channel)?;
    if !found.actions.iter().any(|known| known == action.name()) {
        let message = format!(
            "The channel `{}` cannot `{}`. It can: {}.",
            found.id,
            action.name(),
            listed(found.actions.iter())
        );
        return Err(invalid(ErrorCode::InvalidParams, message));
    }
    let place = |target| ChannelTarget {
        channel: found.id.clone(),
        target,
        max_text: found.max_text,
    };
    match (&found.targets, target) {
        (None, None) => Ok(place(None)),
        (None, Some(target)) => Ok(place(Some(MessageTarget {
            id: target.to_owned(),
            label: None,
        }))),
        (Some(targets), None) => match targets.as_slice() {
            [only] => Ok(place(Some(only.clone()))),
            _ => {
                let message = format!(
                    "`target` is required for the channel `{}`. Targets: {}.",
                    found.id,
                    shown(targets.iter())
                );
                Err(invalid(ErrorCode::InvalidParams, message))
            }
        },
        (Some(targets), Some(target)) => {
            target_of(&found.id, targets, target).map(|target| place(Some(target)))
        }
    }
}

fn channel_of<'c>(
    channels: &'c [MessageChannel],
    wanted: Option<&str>,
) -> Result<&'c MessageChannel, ToolError> {
    let known = listed(channels.iter().map(|channel| &channel.id));
    let Some(wanted) = wanted else {
        return match channels {
            [only] => Ok(only),
            _ => Err(invalid(
                ErrorCode::InvalidParams,
                format!("`channel` is required. Channels: {known}."),
            )),
        };
    };
    if let Some(exact) = channels.iter().find(|channel| channel.id == wanted) {
        return Ok(exact);
    }
    let is_meant = |channel: &&MessageChannel| {
        let names = [Some(&channel.id), channel.label.as_ref()];
        names
            .into_iter()
            .flatten()
            .any(|name| plain(name) == plain(wanted))
    };
    let mut meant = channels.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(invalid(
            ErrorCode::NotFound,
            format!("There is no channel {}. Channels: {known}.", quoted(wanted)),
        )),
    }
}

/// The target that a name means: by its id, by its exact name, or by a name that only differs in `#`, `@` and case. Where
/// several fit, none is chosen.
fn target_of(
    channel: &str,
    targets: &[MessageTarget],
    wanted: &str,
) -> Result<MessageTarget, ToolError> {
    if let Some(exact) = targets.iter().find(|target| target.id == wanted) {
        return Ok(exact.clone());
    }
    let by = |fits: &dyn Fn(&MessageTarget) -> bool| {
        targets
            .iter()
            .filter(|target| fits(target))
            .collect::<Vec<_>>()
    };
    let named = by(&|target| target.label.as_deref() == Some(wanted));
    let meant = if named.is_empty() {
        by(&|target| {
            [Some(&target.id), target.label.as_ref()]
                .into_iter()
                .flatten()
                .any(|name| plain(name) == plain(wanted))
        })
    } else {
        named
    };
    match meant.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let near = by(&|target| {
                [Some(&target.id), target.label.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|name| is_near(name, wanted))
            });
            let (word, shown) = if near.is_empty() {
                ("Targets", shown(targets.iter()))
            } else {
                ("Did you mean", shown(near.into_iter()))
            };
            let end = if word == "Targets" { "." } else { "?" };
            let colon = if word == "Targets" { ":" } else { "" };
            let message = format!(
                "There is no target {} in the channel `{channel}`. {word}{colon} {shown}{end}",
                quoted(wanted)
            );
            Err(invalid(ErrorCode::NotFound, message))
        }
        several => {
            let message = format!(
                "The target {} in the channel `{channel}` can mean {}. Use the id.",
                quoted(wanted),
                shown(several.iter().copied())
            );
            Err(invalid(ErrorCode::NotUnique, message))
        }
    }
}

fn plain(name: &str) -> String {
    name.trim().trim_start_matches(['#', '@']).to_lowercase()
}

/// Whether one may have been meant by the other: a part of it, or one letter off.
fn is_near(name: &str, wanted: &str) -> bool {
    let (name, wanted) = (plain(name), plain(wanted));
    if name.is_empty() || wanted.is_empty() {
        return false;
    }
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let same_start = name
        .chars()
        .zip(wanted.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let longest = name.chars().count().max(wanted.chars().count());
    name.contains(&wanted)
        || wanted.contains(&name)
        || letters(&name) == letters(&wanted)
        || same_start * 2 >= longest
}

fn quoted(name: &str) -> String {
    let short: String = name.chars().take(80).collect();
    format!("`{}`", short.escape_debug())
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.take(20).map(|name| quoted(name)).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn shown<'a>(targets: impl Iterator<Item = &'a MessageTarget>) -> String {
    let shown = targets.take(10).map(|target| match &target.label {
        Some(label) if *label != target.id => {
            format!("{} ({})", quoted(&target.id), label.escape_debug())
        }
        _ => quoted(&target.id),
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        "none".to_owned()
    } else {
        shown.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(channel: Option<&str>, target: Option<&str>) -> Result<String, String> {
        let channels = read(json!([
            {"id": "slack", "label": "Slack", "targets": [
                {"id": "C1", "label": "#ops"}, {"id": "C2", "label": "#Support"}, {"id": "C3", "label": "@support"}, {"id": "C4"},
            ]},
            {"id": "mail"},
            {"id": "hook", "targets": [{"id": "alerts"}]},
        ]))
        .unwrap();
        resolve(&channels, MessageAction::Send, channel, target)
            .map(|place| place.subject())
            .map_err(|error| error.message)
    }

    #[test]
    fn a_target_is_found_by_its_id_or_its_name_and_several_are_none() {
        assert_eq!(
            place(Some("slack"), Some("C1")),
            Ok("slack:#ops".to_owned())
        );
        assert_eq!(
            place(Some("Slack"), Some("OPS")),
            Ok("slack:#ops".to_owned())
        );
        assert_eq!(
            place(Some("slack"), Some("@support")),
            Ok("slack:@support".to_owned())
        );
        assert_eq!(place(Some("slack"), Some("C4")), Ok("slack:C4".to_owned()));
        assert_eq!(place(Some("hook"), None), Ok("hook:alerts".to_owned()));
        assert_eq!(
            place(Some("mail"), Some("a@b.c")),
            Ok("mail:a@b.c".to_owned())
        );
        assert_eq!(
            place(Some("slack"), Some("support")),
            Err("The target `support` in the channel `slack` can mean `C2` (#Support), `C3` (@support). Use the id.".to_owned())
        );
        assert_eq!(
            place(Some("slack"), Some("#opps")),
            Err(
                "There is no target `#opps` in the channel `slack`. Did you mean `C1` (#ops)?"
                    .to_owned()
            )
        );
        assert_eq!(
            place(Some("sms"), None),
            Err("There is no channel `sms`. Channels: `slack`, `mail`, `hook`.".to_owned())
        );
        assert_eq!(
            place(None, None),
            Err("`channel` is required. Channels: `slack`, `mail`, `hook`.".to_owned())
        );
    }

    #[test]
    fn a_channel_does_only_what_it_can() {
        let channels = read(json!([{"id": "a"}])).unwrap();
        let error = resolve(&channels, MessageAction::Edit, None, None).unwrap_err();
        assert_eq!(
            error.message,
            "The channel `a` cannot `edit`. It can: `send`."
        );
        assert!(
            read(json!([{"label": "no id"}]))
                .unwrap_err()
                .message
                .contains("`host.channels`")
        );
    }
}
