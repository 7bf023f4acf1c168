//! Chooses lines by their value until a budget of tokens is used up.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::classes::Class;
use crate::condense::{Part, Why};
use crate::frames::is_foreign;
use crate::render::{LONGEST_ADDRESS, parts, text};

/// What a mark costs, in tokens.
const MARK_TOKENS: usize = 20;
/// Shortest that long lines are clipped to, in bytes.
const LINE_MIN_BYTES: usize = 240;
/// What they are clipped to in the end where not even one fits otherwise: random text has a token for every character or two.
const LAST_LINE_MIN_BYTES: usize = 30;
/// Gaps of at most so many lines are shown where a mark would cost as much.
const GAP_MAX: usize = 2;
/// Lines at the start of a text that count for more, and at its end.
const ENDS: (usize, usize) = (15, 30);
/// How far a line around an error counts for more: before it and behind it.
const AROUND: (usize, usize) = (3, 6);
/// How many lines of the same words are said before further ones count for less.
const SAME_MAX: u32 = 3;

/// The parts of a text that are worth most, within `most` tokens.
pub(crate) fn within(
    lines: &[&str],
    classes: &[Class],
    why: Vec<Option<Why>>,
    most: usize,
) -> Vec<Part> {
    // Few lines may be long.
    let each = most + most / 2;
    let mut longest = (most / 2)
        .max(each / lines.len().max(1))
        .max(LINE_MIN_BYTES);
    loop {
        let parts = clipped_within(lines, classes, &why, most, longest);
        let is_empty = parts.iter().all(|part| matches!(part, Part::Omitted(_)));
        if !is_empty || longest <= LAST_LINE_MIN_BYTES {
            return parts;
        }
        longest = (longest / 2).max(LAST_LINE_MIN_BYTES);
    }
}

/// The same with lines clipped to `longest` bytes; nothing is shown where the most valuable line does not fit.
fn clipped_within(
    lines: &[&str],
    classes: &[Class],
    why: &[Option<Why>],
    most: usize,
    longest: usize,
) -> Vec<Part> {
    let selection = Selection::new(lines, why, longest);
    let order = order(lines, classes, why);
    let mut count = most_that_fit(&selection, &order, most);
    loop {
        let parts = parts(
            lines,
            &selection.with(order.get(..count).unwrap_or_default()),
            longest,
        );
        let fits = tenon_tokens::count(&text(&parts, Some(LONGEST_ADDRESS))) <= most;
        if fits || count == 0 {
            return parts;
        }
        count -= (count / 20).max(1);
    }
}

/// How many lines fit, most valuable first.
fn most_that_fit(selection: &Selection, order: &[usize], most: usize) -> usize {
    let (mut fitting, mut too_many) = (0, order.len() + 1);
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if selection.fits(order.get(..middle).unwrap_or_default(), most) {
            fitting = middle;
        } else {
            too_many = middle;
        }
    }
    fitting
}

fn cost(line: &str, longest: usize) -> usize {
    if line.len() <= longest {
        return tenon_tokens::count(line);
    }
    // Its ends, and what says so between them.
    let start = line.get(..line.floor_char_boundary(longest)).unwrap_or("");
    tenon_tokens::count(start) + MARK_TOKENS
}

/// Lines of which some are chosen, and what they cost. Most lines of a long text are never looked at for that.
struct Selection<'t> {
    lines: &'t [&'t str],
    /// What is folded anyway.
    why: &'t [Option<Why>],
    /// What lines are clipped to, in bytes.
    longest: usize,
    /// The costs that are known.
    costs: RefCell<Vec<Option<usize>>>,
}

