//! The way back into JavaScript: one queue to one function per toolkit.
//!
//! One threadsafe function serves all calls of a toolkit, since making one for each call (as a
//! promise made in Rust does) costs more than the rest of an empty call. It is weak: it keeps
//! Node's event loop alive only between [`Channel::hold`] and the delivery of the message that ends
//! what was held for. While the host is asked something that has no time limit (an approval, a question to
//! the user), the host alone keeps Node alive: a promise that nothing will settle does not.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};

use napi::bindgen_prelude::{Either, FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Error, Status};
use tenon_border::{Acknowledged, Columns, Kind, Message, Parts, Wire};

/// The content of an answer as it crosses: the text itself when there is exactly one text part, else a flat list of pairs.
pub(crate) type Content = Either<String, Vec<String>>;

/// Called in JavaScript with the kind of a message, the number of the call or question that it is
/// about, JSON, content, and the lists of an answer or an update that cross by columns.
pub(crate) type Arguments = FnArgs<(u32, u32, String, Content, Option<Vec<String>>)>;
/// Arguments are passed as they are (no error first), and the function is weak.
type Deliver = ThreadsafeFunction<Queued, (), Arguments, Status, false, true>;

/// A message on its way, as the thread that sends it has prepared it.
pub(crate) struct Queued {
    message: Message,
    columns: Option<Columns>,
}

impl From<Message> for Queued {
    fn from(mut message: Message) -> Self {
        let columns = match message.kind {
            Kind::Answer | Kind::Update => Columns::taken_from(&mut message.json),
            _ => None,
        };
        Self { message, columns }
    }
}

/// What keeps Node alive.
#[derive(Default)]
struct Life {
    /// Calls that were started and whose last message was not delivered yet.
    held: usize,
    /// Endless requests that the host was informed of and has not answered yet: each stands for a call that only waits for
    /// it.
    asked: HashSet<u32>,
    /// Calls that were cancelled and whose failure was not delivered yet: it comes whatever the host is still asked.
    cancelled: HashSet<u32>,
    /// Whether the function keeps Node alive now.
    is_referred: bool,
}

impl Life {
    fn is_needed(&self) -> bool {
        self.held > self.asked.len() || !self.cancelled.is_empty()
    }
}

/// The queue.
pub(crate) struct Channel {
    /// Written only on the JavaScript thread: to change whether it keeps Node alive, and to give it
    /// up once the toolkit is closed, so that nothing of the toolkit is left in Node.
    deliver: RwLock<Option<Deliver>>,
    /// The toolkit is closed.
    has_closed: AtomicBool,
    /// What keeps Node alive; changed only on the JavaScript thread.
    life: Mutex<Life>,
    /// Messages that were sent and not delivered yet.
    queued: AtomicUsize,
}

impl Channel {
    /// A queue to `deliver`, which must not throw.
    ///
    /// # Errors
    /// When Node refuses to make a threadsafe function.
    pub(crate) fn new(deliver: &Function<'_, Arguments, ()>) -> napi::Result<Arc<Self>> {
        // The function's own callback must find the channel that owns the function.
        let owner: Arc<OnceLock<Weak<Self>>> = Arc::default();
        let seen = Arc::clone(&owner);
        let deliver = deliver
            .build_threadsafe_function::<Queued>()
            .weak::<true>()
            .build_callback(move |context| {
                let Queued { message, columns } = context.value;
                let Message {
                    kind,
                    key,
                    json,
                    content,
                    is_endless,
                } = message;
                if let Some(channel) = seen.get().and_then(Weak::upgrade) {
                    channel.queued.fetch_sub(1, Ordering::Relaxed);
                    if kind == Kind::Closed {
                        channel.has_closed.store(true, Ordering::Relaxed);
                    }
                    match kind {
                        Kind::Request if is_endless => {
                            channel.live(&context.env, |life| _ = life.asked.insert(key))?
                        }
                        Kind::Withdrawn => channel.answered(key, &context.env)?,
                        kind if kind.is_last() => channel.release(key, &context.env)?,
                        _ => {}
                    }
                }
                let columns = columns.map(|columns| columns.texts);
                let content = crossing(content);
                Ok(FnArgs::from((kind as u32, key, json, content, columns)))
            })?;
        let channel = Arc::new(Self {
            deliver: RwLock::new(Some(deliver)),
            has_closed: AtomicBool::new(false),
            life: Mutex::default(),
            queued: AtomicUsize::new(0),
        });
        owner.get_or_init(|| Arc::downgrade(&channel));
        Ok(channel)
    }

