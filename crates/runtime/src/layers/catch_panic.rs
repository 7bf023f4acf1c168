//! A panic inside becomes an error of this call; other calls and the host go on.

use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::FutureExt;
use tenon_contract::ToolError;

use crate::service::{Request, Service};

pub(crate) struct CatchPanic<S> {
    inner: S,
}

impl<S> CatchPanic<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S: Service<Request>> Service<Request> for CatchPanic<S> {
    type Answer = S::Answer;

    async fn call(&self, request: Request) -> Result<S::Answer, ToolError> {
        // Unwind safety: nothing of the call is looked at after a panic, and shared state inside
        // recovers from poisoned locks by itself.
        // Pinned in its place, since it is some kilobytes that would be moved into each of its wrappers.
        let call = pin!(self.inner.call(request));
        AssertUnwindSafe(call)
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| Err(ToolError::panicked(panic.as_ref())))
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("catch_panic");
        self.inner.describe(names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_request::CallRequest;
    use tenon_contract::ErrorCode;

    struct Faulty;

    impl Service<Request> for Faulty {
        type Answer = ();

        async fn call(&self, _: Request) -> Result<(), ToolError> {
            panic!("index out of range")
        }

        fn describe(&self, _: &mut Vec<&'static str>) {}
    }

    #[tokio::test]
    async fn a_panic_becomes_an_internal_error_that_names_it() {
        let request = Request::new(CallRequest::new("read", serde_json::Value::Null));
        let error = CatchPanic::new(Faulty).call(request).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
        assert!(
            error.message.contains("index out of range"),
            "{}",
            error.message
        );
    }
}
