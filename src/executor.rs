//! The threads that calls run on.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use tenon_contract::{ErrorCode, ToolError, shortage};
use tenon_runtime::processors;
use tokio::runtime::{Builder, Runtime};

/// More threads than this serve nobody: searches bring their own, blocking work has its own pool.
const MAX_THREADS: usize = 4;
/// More descriptors than the executor opens at its start.
const DESCRIPTORS: usize = 16;

/// One per process and never shut down: worker threads of Node come and go and share it. The image
/// of the addon stays mapped (napi pins it), so its threads never outlive their code.
static EXECUTOR: OnceLock<Runtime> = OnceLock::new();

/// The threads, started at the first use. What the system does not have now is asked for again the next time.
///
/// # Errors
/// When the operating system gives no threads or descriptors.
pub(crate) fn executor() -> Result<&'static Runtime, ToolError> {
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(executor) = EXECUTOR.get() {
        return Ok(executor);
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(executor) = EXECUTOR.get() {
        return Ok(executor);
    }
    let started = start().map_err(|error| not_started(&error))?;
    Ok(EXECUTOR.get_or_init(|| started))
}

fn not_started(error: &io::Error) -> ToolError {
    match shortage(error) {
        Some(what) => ToolError::new(
            ErrorCode::Unavailable,
            format!("The threads of tenon could not be started: {what} ({error})."),
        ),
        None => ToolError::internal(format_args!("its threads cannot be started ({error})")),
    }
}

fn start() -> io::Result<Runtime> {
    let threads = processors().min(MAX_THREADS);
    try_out(threads + 1)?;
    // What another one took meanwhile.
    catch_unwind(AssertUnwindSafe(|| {
        Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("tenon")
            .enable_all()
            .build()
    }))
    .unwrap_or_else(|_| Err(io::ErrorKind::WouldBlock.into()))
}

/// Whether there are as many threads and descriptors as the executor takes. Without them it panics, and leaves behind what
/// panics for ever after, or waits for the threads that it has got.
fn try_out(threads: usize) -> io::Result<()> {
    let mut pipes = Vec::new();
    for _ in 0..DESCRIPTORS / 2 {
        pipes.push(io::pipe()?);
    }
    // All are there at once, and end when it is opened.
    let waiting = Arc::new(Barrier::default());
    let started: io::Result<Vec<_>> = (0..threads)
        .map(|_| {
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new().spawn(move || waiting.wait())
        })
        .collect();
    waiting.open();
    for thread in started? {
        // It only waits, and is counted until it is gone.
        let _ = thread.join();
    }
    Ok(())
}

/// What threads wait at.
#[derive(Default)]
struct Barrier {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Barrier {
    fn wait(&self) {
        let mut is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            let waited = self.opened.wait(is_open);
            is_open = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }
}
