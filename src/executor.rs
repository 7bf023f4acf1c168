//! The threads that calls run on.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use tenon_contract::ToolError;
use tokio::runtime::{Builder, Runtime};

/// More threads than this serve nobody: searches bring their own, blocking work has its own pool.
const MAX_THREADS: usize = 4;

/// One per process and never shut down: worker threads of Node come and go and share it. The image
/// of the addon stays mapped (napi pins it), so its threads never outlive their code.
static EXECUTOR: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(
            available_parallelism()
                .map_or(1, usize::from)
                .min(MAX_THREADS),
        )
        .thread_name("tenon")
        .enable_all()
        .build()
});

/// The threads, started at the first use.
///
/// # Errors
/// When the operating system gives no threads.
pub(crate) fn executor() -> Result<&'static Runtime, ToolError> {
    EXECUTOR.as_ref().map_err(|error| {
        ToolError::internal(format_args!("its threads cannot be started ({error})"))
    })
}
