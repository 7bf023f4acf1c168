//! The Node-API binding of tenon: the only place where napi occurs.
//!
//! JavaScript sees one class, `NativeToolkit`, and talks to it in JSON
//! text; the facade in `js/` builds every object from that text in the caller's own realm. What
//! crosses, and when:
//!
//! - `toolkit.rs`: the class. A call starts on a thread of the `executor` and returns at once.
//! - `channel.rs`: the one way back, a queue of messages to one JavaScript function. Answers, updates, requests and telemetry keep
//!   their order in it, and it keeps Node alive exactly while a call runs.
//! - `policy.rs`: what may be asked about rules and lists without a toolkit.
//! - `allocator.rs`: where memory comes from.
//! - `environment.rs`: ends what still runs when a Node environment goes away.
//!
//! What both borders have is in `tenon-border`: calls, updates, questions to the host and its parts. No failure of a tool throws here: it
//! crosses as the JSON of an error ([`envelope`](tenon_border::envelope)). An exception
//! of this layer is a bug of ours, and the facade reports it as one.

mod allocator;
mod channel;
mod environment;
mod executor;
mod platforms;
mod policy;
mod task;
mod toolkit;

pub use platforms::{estimate_tokens, platform_names, seen_state, seen_temporary};
pub use policy::{
    describe_program, import_hook_settings, import_rules, is_tool_allowed, normalize_tool_name,
    parse_configuration, schema_mismatch,
};
