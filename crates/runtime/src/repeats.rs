//! Calls that are made again under the id that they were made with.
//!
//! A host that resumes after a crash, or that is not sure whether its request arrived, makes a call once more. What it did
//! is not done twice: it gets what the first one returned. But some frameworks number the calls of each run from 0, so
//! an id counts only where it looks unique, unless the host says that its ids are.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde_json::{Value, json};
use tenon_contract::{
    CancellationToken, Content, ErrorCode, Outcome, Repetition, ToolError, limits,
};
use tenon_state::SessionRecords;
use tenon_workspace::ContentHash;
use tokio::sync::watch;

use crate::options::RepeatsName;
use crate::service::Record;

/// What a call returned.
#[derive(Clone)]
pub(crate) enum Recorded {
    Outcome(Outcome),
    Error(Arc<ToolError>),
}

impl Recorded {
    fn of(answer: &Result<Outcome, ToolError>) -> Self {
        match answer {
            Ok(outcome) => Self::Outcome(outcome.clone()),
            Err(error) => Self::Error(Arc::new(copy(error))),
        }
    }

    pub(crate) fn answer(&self) -> Result<Outcome, ToolError> {
        match self {
            Self::Outcome(outcome) => Ok(outcome.clone()),
            Self::Error(error) => Err(copy(error)),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Outcome(outcome) => {
                let content: usize = outcome.content.iter().map(Content::bytes).sum();
                content + outcome.details.clone().into_json().len()
            }
            Self::Error(error) => error.message.len(),
        }
    }
}

/// Everything but what failed below, which is for logs.
fn copy(error: &ToolError) -> ToolError {
    ToolError {
        details: error.details.clone(),
        next: error.next.clone(),
        ..ToolError::new(error.code, error.message.clone())
    }
}

/// What a call does, by its tool and its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Print(ContentHash);

impl Print {
    pub(crate) fn of(tool: &str, params: &Value) -> Self {
        let mut text = tool.as_bytes().to_vec();
        write(params, &mut text);
        Self(ContentHash::of(&text))
    }
}

/// JSON in which the order of members does not count.
fn write(value: &Value, text: &mut Vec<u8>) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.as_str());
            text.push(b'{');
            for (name, member) in members {
                write_plain(name, text);
                text.push(b':');
                write(member, text);
                text.push(b',');
            }
            text.push(b'}');
        }
        Value::Array(items) => {
            text.push(b'[');
            for item in items {
                write(item, text);
                text.push(b',');
            }
            text.push(b']');
        }
        plain => write_plain(plain, text),
    }
}

/// Memory takes all of it, and every value of JSON can be written.
fn write_plain(value: &(impl Serialize + ?Sized), text: &mut Vec<u8>) {
    serde_json::to_writer(text, value).unwrap_or_default();
}

/// The calls whose repetition is known. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Repeats(Arc<Inner>);

#[derive(Default)]
struct Inner {
    which: RepeatsName,
    /// What is stored of a session that outlives its toolkit.
    records: Option<SessionRecords>,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    known: HashMap<Arc<str>, KnownCall>,
    /// Those that have ended, the oldest first.
    ended: VecDeque<Arc<str>>,
    bytes: usize,
}

struct KnownCall {
    tool: String,
    print: Print,
    state: RunState,
}

enum RunState {
    Running(watch::Receiver<Option<Recorded>>),
    /// What it returned; nothing where that is no longer kept.
    Ended(Option<Recorded>),
}

/// What is to be done with a call.
pub(crate) enum Turn {
    /// It runs, and nobody asks for it again.
    Unknown,
    /// It runs, and says what it returned.
    First(Running),
    /// It returns what the first one returned.
    Again(Recorded),
    /// It waits for the first one, and asks again.
    Wait(watch::Receiver<Option<Recorded>>),
}

/// What the store says of a call.
enum Look {
    /// This process makes it.
    Mine,
    Ended(Recorded),
    /// Another process said that it lives, until then.
    Runs {
        until: u64,
    },
}

/// Whether the process of a call lives, as far as another one can know.
#[derive(Default)]
struct Lease {
    /// What it said last, and since when that is known.
    seen: Option<(u64, Instant)>,
}

