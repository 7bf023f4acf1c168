//! The parts that only the host can supply, as calls into JavaScript.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use tenon_runtime::{ApprovalAnswer, ApprovalRequest, Approver, TelemetryEvent, TelemetrySink};
use tokio::sync::oneshot;

use crate::channel::{Channel, Message};

type Answer = Result<ApprovalAnswer, String>;

/// Asks the host's `onApproval`. Everything but a clear answer is a reason to refuse.
#[derive(Clone)]
pub(crate) struct JsApprover {
    channel: Arc<Channel>,
    questions: Arc<Mutex<Questions>>,
}

#[derive(Default)]
struct Questions {
    last: u32,
    open: HashMap<u32, oneshot::Sender<Answer>>,
}

impl JsApprover {
    /// An approver that asks over `channel`.
    pub(crate) fn new(channel: Arc<Channel>) -> Self {
        Self {
            channel,
            questions: Arc::default(),
        }
    }

    /// Hands in what the host said to a question: `once`, `always` or `never`; anything else is told
    /// as the reason for a refusal. A question that nobody waits for any more is passed over.
    pub(crate) fn answer(&self, question: u32, said: String) {
        let sender = self.lock().open.remove(&question);
        if let Some(sender) = sender {
            // The call may have been aborted meanwhile; then nobody is left to tell.
            let _ = sender.send(match said.as_str() {
                "once" => Ok(ApprovalAnswer::Once),
                "always" => Ok(ApprovalAnswer::Always),
                "never" => Ok(ApprovalAnswer::Never),
                _ => Err(said),
            });
        }
    }

    fn open(&self) -> (u32, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let mut questions = self.lock();
        questions.open.retain(|_, sender| !sender.is_closed());
        questions.last = questions.last.wrapping_add(1);
        let question = questions.last;
        questions.open.insert(question, sender);
        (question, receiver)
    }

    fn lock(&self) -> MutexGuard<'_, Questions> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approver for JsApprover {
    fn decide(&self, request: ApprovalRequest) -> BoxFuture<'static, Answer> {
        let approver = self.clone();
        Box::pin(async move {
            let request = serde_json::to_string(&request).map_err(|error| error.to_string())?;
            let (question, answer) = approver.open();
            if !approver.channel.send(Message::question(question, request)) {
                return Err("The host is shutting down.".to_owned());
            }
            answer
                .await
                .unwrap_or_else(|_| Err("The approver went away without an answer.".to_owned()))
        })
    }
}

/// Hands events to the host's `onTelemetry`.
pub(crate) struct JsTelemetry(Arc<Channel>);

impl JsTelemetry {
    /// A sink that delivers over `channel`.
    pub(crate) fn new(channel: Arc<Channel>) -> Self {
        Self(channel)
    }
}

impl TelemetrySink for JsTelemetry {
    fn emit(&self, event: TelemetryEvent) {
        if let Ok(event) = serde_json::to_string(&event) {
            self.0.send(Message::telemetry(event));
        }
    }
}
