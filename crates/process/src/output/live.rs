//! The output of a command while it comes in, shared by those who read the pipes and those who look.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::input::terminal::{Modes, Terminal};
use crate::output::capture::Recorder;
use crate::output::private_directory::PrivateDirectory;
use crate::output::spill::SpillWriter;
use crate::{Capture, CommandInput, CommandSpec, Output, OutputGuard, Screen, Spill, Streams};

/// Everything that is known of a command's output now.
#[derive(Debug)]
pub(crate) struct Live {
    started: Instant,
    pub(crate) stdout: Option<Channel>,
    pub(crate) stderr: Option<Channel>,
    pub(crate) merged: Option<Channel>,
    terminal: Option<Mutex<Terminal>>,
    /// What the screen passes before it is shown.
    guard: Option<Arc<dyn OutputGuard>>,
    /// Microseconds from the start to the last output.
    last_output: AtomicU64,
    changes: watch::Sender<()>,
}

impl Live {
    pub(crate) fn new(spec: &CommandSpec, directory: &Arc<PrivateDirectory>) -> Self {
        let channel = |kind: &'static str| Channel {
            kind,
            recorder: Mutex::new(Recorder::new(spec.keep).guarded_by(directory.guard().cloned())),
            directory: spec.spill.then(|| Arc::clone(directory)),
            spill: tokio::sync::Mutex::new(None),
        };
        let terminal = match spec.input {
            CommandInput::Terminal(size) => Some(Mutex::new(Terminal::new(size))),
            CommandInput::Closed | CommandInput::Pipe => None,
        };
        let apart = spec.streams != Streams::Merged && terminal.is_none();
        let merged = spec.streams != Streams::Apart || terminal.is_some();
        Self {
            started: Instant::now(),
            stdout: apart.then(|| channel("stdout")),
            stderr: apart.then(|| channel("stderr")),
            merged: merged.then(|| channel("output")),
            terminal,
            guard: directory.guard().cloned(),
            last_output: AtomicU64::new(0),
            changes: watch::Sender::new(()),
        }
    }

    /// A listener that hears of every output from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Notifies the listeners that there is something new.
    pub(crate) fn report(&self) {
        let now = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last_output.store(now, Ordering::Release);
        self.changes.send_replace(());
    }

    /// How long nothing was written, from the start on.
    pub(crate) fn idle(&self) -> Duration {
        let last = Duration::from_micros(self.last_output.load(Ordering::Acquire));
        self.started.elapsed().saturating_sub(last)
    }

    /// Draws on the terminal, if there is one, and says what it answers.
    pub(crate) fn draw(&self, written: &[u8]) -> Vec<u8> {
        self.terminal
            .as_ref()
            .map(|terminal| lock(terminal).draw(written))
            .unwrap_or_default()
    }

    pub(crate) fn screen(&self) -> Option<Screen> {
        let terminal = self.terminal.as_ref()?;
        let mut screen = lock(terminal).screen()?;
        if let Some(guard) = &self.guard {
            screen.text = guard.screen(&screen.text, screen.columns);
        }
        Some(screen)
    }

    pub(crate) fn modes(&self) -> Modes {
        self.terminal
            .as_ref()
            .map_or_else(Modes::default, |terminal| lock(terminal).modes())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn output(&self, finished: bool) -> Output {
        let capture =
            |channel: &Option<Channel>| channel.as_ref().map(|channel| channel.capture(finished));
        Output {
            stdout: capture(&self.stdout),
            stderr: capture(&self.stderr),
            merged: capture(&self.merged),
        }
    }

    fn channels(&self) -> impl Iterator<Item = &Channel> {
        [&self.stdout, &self.stderr, &self.merged]
            .into_iter()
            .flatten()
    }

    /// Waits until the files hold all of an output that is over.
    pub(crate) async fn finish(&self) {
        for channel in self.channels() {
            channel.finish().await;
        }
    }

    /// Waits until the files hold all that was read.
    pub(crate) async fn flush(&self) {
        for channel in self.channels() {
            channel.flush().await;
        }
    }
}

