//! Sends, changes and removes messages over the channels of the host.

mod channel;
mod media;
mod sent;
mod split;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{
    Access, Effect, ErrorCode, MessageClaim, Operation, Output, Tool, ToolContext, ToolError,
    limits,
};
use tenon_workspace::Workspace;

use crate::host::{HostCallback, kind_of, missing, odd, request};
pub use channel::{ChannelTarget, MessageChannel, MessageTarget};
use media::Media;
pub use sent::SentMessages;
use sent::{Claim, Sent};

/// What to send to whom.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageParams {
    /// What to do.
    pub action: MessageAction,
    /// The channel. Default: the only one.
    #[schemars(length(min = 1, max = 200))]
    pub channel: Option<String>,
    /// Who gets it: a name or an id that `channels` shows.
    #[schemars(length(min = 1, max = 500))]
    pub target: Option<String>,
    /// The text. Long texts are sent in parts.
    #[schemars(length(max = 100_000))]
    pub text: Option<String>,
    /// Paths of workspace files, or `https` URLs, to attach.
    #[schemars(length(max = 10))]
    pub media: Option<Vec<String>>,
    /// Id of the message to reply to.
    pub reply_to: Option<String>,
    /// Id of the thread.
    pub thread_id: Option<String>,
    /// Id of the message to edit, delete or react to.
    #[schemars(length(min = 1))]
    pub message_id: Option<String>,
    /// For `react`: the emoji.
    #[schemars(length(min = 1, max = 100))]
    pub emoji: Option<String>,
    /// Send without a notification. Default: false.
    pub silent: Option<bool>,
    /// Only show what would be sent. Default: false.
    pub dry_run: Option<bool>,
}

/// What can be done with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageAction {
    /// Send a message.
    Send,
    /// Replace the text of a message.
    Edit,
    /// Remove a message.
    Delete,
    /// Add an emoji to a message.
    React,
    /// Show the channels and their targets.
    Channels,
}

impl MessageAction {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::React => "react",
            Self::Channels => "channels",
        }
    }
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// It was sent.
    Sent,
    /// The channel sends it later.
    Queued,
    /// It was not sent.
    Failed,
    /// Nobody knows whether it was sent.
    Unknown,
    /// It was not meant to be sent.
    Suppressed,
}

impl MessageStatus {
    /// How much there is to say of it: of several parts the worst counts.
    const fn weight(self) -> u8 {
        match self {
            Self::Sent => 0,
            Self::Queued => 1,
            Self::Suppressed => 2,
            Self::Unknown => 3,
            Self::Failed => 4,
        }
    }
}

/// A part of a message that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MessagePart {
    /// What became of it.
    pub status: MessageStatus,
    /// Its id on the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its characters.
    pub characters: usize,
    /// Why it was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageOutput {
    /// The channels that there are.
    Channels(Vec<MessageChannel>),
    /// A message.
    Done {
        /// What was done.
        action: MessageAction,
        /// Where.
        place: ChannelTarget,
        /// Its parts, in order; those that were not tried are missing.
        parts: Vec<MessagePart>,
        /// How many parts there are.
        of: usize,
        /// Whether the same call was made before.
        is_repeated: bool,
        /// Whether nothing was to be sent.
        dry_run: bool,
    },
}

impl MessageOutput {
    /// What became of the whole.
    #[must_use]
    pub fn status(&self) -> MessageStatus {
        match self {
            Self::Channels(_) => MessageStatus::Suppressed,
            Self::Done { parts, .. } => {
                let worst = parts
                    .iter()
                    .map(|part| part.status)
                    .max_by_key(|status| status.weight());
                worst.unwrap_or(MessageStatus::Failed)
            }
        }
    }
}

impl Output for MessageOutput {}

/// What the operation works with.
#[derive(Clone)]
pub struct MessageService {
    /// Sends.
    pub host: Arc<dyn HostCallback>,
    /// Says which channels there are.
    pub channels: Option<Arc<dyn HostCallback>>,
    /// Where files are.
    pub workspace: Workspace,
    /// What was sent.
    pub sent: SentMessages,
}