    /// Keeps Node alive until one more answer, failure or end of a closing was delivered. On the
    /// JavaScript thread only.
    ///
    /// # Errors
    /// When the toolkit is closed, or Node refuses, which it does not while it runs.
    pub(crate) fn hold(&self, env: &Env) -> napi::Result<()> {
        if self.has_ended() {
            return Err(Error::from_reason("the toolkit is closed"));
        }
        self.live(env, |life| life.held += 1)
    }

    /// The host has answered a request, or need not any more. On the JavaScript thread only.
    ///
    /// # Errors
    /// When Node refuses, which it does not while it runs.
    pub(crate) fn answered(&self, request: u32, env: &Env) -> napi::Result<()> {
        self.live(env, |life| _ = life.asked.remove(&request))
    }

    /// A call that runs was cancelled: its failure is on its way. On the JavaScript thread only.
    ///
    /// # Errors
    /// When Node refuses, which it does not while it runs.
    pub(crate) fn cancelled(&self, call: u32, env: &Env) -> napi::Result<()> {
        self.live(env, |life| _ = life.cancelled.insert(call))
    }

    fn release(&self, call: u32, env: &Env) -> napi::Result<()> {
        self.live(env, |life| {
            life.held = life.held.saturating_sub(1);
            life.cancelled.remove(&call);
        })?;
        if self.has_closed.load(Ordering::Relaxed) && self.life().held == 0 {
            *self.deliver.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(())
    }

    /// Changes what keeps Node alive.
    #[expect(
        deprecated,
        reason = "a clone does not change whether Node is kept alive, this does"
    )]
    fn live(&self, env: &Env, change: impl FnOnce(&mut Life)) -> napi::Result<()> {
        let mut life = self.life();
        change(&mut life);
        if life.is_referred == life.is_needed() {
            return Ok(());
        }
        let mut deliver = self.deliver.write().unwrap_or_else(PoisonError::into_inner);
        let Some(deliver) = deliver.as_mut() else {
            return Ok(());
        };
        life.is_referred = !life.is_referred;
        if life.is_referred {
            deliver.refer(env)
        } else {
            deliver.unref(env)
        }
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the toolkit is closed and nothing can be delivered any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.deliver
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    /// Whether everything that was sent has been delivered.
    pub(crate) fn is_empty(&self) -> bool {
        self.queued.load(Ordering::Relaxed) == 0
    }

    fn queue(&self, send: impl FnOnce(&Deliver) -> Status) -> bool {
        self.queued.fetch_add(1, Ordering::Relaxed);
        let deliver = self.deliver.read().unwrap_or_else(PoisonError::into_inner);
        let is_queued = deliver
            .as_ref()
            .is_some_and(|deliver| send(deliver) == Status::Ok);
        if !is_queued {
            self.queued.fetch_sub(1, Ordering::Relaxed);
        }
        is_queued
    }
}

impl Wire for Channel {
    /// False when the environment is going away and nobody will read it.
    fn send(&self, message: Message) -> bool {
        let queued = Queued::from(message);
        self.queue(|deliver| deliver.call(queued, ThreadsafeFunctionCallMode::NonBlocking))
    }

    /// Runs `acknowledged`, on the JavaScript thread, when the function has returned.
    fn send_acknowledged(&self, message: Message, acknowledged: Acknowledged) -> bool {
        self.queue(|deliver| {
            let mode = ThreadsafeFunctionCallMode::NonBlocking;
            deliver.call_with_return_value(message.into(), mode, move |_, _| {
                acknowledged();
                Ok(())
            })
        })
    }
}

/// Content as JavaScript gets it.
pub(crate) fn crossing(content: Parts) -> Content {
    match content {
        Parts::Text(text) => Either::A(text),
        Parts::Pairs(pairs) => Either::B(pairs),
    }
}

/// Content as JavaScript gives it.
pub(crate) fn crossed(content: Content) -> Parts {
    match content {
        Either::A(text) => Parts::Text(text),
        Either::B(pairs) => Parts::Pairs(pairs),
    }
}
