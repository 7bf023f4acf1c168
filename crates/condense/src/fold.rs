//! What is folded whatever the budget: nothing is lost by it that cannot be said in one line.

use std::collections::HashMap;

use crate::classes::{Class, without_colors};
use crate::condense::Why;

/// Shortest run of progress or passed tests that is folded.
const RUN_MIN: usize = 4;
/// Fewest times that something stands there before the rest is only counted.
const REPEATS_MIN: usize = 4;
/// Longest block whose repetition is seen.
const BLOCK_MAX: usize = 8;
/// Fewest bytes that folding must save: a mark has a price as well.
const SAVES_MIN: usize = 80;
/// Shortest stack trace that is referred to instead of being shown again.
const TRACE_MIN: usize = 3;

/// For each line why it is not shown, or nothing.
pub(crate) fn folded(lines: &[&str], classes: &[Class]) -> Vec<Option<Why>> {
    let mut why = vec![None; lines.len()];
    fold_runs(lines, classes, &mut why);
    fold_repeats(lines, &mut why);
    fold_traces(lines, classes, &mut why);
    why
}

fn bytes(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}

/// Hides `range` unless some of it is hidden already or it saves too little.
fn hide(lines: &[&str], why: &mut [Option<Why>], range: std::ops::Range<usize>, reason: Why) {
    let saves = lines
        .get(range.clone())
        .is_some_and(|hidden| bytes(hidden) >= SAVES_MIN);
    if let Some(places) = why.get_mut(range)
        && saves
        && places.iter().all(Option::is_none)
    {
        places.fill(Some(reason));
    }
}

/// Runs of progress, of passed and of skipped tests: their first line stays.
fn fold_runs(lines: &[&str], classes: &[Class], why: &mut [Option<Why>]) {
    let mut at = 0;
    while let Some(&class) = classes.get(at) {
        let run = classes
            .iter()
            .skip(at)
            .take_while(|other| **other == class)
            .count();
        let reason = match class {
            Class::Progress => Some(Why::Progress),
            Class::Passed => Some(Why::Passed),
            Class::Skipped => Some(Why::Skipped),
            _ => None,
        };
        if let Some(reason) = reason.filter(|_| run >= RUN_MIN) {
            hide(lines, why, at + 1..at + run, reason);
        }
        at += run.max(1);
    }
}

/// Lines and short blocks that stand there again and again: the first time stays.
fn fold_repeats(lines: &[&str], why: &mut [Option<Why>]) {
    let mut at = 0;
    while at < lines.len() {
        let block = (1..=BLOCK_MAX).find_map(|size| {
            let times = repeats(lines, at, size);
            (times >= REPEATS_MIN).then_some((size, times))
        });
        let Some((size, times)) = block else {
            at += 1;
            continue;
        };
        let end = at + size * times;
        hide(
            lines,
            why,
            at + size..end,
            Why::Repeated {
                times: times - 1,
                lines: size,
            },
        );
        at = end;
    }
}

/// How many times in a row the block of `size` lines at `at` stands there.
fn repeats(lines: &[&str], at: usize, size: usize) -> usize {
    let Some(block) = lines.get(at..at + size) else {
        return 0;
    };
    let mut times = 1;
    while lines
        .get(at + times * size..at + (times + 1) * size)
        .is_some_and(|next| next == block)
    {
        times += 1;
    }
    times
}

/// Stack traces that were shown already.
fn fold_traces(lines: &[&str], classes: &[Class], why: &mut [Option<Why>]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut at = 0;
    while at < lines.len() {
        let length = trace_at(classes, at);
        if length < TRACE_MIN {
            at += length.max(1);
            continue;
        }
        let trace = lines.get(at..at + length).unwrap_or_default();
        let key: String = trace.iter().map(|line| without_colors(line)).collect();
        match seen.get(&key) {
            Some(&first) => hide(lines, why, at..at + length, Why::Trace { first }),
            None => {
                seen.insert(key, at + 1);
            }
        }
        at += length;
    }
}

/// How many lines from here on belong to one trace. Python shows the source below each frame.
fn trace_at(classes: &[Class], at: usize) -> usize {
    let is_frame = |at: usize| classes.get(at) == Some(&Class::Frame);
    if !is_frame(at) {
        return 0;
    }
    let mut end = at + 1;
    while is_frame(end)
        || is_frame(end + 1) && classes.get(end).is_some_and(|class| *class <= Class::Plain)
    {
        end += 1;
    }
    end - at
}
