//! Edits by anchors, spoilt in the ways in which models and others spoil them.

use tenon_edit::{AnchoredEdit, AnchoredText, Placement, ShownLines};

use super::cases::{Case, NewLine};
use super::random::Random;
use super::tally::Outcome;

/// An edit by anchors as it was meant: the file was shown as a whole, and nothing happened since.
pub(crate) struct Call {
    pub(crate) shown: ShownLines,
    pub(crate) from: String,
    pub(crate) to: Option<String>,
    pub(crate) new: String,
    /// The file when the call arrives.
    pub(crate) now: String,
    /// The file after it; nothing where the call has to be refused.
    pub(crate) after: Option<String>,
    /// The anchors of all lines, and which of them the call is about.
    anchors: Vec<String>,
    first: usize,
    last: usize,
}

fn bodies(text: &str) -> Vec<String> {
    let text = AnchoredText::new(text);
    (0..text.len())
        .map(|line| text.line(line).to_owned())
        .collect()
}

impl Call {
    pub(crate) fn of(case: &Case) -> Option<Self> {
        let lines = bodies(&case.file);
        let (first, last) = (case.line - 1, case.line + case.old.len() - 2);
        let new: Vec<String> = case
            .new
            .iter()
            .map(|line| match line {
                NewLine::Kept(index) => lines[first + index].clone(),
                NewLine::Written(text) => text.clone(),
            })
            .collect();
        // A single blank line is written with its end.
        let is_ended = case.ended || new.last().is_some_and(String::is_empty);
        let mut new = new.join("\n");
        if is_ended && !(new.is_empty() && case.new.is_empty()) {
            new.push('\n');
        }
        let text = AnchoredText::new(&case.file);
        let mut shown = ShownLines::default();
        let anchors: Vec<String> = shown
            .show(&text, 0..text.len())
            .iter()
            .map(ToString::to_string)
            .collect();
        Some(Self {
            from: anchors.get(first)?.clone(),
            to: (last > first).then(|| anchors[last].clone()),
            new,
            now: case.file.clone(),
            after: Some(case.expected.clone()),
            shown,
            anchors,
            first,
            last,
        })
    }

    fn edit(&self) -> AnchoredEdit<'_> {
        AnchoredEdit {
            from: &self.from,
            to: self.to.as_deref(),
            new: &self.new,
            place: Placement::Replace,
        }
    }

    fn refused(self) -> Self {
        Self {
            after: None,
            ..self
        }
    }
}

type Kind = fn(Call, &Case, &mut Random) -> Option<Call>;