/// The operation.
pub struct Message {
    service: Option<MessageService>,
}

impl Message {
    /// By way of the host; without one every call says what is missing.
    #[must_use]
    pub fn new(service: Option<MessageService>) -> Self {
        Self { service }
    }

    fn service(&self) -> Result<&MessageService, ToolError> {
        self.service
            .as_ref()
            .ok_or_else(|| missing("sendMessage", "send messages"))
    }
}

/// A call whose target is known.
pub struct MessagePlan {
    params: MessageParams,
    place: Option<ChannelTarget>,
    parts: Vec<String>,
    media: Vec<Media>,
}

impl MessagePlan {
    fn of(params: MessageParams) -> Self {
        Self {
            params,
            place: None,
            parts: Vec::new(),
            media: Vec::new(),
        }
    }
}

impl Tool for Message {
    const OPERATION: Operation = Operation::Message;
    type Params = MessageParams;
    type Plan = MessagePlan;
    type Output = MessageOutput;

    fn plan(&self, params: MessageParams) -> Result<(Access, MessagePlan), ToolError> {
        check(&params)?;
        Ok((Access::default(), MessagePlan::of(params)))
    }

    fn effect(plan: &MessagePlan) -> Effect {
        let is_quiet = plan.place.is_none() || plan.params.dry_run == Some(true);
        if is_quiet {
            Effect::Observe
        } else {
            Effect::Converse
        }
    }

    // What the host was asked to send may have been sent, and the answer says so.
    fn settles(plan: &MessagePlan) -> bool {
        Self::effect(plan) == Effect::Converse
    }

    // Who is meant by a target is known by the host.
    fn is_provisional(plan: &MessagePlan) -> bool {
        plan.place.is_none() && plan.params.action != MessageAction::Channels
    }

    async fn survey(
        &self,
        plan: MessagePlan,
        context: ToolContext,
    ) -> Result<(Access, MessagePlan), ToolError> {
        let service = self.service()?;
        let MessagePlan { params, .. } = plan;
        let (channel, target) = (params.channel.as_deref(), params.target.as_deref());
        let place = match service.channels(&context).await? {
            Some(channels) => channel::resolve(&channels, params.action, channel, target)?,
            None => unlisted(&params)?,
        };
        let parts = parts_of(&params, place.max_text)?;
        let media = media::plan(
            &service.workspace,
            params.media.as_deref().unwrap_or_default(),
        )?;
        let mut access = Access::using(place.subject());
        access.also_named = place.also();
        media::claim(&media, &mut access);
        access.message = Some(MessageClaim {
            action: params.action.name().to_owned(),
            channel: place.channel.clone(),
            target: place.target.as_ref().map(|target| target.id.clone()),
            name: place
                .target
                .as_ref()
                .and_then(|target| target.label.clone()),
            text: params.text.clone(),
            message_id: params.message_id.clone(),
            emoji: params.emoji.clone(),
            reply_to: params.reply_to.clone(),
            thread_id: params.thread_id.clone(),
            parts: parts.len(),
            media: media.iter().map(Media::shown).collect(),
        });
        Ok((
            access,
            MessagePlan {
                params,
                place: Some(place),
                parts,
                media,
            },
        ))
    }

    async fn run(
        &self,
        plan: MessagePlan,
        context: ToolContext,
    ) -> Result<MessageOutput, ToolError> {
        let service = self.service()?;
        let MessagePlan {
            params,
            place,
            parts,
            media,
        } = plan;
        let Some(place) = place else {
            let channels = service.channels(&context).await?;
            return Ok(MessageOutput::Channels(channels.unwrap_or_default()));
        };
        let sending = Sending {
            service,
            params: &params,
            place: &place,
            context: &context,
        };
        if params.dry_run == Some(true) {
            let part = |text: &String| MessagePart {
                status: MessageStatus::Suppressed,
                id: None,
                characters: text.chars().count(),
                error: None,
            };
            return Ok(sending.output(parts.iter().map(part).collect(), parts.len(), false));
        }
        sending.all(&parts, media).await
    }
}

