//! What a host receives, and the way to it.

use crate::envelope::Parts;

/// Runs when the host has taken a message.
pub type Acknowledged = Box<dyn FnOnce() + Send>;

/// The way to the host of one toolkit: a queue that keeps its order.
pub trait Wire: Send + Sync {
    /// Queues a message. False when nobody will read it.
    fn send(&self, message: Message) -> bool;

    /// Queues a message and runs `acknowledged` when the host has taken it. False, and `acknowledged` never runs, when nobody will
    /// read it.
    fn send_acknowledged(&self, message: Message, acknowledged: Acknowledged) -> bool;
}

/// What the host receives.
#[derive(Debug)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// The number of the call or request that it is about, else 0.
    pub key: u32,
    /// JSON, or the sentence of a warning.
    pub json: String,
    /// The content of an answer or an update; of a request the part that is asked.
    pub content: Parts,
    /// A request that no time limit ends.
    pub is_endless: bool,
}

/// What a message is; `js/host.js` has the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A call succeeded.
    Answer = 0,
    /// A call failed.
    Failure = 1,
    /// A partial result of a running call.
    Update = 2,
    /// A part of the host is asked.
    Request = 3,
    /// An event for the host's telemetry.
    Telemetry = 4,
    /// The toolkit has closed, perhaps leaving something behind.
    Closed = 5,
    /// Nobody waits for the answer to a request any more.
    Withdrawn = 6,
    /// What the host should hear of.
    Warning = 7,
    /// An event of the stream.
    Event = 8,
}

impl Kind {
    /// Whether nothing comes after it of what it is about.
    #[must_use]
    pub const fn is_last(self) -> bool {
        matches!(self, Self::Answer | Self::Failure | Self::Closed)
    }
}

impl Message {
    /// A call succeeded: its details and content.
    #[must_use]
    pub fn answer(key: u32, (details, content): (String, Parts)) -> Self {
        Self {
            kind: Kind::Answer,
            key,
            json: details,
            content,
            is_endless: false,
        }
    }

    /// A call failed.
    #[must_use]
    pub fn failure(key: u32, error: String) -> Self {
        Self::json(Kind::Failure, key, error)
    }

    /// A partial result of a running call.
    #[must_use]
    pub fn update(key: u32, (details, content): (String, Parts)) -> Self {
        Self {
            kind: Kind::Update,
            key,
            json: details,
            content,
            is_endless: false,
        }
    }

    /// A part of the host is asked; `key` is the number of the request. No time limit ends an endless one.
    #[must_use]
    pub fn request(key: u32, port: &str, request: String, is_endless: bool) -> Self {
        Self {
            kind: Kind::Request,
            key,
            json: request,
            content: Parts::Text(port.to_owned()),
            is_endless,
        }
    }

    /// Nobody waits for the answer to a request any more.
    #[must_use]
    pub fn withdrawn(key: u32) -> Self {
        Self::json(Kind::Withdrawn, key, String::new())
    }

    /// An event for the host's telemetry.
    #[must_use]
    pub fn telemetry(event: String) -> Self {
        Self::json(Kind::Telemetry, 0, event)
    }

    /// An event of the stream.
    #[must_use]
    pub fn event(event: String) -> Self {
        Self::json(Kind::Event, 0, event)
    }

    /// What the host should hear of, a sentence.
    #[must_use]
    pub fn warning(sentence: String) -> Self {
        Self::json(Kind::Warning, 0, sentence)
    }

    /// The toolkit has closed, perhaps leaving something behind.
    #[must_use]
    pub fn closed(key: u32, error: Option<String>) -> Self {
        Self::json(Kind::Closed, key, error.unwrap_or_default())
    }

    fn json(kind: Kind, key: u32, json: String) -> Self {
        Self {
            kind,
            key,
            json,
            content: Parts::Text(String::new()),
            is_endless: false,
        }
    }
}