pub(crate) const ALL: &[(&str, Kind)] = &[
    ("as it was shown", |call, _, _| Some(call)),
    ("lines put in above", lines_above),
    ("lines put in below", lines_below),
    ("a line above taken away", line_above_gone),
    ("anchors in capitals and brackets", |call, _, _| {
        let from = format!("[{}]", call.from.to_uppercase());
        Some(Call { from, ..call })
    }),
    ("anchors with the text of their lines", |call, _, _| {
        let lines = bodies(&call.now);
        let from = format!("{}|{}", call.from, lines[call.first]);
        let to = call
            .to
            .as_ref()
            .map(|to| format!("{to}|{}", lines[call.last].trim()));
        Some(Call { from, to, ..call })
    }),
    ("anchors before all new lines", anchors_before_new),
    ("new text in CRLF", |call, _, _| {
        let new = call.new.replace('\n', "\r\n");
        Some(Call { new, ..call })
    }),
    ("after an edit of its own above", own_edit),
    ("a letter copied wrongly", |call, _, random| {
        let at = random.below(call.from.len());
        let letter = *random.pick(b"abcdefghjkmnpqrstuvwxyz");
        let mut from = call.from.clone().into_bytes();
        (from[at] != letter).then_some(())?;
        from[at] = letter;
        let from = String::from_utf8(from).ok()?;
        Some(Call { from, ..call }.refused())
    }),
    ("two letters swapped", |call, _, random| {
        let at = random.below(call.from.len() - 1);
        let mut from = call.from.clone().into_bytes();
        (from[at] != from[at + 1]).then_some(())?;
        from.swap(at, at + 1);
        let from = String::from_utf8(from).ok()?;
        Some(Call { from, ..call }.refused())
    }),
    ("the ends swapped", |call, _, _| {
        let to = call.to.clone()?;
        Some(
            Call {
                to: Some(call.from.clone()),
                from: to,
                ..call
            }
            .refused(),
        )
    }),
    (
        "an anchor beside the text of another line",
        |call, _, random| {
            let lines = bodies(&call.now);
            let other = lines[random.below(lines.len())].trim();
            (!other.is_empty() && other != lines[call.first].trim()).then_some(())?;
            let from = format!("{}|{other}", call.from);
            Some(Call { from, ..call }.refused())
        },
    ),
    ("a line of the place changed", |call, case, random| {
        let at = call.first + random.below(call.last + 1 - call.first);
        changed(call, case, at, |line| format!("{line} // changed"))
    }),
    ("a line of the place taken away", |call, _, random| {
        let at = call.first + random.below(call.last + 1 - call.first);
        let lines = bodies(&call.now);
        // The same line right beside it is in its place then.
        let beside = [at.checked_sub(1), Some(at + 1)];
        let is_twin = |line: &usize| lines.get(*line) == lines.get(at);
        (!beside.into_iter().flatten().any(|line| is_twin(&line))).then_some(())?;
        let is_only =
            call.first == call.last && lines.iter().filter(|line| **line == lines[at]).count() > 1;
        (!is_only).then_some(())?;
        let starts = starts(&call.now);
        let mut now = call.now.clone();
        now.replace_range(starts[at]..starts[at + 1], "");
        Some(Call { now, ..call }.refused())
    }),
    ("a line put into the place", |call, _, random| {
        (call.last > call.first).then_some(())?;
        let at = call.first + 1 + random.below(call.last - call.first);
        let mut now = call.now.clone();
        now.insert_str(starts(&call.now)[at], "a line of somebody else\n");
        Some(Call { now, ..call }.refused())
    }),
    ("the place changed and its lines elsewhere", |call, _, _| {
        let starts = starts(&call.now);
        let place = call.now[starts[call.first]..starts[call.last + 1]].to_owned();
        (call.last > call.first && place.ends_with('\n')).then_some(())?;
        let mut lines: Vec<&str> = place.split_inclusive('\n').collect();
        lines.reverse();
        let reversed: String = lines.concat();
        (reversed != place).then_some(())?;
        let mut now = call.now.clone();
        now.replace_range(starts[call.first]..starts[call.last + 1], &reversed);
        Some(Call { now, ..call }.refused())
    }),
];

/// Where each line begins, and the end.
fn starts(text: &str) -> Vec<usize> {
    let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut starts = vec![first];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}

/// The file with a line of the place changed by somebody else.
fn changed(call: Call, case: &Case, at: usize, change: impl Fn(&str) -> String) -> Option<Call> {
    let lines = bodies(&case.file);
    let start = starts(&call.now)[at];
    let mut now = call.now.clone();
    now.replace_range(start..start + lines[at].len(), &change(&lines[at]));
    Some(Call { now, ..call }.refused())
}

/// Puts the same lines into the file before and after the edit, outside of its place.
fn beside(call: Call, at: usize, text: &str) -> Option<Call> {
    let after = call.after.clone()?;
    let offset = starts(&call.now)[at];
    let grown = after.len() as i64 - call.now.len() as i64;
    let offset_after = if at <= call.first {
        offset as i64
    } else {
        offset as i64 + grown
    };
    let offset_after = usize::try_from(offset_after).ok()?;
    let mut now = call.now.clone();
    now.insert_str(offset, text);
    let mut after = after;
    after.is_char_boundary(offset_after).then_some(())?;
    after.insert_str(offset_after, text);
    Some(Call {
        now,
        after: Some(after),
        ..call
    })
}