impl Lease {
    /// A clock that is ahead of this one keeps nobody waiting for longer.
    fn holds(&mut self, until: u64) -> bool {
        let now_known = Instant::now();
        let since = match self.seen {
            Some((seen, since)) if seen == until => since,
            _ => now_known,
        };
        self.seen = Some((until, since));
        now() < until && now_known.duration_since(since) < limits::REPEATS_LEASE
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, millis)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A call that runs. Dropped without an end, it is as if it had not been made.
pub(crate) struct Running {
    repeats: Repeats,
    id: Arc<str>,
    tool: String,
    print: Print,
    repetition: Repetition,
    record: Arc<Record>,
    sender: watch::Sender<Option<Recorded>>,
    is_over: bool,
    /// Whether the store knows of it.
    is_claimed: bool,
}

impl Repeats {
    /// `records` of a session that outlives its toolkit.
    pub(crate) fn new(which: RepeatsName, records: Option<SessionRecords>) -> Self {
        Self(Arc::new(Inner {
            which,
            records,
            calls: Mutex::default(),
        }))
    }

    /// What is to be done with a call of this id.
    ///
    /// # Errors
    /// An id that another call had, and one whose result is no longer kept.
    pub(crate) fn turn(
        &self,
        id: &Arc<str>,
        tool: &str,
        print: Print,
        repetition: Repetition,
        record: &Arc<Record>,
    ) -> Result<Turn, ToolError> {
        let counts = match self.0.which {
            RepeatsName::UniqueIds => looks_unique(id),
            RepeatsName::AllIds => !id.is_empty(),
            RepeatsName::Off => false,
        };
        if !counts {
            return Ok(Turn::Unknown);
        }
        let mut calls = self.calls();
        match calls.known.get(id) {
            Some(known) if known.print != print => return Err(other_call(id, tool, &known.tool)),
            Some(known) => match &known.state {
                RunState::Running(ended) => return Ok(Turn::Wait(ended.clone())),
                RunState::Ended(Some(recorded)) => return Ok(Turn::Again(recorded.clone())),
                RunState::Ended(None) if repetition == Repetition::Pure => {
                    return Ok(Turn::Unknown);
                }
                RunState::Ended(None) => return Err(no_longer_kept(id, tool)),
            },
            None => {}
        }
        let (sender, ended) = watch::channel(None);
        let known = KnownCall {
            tool: tool.to_owned(),
            print,
            state: RunState::Running(ended),
        };
        calls.known.insert(Arc::clone(id), known);
        Ok(Turn::First(Running {
            repeats: self.clone(),
            id: Arc::clone(id),
            tool: tool.to_owned(),
            print,
            repetition,
            record: Arc::clone(record),
            sender,
            is_over: false,
            is_claimed: false,
        }))
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Notes in the store that the call begins, where what it changes must not be changed twice. What it returned, if it
    /// was made before, by whatever process; while that still runs it, this waits.
    ///
    /// # Errors
    /// An id that another call had, and one of which nobody knows what came of it.
    pub(crate) async fn claim(
        &mut self,
        cancelled: &CancellationToken,
    ) -> Result<Option<Recorded>, ToolError> {
        let mut lease = Lease::default();
        loop {
            match self.look().await? {
                Look::Mine => return Ok(None),
                Look::Ended(recorded) => return Ok(Some(recorded)),
                Look::Runs { until } if lease.holds(until) => {}
                Look::Runs { .. } => return Err(unknown_end(&self.id, &self.tool)),
            }
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Err(ToolError::cancelled()),
                () = tokio::time::sleep(limits::REPEATS_LOOK) => {}
            }
        }
    }

    async fn look(&mut self) -> Result<Look, ToolError> {
        let Some(records) = self.repeats.0.records.clone() else {
            return Ok(Look::Mine);
        };
        if self.repetition == Repetition::Pure {
            return Ok(Look::Mine);
        }
        let noted = match records.claim_call(&self.id, self.note(None)).await {
            Ok(noted) => noted,
            Err(error) => {
                records.warn(&format!(
                    "Whether calls were made before cannot be read, so they are made: {error}"
                ));
                return Ok(Look::Mine);
            }
        };
        let Some(noted) = noted else {
            self.is_claimed = true;
            return Ok(Look::Mine);
        };
        let member = |name: &str| noted.get(name).cloned().unwrap_or_default();
        if member("print") != self.print.0.to_string() {
            let first = member("tool");
            let first = first.as_str().unwrap_or_default();
            return Err(other_call(&self.id, &self.tool, first));
        }
        let ended = member("ended");
        match stored(&ended) {
            Some(recorded) => {
                self.enter(&recorded);
                Ok(Look::Ended(recorded))
            }
            None if ended.is_null() => Ok(Look::Runs {
                until: member("until").as_u64().unwrap_or_default(),
            }),
            None => Err(no_longer_kept(&self.id, &self.tool)),
        }
    }

