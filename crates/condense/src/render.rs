//! Parts of a text from decisions on its lines, and marks for what is not shown.

use crate::condense::{LeftOut, Omission, Part, Why};

/// The longest address of an output that a budget allows for.
pub(crate) const LONGEST_ADDRESS: &str = "output://9999";

/// The parts of a text; lines of more than `longest` bytes are clipped.
pub(crate) fn parts(lines: &[&str], why: &[Option<Why>], longest: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (number, (line, why)) in (1..).zip(lines.iter().zip(why)) {
        match (parts.last_mut(), why) {
            (_, None) if line.len() > longest => parts.push(clipped(number, line, longest)),
            (Some(Part::Shown { text, .. }), None) => text.push_str(line),
            (_, None) => parts.push(Part::Shown {
                first: number,
                text: (*line).to_owned(),
            }),
            (Some(Part::Omitted(omission)), Some(why)) => {
                *omission = joined(*omission, number, *why)
            }
            (_, Some(why)) => parts.push(Part::Omitted(Omission {
                first: number,
                last: number,
                why: *why,
            })),
        }
    }
    parts
}

/// The omission with the next line. What is omitted for more than one reason is just omitted.
fn joined(omission: Omission, last: usize, why: Why) -> Omission {
    let why = if omission.why == why {
        why
    } else {
        Why::Budget
    };
    Omission {
        last,
        why,
        ..omission
    }
}

/// Two thirds of the room for the start, the rest for the end.
fn clipped(line: usize, text: &str, longest: usize) -> Part {
    let start = text
        .get(..text.floor_char_boundary(longest / 3 * 2))
        .unwrap_or("");
    let end = text
        .get(text.ceil_char_boundary(text.len() - longest / 3)..)
        .unwrap_or("");
    let omitted = text.get(start.len()..text.len() - end.len()).unwrap_or("");
    Part::Clipped {
        line,
        start: start.to_owned(),
        omitted: LeftOut::Characters(omitted.chars().count()),
        end: end.to_owned(),
    }
}

/// Parts with marks between them.
pub(crate) fn text(parts: &[Part], address: Option<&str>) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Shown { text, .. } => out.push_str(text),
            Part::Clipped {
                line,
                start,
                omitted,
                end,
            } => {
                out.push_str(start);
                out.push_str(&gap(*line, start, *omitted, address));
                out.push_str(end);
            }
            Part::Omitted(omission) => {
                out.push_str(&mark(omission, address));
                out.push('\n');
            }
        }
    }
    out
}

/// The mark within a line, with the address of what follows its start.
fn gap(line: usize, start: &str, omitted: LeftOut, address: Option<&str>) -> String {
    let what = match omitted {
        LeftOut::Characters(1) => "1 character".to_owned(),
        LeftOut::Characters(count) => format!("{count} characters"),
        LeftOut::Bytes(1) => "1 byte".to_owned(),
        LeftOut::Bytes(count) => format!("{count} bytes"),
        LeftOut::Start => "start of the line".to_owned(),
        LeftOut::Rest => "rest of the line".to_owned(),
    };
    let shown = start.chars().count();
    match address {
        Some(address) if shown > 0 => {
            let next = shown + 1;
            format!("[… {what} omitted: `{address}:{line}:{next}`]")
        }
        address => format!("[… {what} omitted{}]", place(line, line, address)),
    }
}

fn mark(omission: &Omission, address: Option<&str>) -> String {
    let Omission { first, last, why } = *omission;
    let count = last + 1 - first;
    let counted = |one: &str, many: &str| {
        if count == 1 {
            format!("1 {one}")
        } else {
            format!("{count} {many}")
        }
    };
    let times = |times: usize| {
        if times == 1 {
            "once more".to_owned()
        } else {
            format!("{times} more times")
        }
    };
    let what = match why {
        Why::Progress => counted("line of progress", "lines of progress"),
        Why::Passed => counted("test that passed", "tests that passed"),
        Why::Skipped => counted("test that was skipped", "tests that were skipped"),
        Why::Repeated {
            times: more,
            lines: 1,
        } => times(more),
        Why::Repeated { times: more, lines } => format!("the {lines} lines above {}", times(more)),
        Why::Trace { first } => format!("the stack trace of line {first} again"),
        Why::Budget => counted("line omitted", "lines omitted"),
    };
    format!("[… {what}{}]", place(first, last, address))
}

/// Where it can be read.
fn place(first: usize, last: usize, address: Option<&str>) -> String {
    let lines = if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    };
    match address {
        Some(address) => format!(": `{address}:{lines}`"),
        None if first == last => format!(", line {lines}"),
        None => format!(", lines {lines}"),
    }
}