fn lines_above(call: Call, _: &Case, random: &mut Random) -> Option<Call> {
    // Somewhere well above, so that the lines beside the place are as they were.
    (call.first > 20).then_some(())?;
    let at = random.below(call.first - 18);
    beside(call, at, "lines of somebody else\n\nand one more\n")
}

fn lines_below(call: Call, _: &Case, random: &mut Random) -> Option<Call> {
    let count = call.anchors.len();
    (call.last + 20 < count).then_some(())?;
    let at = call.last + 18 + random.below(count - call.last - 18);
    beside(call, at, "lines of somebody else\n\nand one more\n")
}

fn line_above_gone(call: Call, _: &Case, random: &mut Random) -> Option<Call> {
    (call.first > 20).then_some(())?;
    let at = random.below(call.first - 18);
    let starts = starts(&call.now);
    let gone = starts[at]..starts[at + 1];
    let (mut now, mut after) = (call.now.clone(), call.after.clone()?);
    now.replace_range(gone.clone(), "");
    after.replace_range(gone, "");
    Some(Call {
        now,
        after: Some(after),
        ..call
    })
}

fn anchors_before_new(call: Call, case: &Case, _: &mut Random) -> Option<Call> {
    (!call.new.is_empty()).then_some(())?;
    let is_ended = call.new.ends_with('\n');
    let body = call.new.strip_suffix('\n').unwrap_or(&call.new);
    let mut at = call.first;
    let lines: Vec<String> = body
        .split('\n')
        .map(|line| {
            // As a model would: the anchors of the old lines, one after the other, and the last one again and again.
            let anchor = &call.anchors[at.min(call.last)];
            at += 1;
            format!("{anchor}|{line}")
        })
        .collect();
    let new = lines.join("\n") + if is_ended { "\n" } else { "" };
    (!case.file.contains(&call.anchors[call.first])).then_some(())?;
    Some(Call { new, ..call })
}

/// The same reader has changed lines above, right beside the place as well, and uses the anchors from before.
fn own_edit(call: Call, _: &Case, random: &mut Random) -> Option<Call> {
    let at = call.first.checked_sub(1 + random.below(3))?;
    let own = AnchoredEdit {
        from: &call.anchors[at],
        to: None,
        new: "lines that the reader wrote\n\n}\n",
        place: Placement::Replace,
    };
    let text = AnchoredText::new(&call.now);
    let plan = call.shown.plan(&text, &[own]).ok()?;
    let after = plan.apply(call.after.as_ref()?);
    let now = plan.apply(&call.now);
    let mut shown = call.shown.clone();
    shown.edited(&text, &plan, &AnchoredText::new(&now));
    Some(Call {
        shown,
        now,
        after: Some(after),
        ..call
    })
}

/// Right is a call that is made as it was meant, and one that has to be refused and is.
pub(crate) fn run(case: &Case, call: &Call) -> (Outcome, String) {
    let outcome = call
        .shown
        .plan(&AnchoredText::new(&call.now), &[call.edit()]);
    let outcome = outcome.map(|plan| plan.apply(&call.now));
    let story = || {
        format!(
            "{} line {}: {:?} {:?}\nnew {:?}\nplace {:?}\n{outcome:?}",
            case.name,
            case.line,
            call.from,
            call.to,
            call.new,
            &case.file[case.start..case.end]
        )
    };
    match (&outcome, &call.after) {
        (Ok(after), Some(expected)) if after == expected => (Outcome::Applied, String::new()),
        // Which of several blank lines is the one that was there is not clear from the call, where their ends differ.
        (Ok(after), Some(expected))
            if case.has_mixed_ends() && bodies(after) == bodies(expected) =>
        {
            (Outcome::Void, String::new())
        }
        (Err(_), None) => (Outcome::Applied, String::new()),
        (Err(_), Some(_)) => (Outcome::Refused, story()),
        (Ok(_), _) => (Outcome::Wrong, story()),
    }
}