impl MessageService {
    /// The channels; nothing where the host does not list them.
    async fn channels(
        &self,
        context: &ToolContext,
    ) -> Result<Option<Vec<MessageChannel>>, ToolError> {
        let Some(host) = &self.channels else {
            return Ok(None);
        };
        let said = host.ask(request(context, json!({})), None).await?;
        channel::read(said).map(Some)
    }
}

/// Faults that the schema cannot state.
fn check(params: &MessageParams) -> Result<(), ToolError> {
    let needs = |name: &str| {
        let message = format!("`{name}` is required for `{}`.", params.action.name());
        Err(ToolError::new(ErrorCode::InvalidParams, message))
    };
    let has_text = params
        .text
        .as_ref()
        .is_some_and(|text| !text.trim().is_empty());
    let has_media = params.media.as_ref().is_some_and(|media| !media.is_empty());
    match params.action {
        MessageAction::Channels => Ok(()),
        MessageAction::Send if !has_text && !has_media => needs("text"),
        MessageAction::Edit if !has_text => needs("text"),
        MessageAction::Edit | MessageAction::Delete | MessageAction::React
            if params.message_id.is_none() =>
        {
            needs("messageId")
        }
        MessageAction::React if params.emoji.is_none() => needs("emoji"),
        _ => Ok(()),
    }
}

/// The place where the host does not list its channels: any, and only to send.
fn unlisted(params: &MessageParams) -> Result<ChannelTarget, ToolError> {
    let wrong = |message: String| Err(ToolError::new(ErrorCode::InvalidParams, message));
    if params.action != MessageAction::Send {
        return wrong(format!(
            "This application can only `send` messages, not `{}`.",
            params.action.name()
        ));
    }
    match &params.channel {
        Some(channel) => Ok(ChannelTarget {
            channel: channel.clone(),
            target: params
                .target
                .clone()
                .map(|id| MessageTarget { id, label: None }),
            max_text: None,
        }),
        None => wrong("`channel` is required for `send`.".to_owned()),
    }
}

/// The text in parts that the channel takes. An edited message stays one.
fn parts_of(params: &MessageParams, most: Option<usize>) -> Result<Vec<String>, ToolError> {
    let text = params.text.clone().unwrap_or_default();
    let parts = match most {
        Some(most) => split::parts(&text, most),
        None => vec![text],
    };
    let most_parts = if params.action == MessageAction::Send {
        limits::MESSAGE_PARTS_MAX
    } else {
        1
    };
    if parts.len() > most_parts {
        let message = format!(
            "`text` needs {} parts on this channel, which takes {} characters; at most {most_parts} are allowed. Shorten it.",
            parts.len(),
            most.unwrap_or_default()
        );
        return Err(ToolError::new(ErrorCode::TooLarge, message));
    }
    Ok(parts)
}

/// One message on its way.
struct Sending<'s> {
    service: &'s MessageService,
    params: &'s MessageParams,
    place: &'s ChannelTarget,
    context: &'s ToolContext,
}

