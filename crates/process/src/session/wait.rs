//! Waiting for a session to be ready, to say something, or to end.

use std::fmt;
use std::time::{Duration, Instant};

use regex::Regex;
use tokio::time::{sleep, timeout};

use super::CommandSession;

/// How often ports, files and silence are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// After the first new output: this much silence, and the answer is given.
const SETTLED: Duration = Duration::from_millis(100);
/// Nobody waits longer than this for silence.
const SETTLED_MAX: Duration = Duration::from_secs(1);

/// What a session is waited for. Any one of them will do.
#[derive(Default)]
pub struct Readiness {
    /// Unread output that matches, on one line or over several as the expression says.
    pub output: Option<Regex>,
    /// A port that takes connections: of this machine, or of the sandbox's own network.
    pub port: Option<u16>,
    /// Something that is asked again and again, such as whether a file exists.
    pub condition: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// So long without output.
    pub idle: Option<Duration>,
}

impl fmt::Debug for Readiness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Readiness")
            .field("output", &self.output)
            .field("port", &self.port)
            .field("condition", &self.condition.is_some())
            .field("idle", &self.idle)
            .finish()
    }
}

impl Readiness {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.output.is_none()
            && self.port.is_none()
            && self.condition.is_none()
            && self.idle.is_none()
    }
}

/// What ended a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waited {
    /// This line of the output matches.
    Output(String),
    /// The port takes connections.
    Port(u16),
    /// The condition holds.
    Condition,
    /// Nothing was written for so long.
    Idle,
    /// The session is over.
    Over,
    /// Time was up.
    TimeUp,
}

impl CommandSession {
    /// Waits until the session is ready, or over, for at most `patience`.
    pub async fn ready(&self, readiness: &Readiness, patience: Duration) -> Waited {
        let begun = Instant::now();
        loop {
            // In this order: what was written before the end still counts.
            let over = self.state().is_over();
            if let Some(line) = self.matching_line(readiness) {
                return Waited::Output(line);
            }
            if let Some(port) = readiness.port
                && self
                    .network
                    .takes_connections(self.process_id(), port)
                    .await
            {
                return Waited::Port(port);
            }
            if readiness.condition.as_ref().is_some_and(|holds| holds()) {
                return Waited::Condition;
            }
            if over {
                return Waited::Over;
            }
            let silence = self.idle().min(begun.elapsed());
            if readiness.idle.is_some_and(|idle| silence >= idle) {
                return Waited::Idle;
            }
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Waited::TimeUp;
            }
            // Output may come by the megabyte: it is looked at now and then, not each time.
            let _ = timeout(left.min(LOOK), self.over()).await;
        }
    }

    /// Waits until there is something unread and the session pauses, or until it is over, for at
    /// most `patience`.
    pub async fn news_or_end(&self, patience: Duration) {
        let begun = Instant::now();
        let mut first_news: Option<Instant> = None;
        let mut changes = self.live.changes();
        while begun.elapsed() < patience && !self.state().is_over() {
            let left = patience.saturating_sub(begun.elapsed());
            if first_news.is_none() && !self.unread().is_empty() {
                first_news = Some(Instant::now());
            }
            match first_news {
                None => {
                    tokio::select! {
                        () = self.over() => {}
                        _ = changes.changed() => {}
                        () = sleep(left) => {}
                    }
                }
                Some(first) if self.idle() >= SETTLED || first.elapsed() >= SETTLED_MAX => return,
                Some(_) => {
                    let pause = SETTLED
                        .saturating_sub(self.idle())
                        .max(Duration::from_millis(5));
                    let _ = timeout(left.min(pause), self.over()).await;
                }
            }
        }
    }

    fn matching_line(&self, readiness: &Readiness) -> Option<String> {
        let expression = readiness.output.as_ref()?;
        // A prompt or a last line without an end counts as it stands.
        let unread = self.unread_to_the_end();
        unread.captures().find_map(|capture| {
            let text = capture.text("\n");
            let text = crate::strip_escapes(&text);
            let found = expression.find(&text)?;
            let start = text
                .get(..found.start())?
                .rfind('\n')
                .map_or(0, |at| at + 1);
            // Of a line that goes on no more is shown than what matches.
            let rest = text.get(found.end()..)?.find('\n').unwrap_or(0);
            let end = found.end() + rest;
            Some(text.get(start..end)?.trim_end_matches('\r').to_owned())
        })
    }
}
