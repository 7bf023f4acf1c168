//! A thread that is started by its first job and ends with its owner.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use crate::StoreError;

/// Where an answer goes.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A place for one answer, and the wait for it.
pub(super) fn reply<T>() -> (Reply<T>, oneshot::Receiver<Result<T, StoreError>>) {
    oneshot::channel()
}

type Run<J> = Arc<dyn Fn(Receiver<J>) + Send + Sync>;

/// A thread that works on one job after the other, and sleeps while there is none.
pub(super) struct Lane<J> {
    name: &'static str,
    run: Run<J>,
    jobs: Mutex<Option<Sender<J>>>,
}

impl<J: Send + 'static> Lane<J> {
    pub(super) fn new(
        name: &'static str,
        run: impl Fn(Receiver<J>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            run: Arc::new(run),
            jobs: Mutex::new(None),
        }
    }

    pub(super) fn is_started(&self) -> bool {
        self.jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }

    /// Hands a job in.
    pub(super) fn send(&self, job: J) -> Result<(), StoreError> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = match &*jobs {
            None => job,
            Some(open) => match open.send(job) {
                Ok(()) => return Ok(()),
                // The thread has panicked: another one takes its place.
                Err(unsent) => unsent.0,
            },
        };
        let (sender, receiver) = channel();
        let run = Arc::clone(&self.run);
        let thread = thread::Builder::new().name(self.name.to_owned());
        thread.spawn(move || run(receiver)).map_err(|error| {
            StoreError::Failed(format!(
                "The thread of the store cannot be started: {error}"
            ))
        })?;
        let sent = sender.send(job);
        *jobs = Some(sender);
        sent.map_err(|_| super::shared::gone())
    }

    /// Lets the thread end once its jobs are done.
    pub(super) fn end(&self) {
        *self.jobs.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