/// One capture being made.
#[derive(Debug)]
pub(crate) struct Channel {
    kind: &'static str,
    recorder: Mutex<Recorder>,
    directory: Option<Arc<PrivateDirectory>>,
    /// Held while a chunk is taken, so that two writers keep one order in memory and on disk.
    spill: tokio::sync::Mutex<Option<SpillWriter>>,
}

impl Channel {
    /// Records a chunk; from the moment on when memory does not hold everything, on disk too.
    pub(crate) async fn take(&self, chunk: &[u8]) {
        let Some(directory) = &self.directory else {
            self.lock().push(chunk);
            return;
        };
        let mut spill = self.spill.lock().await;
        let earlier = {
            let mut recorder = self.lock();
            let begins = spill.is_none() && recorder.would_drop(chunk.len());
            let earlier = begins.then(|| recorder.whole()).flatten();
            recorder.push(chunk);
            earlier
        };
        if let Some(earlier) = earlier {
            let mut writer = SpillWriter::create(Arc::clone(directory), self.kind);
            writer.write(&earlier).await;
            *spill = Some(writer);
        }
        if let Some(writer) = spill.as_mut() {
            writer.write(chunk).await;
            self.lock().spill = Some(writer.state());
        }
    }

    /// The output is over.
    async fn finish(&self) {
        if let Some(writer) = self.spill.lock().await.as_mut() {
            writer.finish().await;
            self.lock().spill = Some(writer.state());
        }
    }

    async fn flush(&self) {
        if let Some(writer) = self.spill.lock().await.as_mut() {
            writer.flush().await;
            self.lock().spill = Some(writer.state());
        }
    }

    /// The file with the whole output, if there is one, once it holds all that was read.
    pub(crate) async fn spilled(&self) -> Option<Spill> {
        self.flush().await;
        self.lock().spill.clone()
    }

    pub(crate) fn capture(&self, finished: bool) -> Capture {
        self.lock().capture(finished)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Recorder> {
        lock(&self.recorder)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A look at the output of a command that runs. Cheap until [`snapshot`](Self::snapshot) is called.
#[derive(Debug, Clone, Copy)]
pub struct LiveOutput<'a>(pub(crate) &'a Live);

impl LiveOutput<'_> {
    /// All that is kept now: the whole of it, never a delta. A character that has not arrived
    /// completely is left out until it has.
    #[must_use]
    pub fn snapshot(&self) -> Output {
        self.0.output(false)
    }

    /// Bytes written so far, by all streams together.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        match &self.0.merged {
            Some(merged) => merged.lock().total_bytes(),
            None => self
                .0
                .channels()
                .map(|channel| channel.lock().total_bytes())
                .sum(),
        }
    }

    /// What the terminal shows, if the command has one.
    #[must_use]
    pub fn screen(&self) -> Option<Screen> {
        self.0.screen()
    }

    /// How long nothing was written, counted from the start.
    #[must_use]
    pub fn idle(&self) -> Duration {
        self.0.idle()
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Since when one reader has been waiting for output.
#[derive(Debug)]
pub(crate) struct Quiet {
    begun: Instant,
    /// Microseconds after `begun`, plus one; 0 while the reader is busy.
    waiting_since: AtomicU64,
}

impl Quiet {
    pub(crate) fn new() -> Self {
        Self {
            begun: Instant::now(),
            waiting_since: AtomicU64::new(0),
        }
    }

    pub(crate) fn waiting(&self) {
        let now = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX - 1);
        self.waiting_since.store(now + 1, Ordering::Release);
    }

    pub(crate) fn busy(&self) {
        self.waiting_since.store(0, Ordering::Release);
    }

    /// How long nothing has come, counted from `start` at the earliest.
    pub(crate) fn since(&self, start: Instant) -> Duration {
        match self.waiting_since.load(Ordering::Acquire) {
            0 => Duration::ZERO,
            moment => {
                let since = self.begun + Duration::from_micros(moment - 1);
                since.max(start).elapsed()
            }
        }
    }
}