impl Sending<'_> {
    async fn all(&self, texts: &[String], media: Vec<Media>) -> Result<MessageOutput, ToolError> {
        let content = self.content(texts);
        let mut files = media::load(media, self.context).await?;
        let mut parts = Vec::new();
        let mut is_repeated = false;
        for (index, text) in texts.iter().enumerate() {
            let key = self
                .service
                .sent
                .key(self.context.call_id(), &content, index);
            let sent = match self.service.sent.claim(&key).await? {
                Claim::Before(sent) => {
                    is_repeated = true;
                    sent
                }
                Claim::Ours(version) => {
                    let files = std::mem::take(&mut files);
                    let sent = self
                        .one((text, index, texts.len()), &key.key, files)
                        .await?;
                    self.service.sent.settle(&key, version, &sent).await;
                    sent
                }
            };
            let status = sent.status.unwrap_or(MessageStatus::Unknown);
            parts.push(MessagePart {
                status,
                id: sent.id,
                characters: text.chars().count(),
                error: sent.error,
            });
            // What follows would have no beginning.
            if matches!(status, MessageStatus::Failed | MessageStatus::Unknown) {
                break;
            }
        }
        Ok(self.output(parts, texts.len(), is_repeated))
    }

    /// What makes the message this one, beside the id of the call.
    fn content(&self, texts: &[String]) -> String {
        json!([self.params, self.place.subject(), self.place.also(), texts]).to_string()
    }

    /// Has the host send a part.
    async fn one(
        &self,
        (text, index, of): (&str, usize, usize),
        idempotency_key: &str,
        media: Vec<Value>,
    ) -> Result<Sent, ToolError> {
        let params = self.params;
        let asked = json!({
            "action": params.action.name(),
            "channel": self.place.channel,
            "target": self.place.target.as_ref().map(|target| &target.id),
            "targetLabel": self.place.target.as_ref().and_then(|target| target.label.as_ref()),
            "text": params.text.as_ref().map(|_| text),
            "media": media,
            "replyTo": params.reply_to.as_ref().filter(|_| index == 0),
            "threadId": params.thread_id,
            "messageId": params.message_id,
            "emoji": params.emoji,
            "silent": params.silent.unwrap_or(false),
            "idempotencyKey": idempotency_key,
            "part": index + 1,
            "parts": of,
        });
        let sending = { &self.service.host }.ask(request(self.context, asked), None);
        let said = tokio::select! {
            said = sending => said,
            () = self.context.cancellation().cancelled() => Err(ToolError::cancelled()),
        };
        match said {
            Ok(said) => sent_of(said),
            // The row stays as it is.
            Err(_) if self.context.check().is_err() => Err(ToolError::new(
                ErrorCode::Cancelled,
                "The call was stopped before `host.sendMessage` answered, so it is not known whether the message was sent. Do not send it again; tell the user.",
            )
            .with("status", "unknown")),
            Err(error) => {
                let may_be_sent = matches!(error.code, ErrorCode::Timeout | ErrorCode::Cancelled);
                let status = if may_be_sent {
                    MessageStatus::Unknown
                } else {
                    MessageStatus::Failed
                };
                Ok(Sent {
                    status: Some(status),
                    id: None,
                    error: Some(error.message),
                })
            }
        }
    }

    fn output(&self, parts: Vec<MessagePart>, of: usize, is_repeated: bool) -> MessageOutput {
        MessageOutput::Done {
            action: self.params.action,
            place: self.place.clone(),
            parts,
            of,
            is_repeated,
            dry_run: self.params.dry_run == Some(true),
        }
    }
}

/// A text, which is the id, or `{id?, status?, error?}`. Nothing says nothing.
fn sent_of(said: Value) -> Result<Sent, ToolError> {
    let text = |value: Option<&Value>| match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(odd(
            "sendMessage",
            &format!("a member is {} and must be a string", kind_of(other)),
        )),
    };
    let unknown = |why: &str| {
        Ok(Sent {
            status: Some(MessageStatus::Unknown),
            id: None,
            error: Some(why.to_owned()),
        })
    };
    match said {
        Value::String(id) => Ok(Sent {
            status: Some(MessageStatus::Sent),
            id: Some(id),
            error: None,
        }),
        Value::Object(members) => {
            let (Ok(id), Ok(error)) = (text(members.get("id")), text(members.get("error"))) else {
                return unknown("`host.sendMessage` returned an `id` that is not a string.");
            };
            let status = match members.get("status") {
                None | Some(Value::Null) if id.is_some() => MessageStatus::Sent,
                None | Some(Value::Null) => {
                    return unknown("`host.sendMessage` returned neither `id` nor `status`.");
                }
                Some(word) => match serde_json::from_value(word.clone()) {
                    Ok(status) => status,
                    Err(_) => {
                        return unknown("`host.sendMessage` returned a `status` that is not one.");
                    }
                },
            };
            Ok(Sent {
                status: Some(status),
                id,
                error,
            })
        }
        other => unknown(&format!(
            "`host.sendMessage` returned {} instead of `{{ id }}`.",
            kind_of(&other)
        )),
    }
}

#[cfg(test)]
mod tests;