    /// The answer of `call`, during which other processes see that this one lives. Where the call is kept is for the caller: it is
    /// large, and would be here twice.
    pub(crate) async fn alive<T>(&self, mut call: Pin<&mut impl Future<Output = T>>) -> T {
        let Some(records) = self.repeats.0.records.as_ref().filter(|_| self.is_claimed) else {
            return call.await;
        };
        loop {
            tokio::select! {
                biased;
                answer = &mut call => return answer,
                () = tokio::time::sleep(limits::REPEATS_RENEWAL) => {}
            }
            // Another process then takes it for dead, and refuses. It is not waited for longer than the call, but never
            // let go half way: its end could come after that of the call.
            let mut renewal = std::pin::pin!(records.settle_call(&self.id, Some(self.note(None))));
            tokio::select! {
                biased;
                _ = &mut renewal => {}
                answer = &mut call => {
                    let _: Result<(), _> = renewal.await;
                    return answer;
                }
            }
        }
    }

    fn note(&self, ended: Option<Value>) -> Value {
        let until = ended
            .is_none()
            .then(|| now() + millis(limits::REPEATS_LEASE));
        json!({ "tool": self.tool, "print": self.print.0.to_string(), "ended": ended, "until": until })
    }

    /// Says what the call returned. A failure counts only where it has begun to do something that is not to be
    /// done twice: else the call is made again.
    pub(crate) async fn end(mut self, answer: &Result<Outcome, ToolError>) {
        let counts = answer.is_ok() || self.is_done_once();
        let recorded = counts.then(|| Recorded::of(answer));
        if let Some(records) = self.repeats.0.records.clone().filter(|_| self.is_claimed) {
            let ended = recorded.as_ref().map(|recorded| {
                let small = recorded.bytes() <= limits::REPEATS_STORED_MAX_BYTES;
                self.note(Some(if small {
                    recorded.to_value()
                } else {
                    json!({})
                }))
            });
            if let Err(error) = records.settle_call(&self.id, ended).await {
                records.warn(&format!(
                    "The result of a call could not be stored: {error}"
                ));
            }
        }
        if let Some(recorded) = recorded {
            self.enter(&recorded);
        }
    }

    fn is_done_once(&self) -> bool {
        self.record.has_begun() && self.repetition == Repetition::Once
    }