impl<'t> Selection<'t> {
    fn new(lines: &'t [&'t str], why: &'t [Option<Why>], longest: usize) -> Self {
        Self {
            lines,
            why,
            longest,
            costs: RefCell::new(vec![None; lines.len()]),
        }
    }

    fn cost(&self, line: usize) -> usize {
        let mut costs = self.costs.borrow_mut();
        let (Some(known), Some(text)) = (costs.get_mut(line), self.lines.get(line)) else {
            return 0;
        };
        *known.get_or_insert_with(|| cost(text, self.longest))
    }

    /// Why each line is not shown if those of `chosen` are.
    fn with(&self, chosen: &[usize]) -> Vec<Option<Why>> {
        let mut why = self.unless(chosen);
        let mut at = 0;
        while at < why.len() {
            let gap = gap_at(&why, at);
            if self.is_shown(at, gap) {
                why.iter_mut()
                    .skip(at)
                    .take(gap)
                    .for_each(|why| *why = None);
            }
            at += gap + 1;
        }
        why
    }

    /// The same without the gaps that are shown.
    fn unless(&self, chosen: &[usize]) -> Vec<Option<Why>> {
        let folded = self.why.iter();
        let mut why: Vec<_> = folded.map(|why| why.or(Some(Why::Budget))).collect();
        for &line in chosen {
            if let Some(place) = why.get_mut(line) {
                *place = None;
            }
        }
        why
    }

    /// Whether a gap of so many lines is shown, as a mark would cost as much.
    fn is_shown(&self, at: usize, gap: usize) -> bool {
        let cost = || (at..at + gap).map(|line| self.cost(line)).sum::<usize>();
        (1..=GAP_MAX).contains(&gap) && cost() <= MARK_TOKENS
    }

    /// Whether what is shown then has no more tokens. What stands behind the line that is too much is not counted.
    fn fits(&self, chosen: &[usize], most: usize) -> bool {
        let why = self.unless(chosen);
        let (mut at, mut sum) = (0, 0);
        while at < why.len() && sum <= most {
            let gap = gap_at(&why, at);
            sum += match gap {
                0 => 0,
                _ if self.is_shown(at, gap) => (at..at + gap).map(|line| self.cost(line)).sum(),
                _ => MARK_TOKENS,
            };
            if at + gap < why.len() {
                sum += self.cost(at + gap);
            }
            at += gap + 1;
        }
        sum <= most
    }
}

/// How many lines from here on are not shown.
fn gap_at(why: &[Option<Why>], at: usize) -> usize {
    why.iter().skip(at).take_while(|why| why.is_some()).count()
}

/// The lines that are not folded, most valuable first; of equal ones those nearer to an end.
fn order(lines: &[&str], classes: &[Class], why: &[Option<Why>]) -> Vec<usize> {
    let values = values(lines, classes);
    let mut order: Vec<usize> = (0..lines.len())
        .filter(|&line| why.get(line).is_some_and(Option::is_none))
        .collect();
    let to_end = |line: usize| line.min(lines.len() - 1 - line);
    order.sort_by_key(|&line| (std::cmp::Reverse(values.get(line).copied()), to_end(line)));
    order
}

fn values(lines: &[&str], classes: &[Class]) -> Vec<u32> {
    let mut values = own_values(lines, classes);
    let mut raise = |line: Option<usize>, to: u32| {
        if let Some(value) = line.and_then(|line| values.get_mut(line)) {
            *value = (*value).max(to);
        }
    };
    for (distance, to) in (0..ENDS.0).zip((0..).map(|step| 650 - 10 * step)) {
        raise(Some(distance), to);
    }
    for (distance, to) in (1..=ENDS.1).zip((0..).map(|step| 690 - 8 * step)) {
        raise(lines.len().checked_sub(distance), to);
    }
    let errors = classes
        .iter()
        .enumerate()
        .filter(|(_, class)| **class == Class::Error);
    for (line, _) in errors {
        for (distance, to) in (1..=AROUND.0).zip((0..).map(|step| 420 - 60 * step)) {
            raise(line.checked_sub(distance), to);
        }
        for (distance, to) in (1..=AROUND.1).zip((0..).map(|step| 560 - 50 * step)) {
            raise(Some(line + distance), to);
        }
    }
    values
}

/// What lines are worth by themselves.
fn own_values(lines: &[&str], classes: &[Class]) -> Vec<u32> {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut frame = 0;
    let pairs = lines.iter().zip(classes);
    pairs
        .map(|(line, class)| {
            let times = seen.entry(words_of(line)).or_insert(0);
            *times += 1;
            frame = if *class == Class::Frame { frame + 1 } else { 0 };
            let is_said = *times > SAME_MAX;
            match class {
                Class::Error if is_said => 570,
                Class::Error => 1000,
                Class::Summary if is_said => 100,
                Class::Summary => 700,
                Class::Warning if is_said => 60,
                Class::Warning => 300,
                Class::Frame if is_foreign(line) => 40,
                Class::Frame if frame <= 6 => 350,
                Class::Frame => 150,
                Class::Changed => 120,
                Class::Plain if is_said => 50,
                Class::Plain => 100,
                Class::Skipped => 40,
                Class::Passed => 30,
                Class::Progress => 20,
                Class::Blank => 10,
            }
        })
        .collect()
}

/// A line without its numbers, so that lines that differ by them alone are the same.
fn words_of(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for words in line.as_bytes().split(u8::is_ascii_digit) {
        hasher.write(words);
    }
    hasher.finish()
}
