//! A thread that is started by its first job and ends with its owner.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    started: Mutex<Option<Started<J>>>,
}

struct Started<J> {
    jobs: Sender<J>,
    /// Ends in an error when the thread has let go of all that it had open.
    ended: oneshot::Receiver<()>,
}

impl<J: Send + 'static> Lane<J> {
    pub(super) fn new(
        name: &'static str,
        run: impl Fn(Receiver<J>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            run: Arc::new(run),
            started: Mutex::new(None),
        }
    }

    fn started(&self) -> MutexGuard<'_, Option<Started<J>>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_started(&self) -> bool {
        self.started().is_some()
    }

    /// Hands a job in.
    pub(super) fn send(&self, job: J) -> Result<(), StoreError> {
        let mut started = self.started();
        let job = match &*started {
            None => job,
            Some(open) => match open.jobs.send(job) {
                Ok(()) => return Ok(()),
                // The thread has panicked: another one takes its place.
                Err(unsent) => unsent.0,
            },
        };
        let (jobs, receiver) = channel();
        let (ending, ended) = oneshot::channel();
        let run = Arc::clone(&self.run);
        let thread = thread::Builder::new().name(self.name.to_owned());
        let spawned = thread.spawn(move || {
            let _ending = ending;
            run(receiver);
        });
        spawned.map_err(|error| {
            StoreError::Failed(format!(
                "The thread of the store cannot be started: {error}"
            ))
        })?;
        let sent = jobs.send(job);
        *started = Some(Started { jobs, ended });
        sent.map_err(|_| super::shared::gone())
    }

    /// Lets the thread do the jobs it has, and waits until it has ended.
    pub(super) async fn end(&self) {
        let started = self.started().take();
        if let Some(Started { jobs, ended }) = started {
            drop(jobs);
            let _ = ended.await;
        }
    }
}
