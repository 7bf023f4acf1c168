//! Sees calls that lead nowhere: the same failure again and again, two edits that undo each other, polls without news. It
//! says so in the answer and to the host; it never refuses a call.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use tenon_contract::{Content, ErrorCode, Operation, Outcome, ToolError};

use crate::events::{EventKind, Events, LoopKind, Subject};
use crate::registry::{Registry, plain};
use crate::service::{Request, Service};

/// How many calls are remembered.
const REMEMBERED: usize = 24;
/// From which time on something is said.
const TIMES: usize = 3;

pub(crate) struct Loops<S> {
    registry: Arc<Registry>,
    events: Events,
    guard: Mutex<Guard>,
    inner: S,
}

/// One call that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EndedCall {
    /// The tool and its parameters.
    call: u64,
    end: End,
}

/// How a call ended, as far as loops are made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// With this failure.
    Failed(u64),
    /// It changed files.
    Changed,
    /// It looked at a command, and this was the answer.
    Looked(u64),
    /// Otherwise.
    Other,
}

/// The last calls.
#[derive(Debug, Default)]
struct Guard(VecDeque<EndedCall>);

impl<S> Loops<S> {
    pub(crate) fn new(registry: Arc<Registry>, events: Events, inner: S) -> Self {
        Self {
            registry,
            events,
            guard: Mutex::default(),
            inner,
        }
    }

    fn seen(&self, seen: EndedCall) -> Option<(LoopKind, usize)> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        guard.seen(seen)
    }
}

impl<S: Service<Request, Answer = Outcome>> Service<Request> for Loops<S> {
    type Answer = Outcome;

    async fn call(&self, mut request: Request) -> Result<Outcome, ToolError> {
        let name = plain(&request.sent.tool).to_owned();
        let operation = self.registry.tool_of(&mut request).ok();
        let operation = operation.map(|tool| tool.operation());
        let call = hash_of(&(&name, request.sent.params.value.to_string()));
        let id = request.sent.id.clone();
        let mut answer = self.inner.call(request).await;
        let end = end_of(operation, &answer);
        if let Some((kind, times)) = self.seen(EndedCall { call, end }) {
            say(&mut answer, kind, times);
            self.events.emit(|| EventKind::Looping {
                call: Subject::new(&id, &name),
                kind,
                times,
            });
        }
        answer
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("loops");
        self.inner.describe(names);
    }
}

impl Guard {
    /// Remembers a call, and says whether it is one of a loop, and for which time.
    fn seen(&mut self, seen: EndedCall) -> Option<(LoopKind, usize)> {
        self.0.push_back(seen);
        while self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
        let (kind, times) = match seen.end {
            End::Failed(_) => (LoopKind::Failure, self.same(seen)),
            End::Changed => (LoopKind::PingPong, self.undone(seen.call)),
            End::Looked(_) => (LoopKind::Poll, self.in_a_row(seen)),
            End::Other => return None,
        };
        (times >= TIMES).then_some((kind, times))
    }

    /// How many of the last calls were this one with this end. A success of the same call begins a new count.
    fn same(&self, seen: EndedCall) -> usize {
        let of_call = self.0.iter().rev().filter(|other| other.call == seen.call);
        of_call.take_while(|other| **other == seen).count()
    }

    /// How many of the last calls in a row were this one with this end.
    fn in_a_row(&self, seen: EndedCall) -> usize {
        self.0
            .iter()
            .rev()
            .take_while(|other| **other == seen)
            .count()
    }

    /// How many times a change was made, in turns with one other.
    fn undone(&self, call: u64) -> usize {
        let changes: Vec<u64> = self
            .0
            .iter()
            .rev()
            .filter(|seen| seen.end == End::Changed)
            .map(|seen| seen.call)
            .collect();
        let Some(&other) = changes.get(1).filter(|other| **other != call) else {
            return 1;
        };
        let turns = changes.iter().zip([call, other].into_iter().cycle());
        turns
            .take_while(|(seen, turn)| *seen == turn)
            .count()
            .div_ceil(2)
    }
}