    fn enter(&mut self, recorded: &Recorded) {
        self.is_over = true;
        self.repeats.calls().end(&self.id, recorded);
        self.sender.send_replace(Some(recorded.clone()));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if self.is_done_once() {
            // The caller went away, or something broke.
            let error = unknown_end(&self.id, &self.tool);
            self.enter(&Recorded::Error(Arc::new(error)));
        } else {
            self.repeats.calls().known.remove(&self.id);
        }
    }
}

impl Recorded {
    fn to_value(&self) -> Value {
        match self {
            Self::Outcome(outcome) => {
                let part = |part: &Content| match part {
                    Content::Text(text) => json!({ "text": text }),
                    Content::Image { data, mime_type } => {
                        json!({ "data": data, "type": mime_type })
                    }
                };
                let content: Vec<Value> = outcome.content.iter().map(part).collect();
                json!({ "content": content, "details": outcome.details.clone().into_value(), "changes": outcome.changes })
            }
            Self::Error(error) => {
                json!({ "code": error.code.as_str(), "message": error.message, "details": error.details })
            }
        }
    }
}

/// What was stored of the end of a call.
fn stored(ended: &Value) -> Option<Recorded> {
    if let (Some(code), Some(message)) = (ended["code"].as_str(), ended["message"].as_str()) {
        let code = ErrorCode::ALL.iter().find(|known| known.as_str() == code)?;
        let mut error = ToolError::new(*code, message);
        error.details = ended["details"].as_object().cloned().unwrap_or_default();
        return Some(Recorded::Error(Arc::new(error)));
    }
    let part = |part: &Value| match (part["text"].as_str(), part["data"].as_str()) {
        (Some(text), _) => Some(Content::text(text)),
        (None, Some(data)) => Some(Content::Image {
            data: data.to_owned(),
            mime_type: part["type"].as_str()?.to_owned(),
        }),
        (None, None) => None,
    };
    let content = ended["content"].as_array()?.iter().map(part);
    Some(Recorded::Outcome(Outcome {
        content: content.collect::<Option<_>>()?,
        details: ended["details"].clone().into(),
        changes: serde_json::from_value(ended["changes"].clone()).ok()?,
    }))
}

impl Calls {
    fn end(&mut self, id: &Arc<str>, recorded: &Recorded) {
        let bytes = recorded.bytes();
        if let Some(known) = self.known.get_mut(id) {
            known.state = RunState::Ended(Some(recorded.clone()));
            self.bytes += bytes;
            self.ended.push_back(Arc::clone(id));
        }
        let excess = self.ended.len().saturating_sub(limits::REPEATS_MAX_CALLS);
        for id in self.ended.drain(..excess) {
            if let Some(KnownCall {
                state: RunState::Ended(Some(recorded)),
                ..
            }) = self.known.remove(&id)
            {
                self.bytes -= recorded.bytes();
            }
        }
        for id in &self.ended {
            if self.bytes <= limits::REPEATS_MAX_BYTES {
                return;
            }
            if let Some(known) = self.known.get_mut(id)
                && let RunState::Ended(kept) = &mut known.state
            {
                // That it was made is known all the same.
                self.bytes -= kept.take().map_or(0, |kept| kept.bytes());
            }
        }
    }
}

fn other_call(id: &str, tool: &str, first: &str) -> ToolError {
    let what = if tool == first {
        "other parameters".to_owned()
    } else {
        format!("the tool `{first}`")
    };
    let id = shown(id);
    let message = format!(
        "The call id `{id}` was used before, with {what}. Nothing was done. Call `{tool}` with an id of its own."
    );
    ToolError::new(ErrorCode::InvalidParams, message).with("toolCallId", id)
}

fn no_longer_kept(id: &str, tool: &str) -> ToolError {
    let id = shown(id);
    let message = format!(
        "The call `{id}` was made before, and its result is no longer kept. Nothing was done again. Call `{tool}` with an id of its own to do it once more."
    );
    ToolError::new(ErrorCode::InvalidParams, message).with("toolCallId", id)
}

fn unknown_end(id: &str, tool: &str) -> ToolError {
    let id = shown(id);
    let message = format!(
        "The call `{id}` was made before, and what came of it is not known: its process ended, or has not said for some seconds that it still runs. Look at what it changed; call `{tool}` with an id of its own to do it once more."
    );
    ToolError::new(ErrorCode::InvalidParams, message).with("toolCallId", id)
}

fn shown(id: &str) -> &str {
    const MOST: usize = 128;
    id.get(..id.floor_char_boundary(MOST)).unwrap_or_default()
}

/// Whether an id looks as if nobody else had it: as providers and random generators make it. Names and counters do not,
/// nor what is too short to be sure.
fn looks_unique(id: &str) -> bool {
    /// What a time in milliseconds has.
    const LONG: usize = 13;
    /// What parts of an id have together.
    const TOGETHER: usize = 20;
    let pieces = id.split(|letter: char| !letter.is_ascii_alphanumeric());
    let random = pieces.filter(|piece| is_random(piece)).map(str::len);
    let (longest, all) = random.fold((0, 0), |(longest, all), length| {
        (longest.max(length), all + length)
    });
    longest >= LONG || all >= TOGETHER
}

/// Whether a piece of an id has digits, or capitals where no word has them.
fn is_random(piece: &str) -> bool {
    const LONG: usize = 20;
    let capitals = piece.chars().filter(char::is_ascii_uppercase).count();
    let small = piece.chars().filter(char::is_ascii_lowercase).count();
    let is_mixed = piece.len() >= LONG && capitals * 10 >= piece.len() * 3 && small > 0;
    is_mixed || piece.chars().any(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_providers_and_generators_look_unique_and_numbers_of_a_run_do_not() {
        for id in [
            "toolu_01A09q90qw90lq917835lq9",
            "call_9xUcbPZ3nDYbMUSgqTqLGnzk",
            "call_AbCdEfGhIjKlMnOpQrStUvWx",
            "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
            "fc_68a1b2c3d4e5f60718293a4b5c6d7e8f",
            "chatcmpl-tool-5c2f0d1b9e7a4c31",
            "550e8400-e29b-41d4-a716-446655440000",
            "write_1763927438123_1",
            "aitxt-mDhrPvX3c6QzYt9w",
        ] {
            assert!(looks_unique(id), "{id}");
        }
        for id in [
            "",
            "1",
            "0",
            "call_0",
            "call_12",
            "tool-call-3",
            "functions.bash:0",
            "functions.getUserAccountBalance:11",
            "command-line",
            "D681PevKs",
            "2026-11-23-1",
            "run-7-step-42",
        ] {
            assert!(!looks_unique(id), "{id}");
        }
    }

    #[test]
    fn the_order_of_parameters_does_not_count() {
        let print = |json: &str| Print::of("x", &serde_json::from_str(json).unwrap());
        assert_eq!(print(r#"{"a":1,"b":[1,2]}"#), print(r#"{"b":[1,2],"a":1}"#));
        assert_ne!(print(r#"{"a":1,"b":[1,2]}"#), print(r#"{"a":1,"b":[2,1]}"#));
        assert_ne!(print(r#"{"a":"1"}"#), print(r#"{"a":1}"#));
    }
}
