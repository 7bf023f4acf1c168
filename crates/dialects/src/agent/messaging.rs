//! Messages over channels as the `agent` dialect renders them.

use tenon_contract::Operation;
use tenon_tools::MessageParams;

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::messaging::MessageAnswer;
use crate::schema_source::SchemaSource;
use crate::{Field, Renderer};

/// The row of `message`.
pub(super) const MESSAGE: ToolBinding = ToolBinding {
    operation: Operation::Message,
    name: "message",
    label: "Message",
    description: include_str!("descriptions/message.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("action").describe("What to do."),
        Field::same("channel").aliases(&["provider"]),
        Field::same("target").aliases(&["to", "recipient"]),
        Field::same("text").aliases(&["message", "content", "body"]),
        Field::same("media").aliases(&["attachments", "files"]),
        Field::renamed("replyTo", "reply_to").aliases(&["replyToId"]),
        Field::renamed("threadId", "thread_id").aliases(&["thread"]),
        Field::renamed("messageId", "message_id").aliases(&["id"]),
        Field::same("emoji").aliases(&["reaction"]),
        Field::same("silent"),
        Field::renamed("dryRun", "dry_run").aliases(&["preview"]),
    ]),
    operation_params: SchemaSource::params::<MessageParams>(),
    renderer: Renderer::of::<MessageAnswer>(),
};