fn end_of(operation: Option<Operation>, answer: &Result<Outcome, ToolError>) -> End {
    let changes = [
        Operation::Edit,
        Operation::Write,
        Operation::Patch,
        Operation::NotebookEdit,
        Operation::Memory,
    ];
    match (operation, answer) {
        // Anyone who aborts a call knows that it failed.
        (_, Err(error)) if error.code == ErrorCode::Cancelled => End::Other,
        (_, Err(error)) => End::Failed(hash_of(&(error.code.as_str(), &error.message))),
        (Some(operation), Ok(_)) if changes.contains(&operation) => End::Changed,
        (Some(Operation::Process), Ok(outcome)) => {
            let texts = outcome.content.iter().map(|part| match part {
                Content::Text(text) => text.as_str(),
                Content::Image { .. } => "",
            });
            End::Looked(hash_of(&texts.collect::<Vec<_>>()))
        }
        _ => End::Other,
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Says it to the model, with what to try instead.
fn say(answer: &mut Result<Outcome, ToolError>, kind: LoopKind, times: usize) {
    let what = match kind {
        LoopKind::Failure => format!(
            "The same call has failed {times} times in the same way. Do not repeat it: look at the current state, change the parameters, or tell the user what is in the way."
        ),
        LoopKind::PingPong => format!(
            "[Two changes undo each other: this one was made {times} times. Decide which one is right, by a test or by asking the user, before the next change.]"
        ),
        LoopKind::Poll => format!(
            "[No news {times} times in a row. Wait longer at once, do other work meanwhile, or kill it if it hangs.]"
        ),
    };
    match answer {
        Ok(outcome) => {
            let texts = outcome.content.iter_mut().rev();
            let last = texts.filter_map(|part| match part {
                Content::Text(text) => Some(text),
                Content::Image { .. } => None,
            });
            match last.take(1).next() {
                Some(text) => {
                    let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
                    text.push_str(gap);
                    text.push_str(&what);
                }
                None => outcome.content.push(Content::Text(what)),
            }
        }
        Err(error) => {
            error.message.push(' ');
            error.message.push_str(&what);
            error.details.insert("repeated".to_owned(), times.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(calls: &[(u64, End)]) -> Vec<Option<(LoopKind, usize)>> {
        let mut guard = Guard::default();
        let seen = calls
            .iter()
            .map(|&(call, end)| guard.seen(EndedCall { call, end }));
        seen.collect()
    }

    #[test]
    fn the_same_failure_is_reported_the_third_time_whatever_is_between() {
        let failed = (1, End::Failed(7));
        let other = (2, End::Other);
        let calls = [failed, other, failed, other, failed, failed];
        let expected = [
            None,
            None,
            None,
            None,
            Some((LoopKind::Failure, 3)),
            Some((LoopKind::Failure, 4)),
        ];
        assert_eq!(reported(&calls), expected);
    }

    #[test]
    fn another_failure_and_a_success_begin_a_new_count() {
        let (failed, otherwise, worked) =
            ((1, End::Failed(7)), (1, End::Failed(8)), (1, End::Other));
        assert_eq!(
            reported(&[failed, failed, otherwise, failed, failed, worked, failed]),
            [None; 7]
        );
    }

    #[test]
    fn two_changes_in_turns_are_reported_when_one_is_made_the_third_time() {
        let (one, other, third) = ((1, End::Changed), (2, End::Changed), (3, End::Changed));
        let looked = (9, End::Other);
        let calls = [one, other, looked, one, other, one, other];
        let expected = [
            None,
            None,
            None,
            None,
            None,
            Some((LoopKind::PingPong, 3)),
            Some((LoopKind::PingPong, 3)),
        ];
        assert_eq!(reported(&calls), expected);
        assert_eq!(
            reported(&[one, other, third, one, other, third, one]),
            [None; 7]
        );
        assert_eq!(reported(&[one, one, one, one]), [None; 4]);
    }

    #[test]
    fn polls_without_news_are_reported_the_third_time_in_a_row() {
        let (silent, news) = ((1, End::Looked(5)), (1, End::Looked(6)));
        assert_eq!(
            reported(&[silent, silent, silent]),
            [None, None, Some((LoopKind::Poll, 3))]
        );
        assert_eq!(reported(&[silent, silent, news, silent, silent]), [None; 5]);
    }
}
