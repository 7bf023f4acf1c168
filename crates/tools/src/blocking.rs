//! Blocking work off the asynchronous threads.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tenon_contract::{ToolContext, ToolError};
use tokio::sync::oneshot;

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

/// Runs `work` on a thread for blocking work. It should watch [`ToolContext::check`]: a thread
/// cannot be stopped from outside.
pub(crate) async fn blocking<T: Send + 'static>(
    context: ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let (sender, answer) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let answer = catch_unwind(AssertUnwindSafe(|| work(&context)));
        FOLLOWING.set(Some(Vec::new()));
        // Nobody waits for it any more: then it is dropped.
        let _ = sender.send(answer);
        for step in FOLLOWING.take().unwrap_or_default() {
            step();
        }
    });
    match answer.await {
        Ok(Ok(answer)) => answer,
        // A panic goes on in the caller, where the pipeline turns it into an error.
        Ok(Err(panic)) => resume_unwind(panic),
        // The executor is being shut down.
        Err(_) => Err(ToolError::cancelled()),
    }
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
        let mut work = Box::pin(blocking(context, |_| Ok(std::thread::current().id())));
        let waker = Waker::from(Arc::new(Waiting(sender)));
        let mut context = Context::from_waker(&waker);
        assert!(work.as_mut().poll(&mut context).is_pending());
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
