//! Blocking work off the asynchronous threads.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

use tenon_contract::{ToolContext, ToolError, is_shortage_of_threads};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};

/// How many processors there are. Found out once: on Linux that takes reading several files.
#[must_use]
pub fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| available_parallelism().map_or(1, usize::from))
}

/// What somebody wants to do as soon as a blocking thread is free.
pub type FollowUp = Box<dyn FnOnce() + Send>;

thread_local! {
    /// What follows on this thread, while it shows that its work is done.
    static FOLLOWING: RefCell<Option<Vec<FollowUp>>> = const { RefCell::new(None) };
}

/// Hands over what waited for the work that this very thread has just done, and can be done here: no other thread has
/// to be woken for it. Given back on every other thread, and at every other time.
///
/// # Errors
/// The step itself.
pub fn follow_up(step: FollowUp) -> Result<(), FollowUp> {
    let mut step = Some(step);
    // A thread that ends has no such place any more.
    let _ = FOLLOWING.try_with(|following| {
        if let Some(steps) = following.borrow_mut().as_mut() {
            steps.extend(step.take());
        }
    });
    step.map_or(Ok(()), Err)
}

/// Starts `work` on a thread for blocking work of this executor, or gives it back where the system has no thread for it. Tokio panics then
/// and keeps the work, which it would do at some later time, when it was reported as not done. Nothing of the calling thread is asked:
/// it may be about to end.
///
/// # Errors
/// The work itself.
pub fn on_thread<T: Send + 'static, F>(executor: &Handle, work: F) -> Result<JoinHandle<T>, F>
where
    F: FnOnce() -> T + Send + 'static,
{
    let held = Held::new(work);
    let there = held.clone();
    let started = catch_unwind(AssertUnwindSafe(|| {
        executor.spawn_blocking(move || match there.take() {
            Some(work) => work(),
            // Given back; nobody waits for it.
            None => resume_unwind(Box::new("the work was given back")),
        })
    }));
    started.or_else(|panic| match held.take() {
        Some(work) if is_shortage_of_threads(panic.as_ref()) => Err(work),
        _ => resume_unwind(panic),
    })
}

/// Work that somebody else may do, until it is taken back.
struct Held<F>(Arc<Mutex<Option<F>>>);

impl<F> Clone for Held<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F> Held<F> {
    fn new(work: F) -> Self {
        Self(Arc::new(Mutex::new(Some(work))))
    }

    fn take(&self) -> Option<F> {
        let mut work = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work.take()
    }
}

/// What `work` answers on a thread for blocking work, which then goes on with what waited for it. A panic of it goes on in the caller.
///
/// # Errors
/// Where the system has no thread for it: then it is not done.
pub async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    let (sender, answer) = oneshot::channel();
    let started = on_thread(&Handle::current(), move || {
        let answer = catch_unwind(AssertUnwindSafe(work));
        FOLLOWING.set(Some(Vec::new()));
        // Nobody waits for it any more: then it is dropped.
        let _ = sender.send(answer);
        for step in FOLLOWING.take().unwrap_or_default() {
            step();
        }
    });
    if started.is_err() {
        return Err(ToolError::no_thread());
    }
    match answer.await {
        Ok(Ok(answer)) => Ok(answer),
        // The pipeline turns it into an error.
        Ok(Err(panic)) => resume_unwind(panic),
        // The executor is being shut down.
        Err(_) => Err(ToolError::cancelled()),
    }
}

/// The same for work that has to be done: where the system has no thread for it, this one does it.
///
/// # Errors
/// When the executor is being shut down.
pub async fn in_any_case<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    match on_thread(&Handle::current(), work) {
        Ok(started) => started.await,
        Err(work) => Ok(work()),
    }
}

/// Has `work` done soon, on another thread if there is one to have.
pub fn soon(work: impl FnOnce() + Send + 'static) {
    let left = if Handle::try_current().is_ok() {
        on_thread(&Handle::current(), work).err()
    } else {
        // Outside of the executor: a switch of modes, a registration.
        let held = Held::new(work);
        let there = held.clone();
        let run = move || there.take().into_iter().for_each(|work| work());
        let started = std::thread::Builder::new().spawn(run);
        started.is_err().then(|| held.take()).flatten()
    };
    if let Some(work) = left {
        work();
    }
}

/// Runs `work` on a thread for blocking work. It should watch [`ToolContext::check`]: a thread
/// cannot be stopped from outside.
pub(crate) async fn blocking<T: Send + 'static>(
    context: ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    off_thread(move || work(&context)).await?
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::ThreadId;

    use tenon_contract::CancellationToken;

    use super::*;

    /// Takes up what waits on the thread that wakes it, if it may.
    struct Waiting(std::sync::mpsc::Sender<(bool, ThreadId)>);

    impl Wake for Waiting {
        fn wake(self: Arc<Self>) {
            let done = self.0.clone();
            let here = std::thread::current().id();
            let followed = follow_up(Box::new(move || {
                let there = std::thread::current().id();
                done.send((true, there)).unwrap_or_default();
            }));
            if followed.is_err() {
                self.0.send((false, here)).unwrap_or_default();
            }
        }
    }

    #[tokio::test]
    async fn what_waited_for_the_work_is_taken_up_by_the_thread_that_did_it() {
        let (sender, woken) = std::sync::mpsc::channel();
        let context = ToolContext::new("1", CancellationToken::new());
        let (begin, begun) = std::sync::mpsc::channel();
        let mut work = Box::pin(blocking(context, move |_| {
            begun.recv().unwrap();
            Ok(std::thread::current().id())
        }));
        let waker = Waker::from(Arc::new(Waiting(sender)));
        let mut context = Context::from_waker(&waker);
        assert!(work.as_mut().poll(&mut context).is_pending());
        begin.send(()).unwrap();
        let (followed, there) = tokio::task::spawn_blocking(move || woken.recv().unwrap())
            .await
            .unwrap();
        assert!(followed);
        let Poll::Ready(Ok(worker)) = work.as_mut().poll(&mut context) else {
            panic!("the work was done");
        };
        assert_eq!(there, worker);
    }

    #[test]
    fn a_step_is_given_back_where_no_work_was_just_done() {
        assert!(follow_up(Box::new(|| ())).is_err());
    }

    #[tokio::test]
    #[should_panic(expected = "as it says")]
    async fn a_panic_of_the_work_is_the_callers() {
        let context = ToolContext::new("1", CancellationToken::new());
        let _: Result<(), _> = blocking(context, |_| panic!("as it says")).await;
    }
}
