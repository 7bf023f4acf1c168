//! What of the output of a command is shown: lines chosen from all of it, wherever that lies.

use tenon_condense::{Condensed, LeftOut, Limits, Omission, Part, Why, condense};
use tenon_contract::{Condensation, counted, grouped, limits};
use tenon_process::{Capture, Processes, Spill, fold_progress};

use super::{ExecuteDefaults, ExecuteOutput, StreamOutput};

/// The text that is shown of an output, and how much of it that is.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownOutput {
    /// The text, with a mark for what is not shown.
    pub text: String,
    /// How much it is.
    pub condensation: Condensation,
}

/// Tokens for what a vocabulary says beside the output, and for the sentence on where all of it is.
const RESERVED_TOKENS: usize = 100;

/// How the output of commands is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputStyle {
    /// Most tokens; nothing: the text is shown as it is, but for its middle.
    pub max_tokens: Option<usize>,
}

impl Default for OutputStyle {
    fn default() -> Self {
        Self {
            max_tokens: Some(limits::EXECUTE_OUTPUT_MAX_TOKENS),
        }
    }
}

impl ExecuteDefaults {
    /// The budget of a call that has one of its own, or has none.
    fn tokens(&self, of_call: Option<usize>) -> Option<usize> {
        let usual = self.output.max_tokens?.min(self.output_bytes / 4);
        let most = of_call.map_or(usual, |own| own.min(usual));
        Some(
            most.saturating_sub(RESERVED_TOKENS)
                .max(limits::BUDGET_MIN_TOKENS / 2),
        )
    }
}

impl ExecuteOutput {
    /// Chooses what is shown, if that is not all.
    pub(super) async fn condense(
        &mut self,
        processes: &Processes,
        defaults: &ExecuteDefaults,
        of_call: Option<usize>,
    ) {
        let Some(max_tokens) = defaults.tokens(of_call).filter(|_| self.screen.is_none()) else {
            return;
        };
        self.shown = match whole(&self.output, processes).await {
            Some(whole) => shown(&whole, &self.output, processes, max_tokens).await,
            None => ends(&self.output, max_tokens),
        };
    }
}

/// What of the new output of a background command is shown, where that is not all of it. Its log has the rest.
pub(crate) fn condensed_news(
    output: &StreamOutput,
    all_lines: usize,
    style: OutputStyle,
    of_call: Option<usize>,
) -> Option<ShownOutput> {
    let usual = style.max_tokens?;
    let most = of_call
        .map_or(usual, |own| own.min(usual))
        .saturating_sub(RESERVED_TOKENS)
        .max(limits::BUDGET_MIN_TOKENS / 2);
    // One that is cut says itself where all of it is.
    if output.captures().any(Capture::truncated) {
        return ends(output, most);
    }
    let limits = Limits {
        max_tokens: Some(most),
        fold: true,
    };
    let condensed = condense(&fold_progress(&output.text()), &limits);
    if !condensed.omits() {
        return None;
    }
    // Lines are named as in the log, so that its `offset` opens them.
    let before = all_lines.checked_sub(condensed.lines)?;
    let condensation = condensation_of(&condensed);
    let (lines, new) = (condensed.shown_lines(), condensed.lines);
    let mut text = condensed.shifted(before).text(None);
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    let of = counted(new as u64, "new line", "new lines");
    text.push_str(&format!(
        "{gap}\n[{} of {of} shown. The action `log` shows all of them.]",
        grouped(lines as u64)
    ));
    Some(ShownOutput { text, condensation })
}

/// The same where all of it is kept under an address of its own.
pub(crate) async fn kept_news(
    output: &StreamOutput,
    processes: &Processes,
    style: OutputStyle,
    of_call: Option<usize>,
) -> Option<ShownOutput> {
    if output.captures().any(Capture::truncated) {
        return condensed_news(output, 0, style, of_call);
    }
    let usual = style.max_tokens?;
    let most = of_call
        .map_or(usual, |own| own.min(usual))
        .saturating_sub(RESERVED_TOKENS)
        .max(limits::BUDGET_MIN_TOKENS / 2);
    let text = output.text();
    let limits = Limits {
        max_tokens: Some(most),
        fold: true,
    };
    let condensed = condense(&fold_progress(&text), &limits);
    if !condensed.omits() {
        return None;
    }
    let kept = processes.keep_output(text.as_bytes()).await;
    Some(reported(&condensed, Some(&kept)))
}

fn condensation_of(condensed: &Condensed) -> Condensation {
    let (lines, all) = (condensed.shown_lines(), condensed.lines);
    let mut condensation = Condensation::new(condensed.tokens, condensed.tokens_before, lines, all);
    let strategy = condensed.strategy().into_iter();
    condensation.strategy = strategy.map(str::to_owned).collect();
    condensation
}

/// All of an output, where it can be read.
async fn whole(output: &StreamOutput, processes: &Processes) -> Option<String> {
    let mut texts = Vec::new();
    for capture in output.captures() {
        texts.push(whole_of(capture, processes).await?);
    }
    let gap = |text: &String| {
        if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        }
    };
    let mut texts = texts.into_iter().filter(|text| !text.is_empty());
    let first = texts.next().unwrap_or_default();
    Some(texts.fold(first, |all, next| {
        let gap = gap(&all);
        format!("{all}{gap}{next}")
    }))
}

async fn whole_of(capture: &Capture, processes: &Processes) -> Option<String> {
    if !capture.truncated() {
        return Some(capture.head.clone());
    }
    let spill = capture.spill.as_ref().filter(|spill| spill.complete)?;
    if capture.total_bytes > limits::CONDENSE_MAX_BYTES {
        return None;
    }
    let bytes = processes.read_output(spill).await?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

async fn shown(
    whole: &str,
    output: &StreamOutput,
    processes: &Processes,
    max_tokens: usize,
) -> Option<ShownOutput> {
    let condensed = condense(
        &fold_progress(whole),
        &Limits {
            max_tokens: Some(max_tokens),
            fold: true,
        },
    );
    if !condensed.omits() {
        return None;
    }
    // Both streams together, or what fits in memory, has no file yet.
    let mut written = output.captures().filter(|capture| capture.total_bytes > 0);
    let kept = match (written.next(), written.next()) {
        (Some(alone), None) if alone.truncated() => alone.spill.clone(),
        _ => Some(processes.keep_output(whole.as_bytes()).await),
    };
    Some(reported(&condensed, kept.as_ref()))
}

/// What can be said of an output of which only the ends were kept.
fn ends(output: &StreamOutput, max_tokens: usize) -> Option<ShownOutput> {
    let mut written = output
        .captures()
        .filter(|capture| !capture.head.is_empty() || capture.truncated());
    let (first, second) = (written.next()?, written.next());
    let Some(second) = second else {
        return Some(ends_of(first, max_tokens));
    };
    let (first, second) = (
        ends_of(first, max_tokens / 2),
        ends_of(second, max_tokens / 2),
    );
    let (one, two) = (&first.condensation, &second.condensation);
    let mut condensation = Condensation::new(
        one.tokens + two.tokens,
        one.of_tokens + two.of_tokens,
        one.lines + two.lines,
        one.of_lines + two.of_lines,
    );
    condensation.strategy = [one.strategy.clone(), two.strategy.clone()].concat();
    condensation.strategy.sort();
    condensation.strategy.dedup();
    condensation.full_output = one.full_output.clone().or(two.full_output.clone());
    let gap = if first.text.ends_with('\n') { "" } else { "\n" };
    Some(ShownOutput {
        text: format!("{}{gap}{}", first.text, second.text),
        condensation,
    })
}

/// The same of one stream.
fn ends_of(capture: &Capture, max_tokens: usize) -> ShownOutput {
    if !capture.truncated() {
        let limits = Limits {
            max_tokens: Some(max_tokens),
            fold: true,
        };
        return reported(&condense(&fold_progress(&capture.head), &limits), None);
    }
    let omitted_from = capture.omitted.as_ref().map_or(0, |omitted| omitted.start);
    // Of news the start is somewhere in the stream: its lines have no numbers that are known.
    let is_start = omitted_from == capture.head.len() as u64;
    let capture = &Capture {
        head: if is_start {
            capture.head.clone()
        } else {
            String::new()
        },
        ..capture.clone()
    };
    let limits = Limits {
        max_tokens: Some(max_tokens / 5 * 2),
        fold: true,
    };
    let total = usize::try_from(capture.total_lines).unwrap_or(usize::MAX);
    let (head, torn_end) = capture
        .head
        .rsplit_once('\n')
        .map_or(("", capture.head.as_str()), |(head, torn)| (head, torn));
    let (torn_start, tail) = capture
        .tail
        .split_once('\n')
        .map_or((capture.tail.as_str(), ""), |(torn, tail)| (torn, tail));
    let head = fold_progress(head);
    let head = if head.is_empty() {
        String::new()
    } else {
        format!("{head}\n")
    };
    let start = condense(&head, &limits);
    let end = condense(&fold_progress(tail), &limits);
    let torn = TornLines {
        start: torn_end,
        end: torn_start,
        // What the budget has for each end.
        most: max_tokens / 5 * 2,
    };
    let between = torn.parts(capture, &start, &end);
    let behind = total.saturating_sub(end.lines);
    let tokens = start.tokens + end.tokens + tokens_of(&between);
    let parts = [start.parts, between, end.shifted(behind).parts].concat();
    let condensed = Condensed {
        parts,
        lines: total,
        tokens_before: usize::try_from(capture.total_bytes / 4).unwrap_or(usize::MAX),
        tokens,
    };
    reported(&condensed, capture.spill.as_ref())
}

fn omitted(first: usize, last: usize) -> Part {
    Part::Omitted(Omission {
        first,
        last,
        why: Why::Budget,
    })
}

fn tokens_of(parts: &[Part]) -> usize {
    let condensed = Condensed {
        parts: parts.to_vec(),
        lines: 0,
        tokens_before: 0,
        tokens: 0,
    };
    tenon_tokens::count(&condensed.text(None))
}

/// The lines that are cut in two where the middle of an output is not kept.
struct TornLines<'t> {
    /// The start of the first.
    start: &'t str,
    /// The end of the last, which may be the same line.
    end: &'t str,
    /// Most tokens for each.
    most: usize,
}

impl TornLines<'_> {
    /// What stands between the whole lines of both ends. A cut line is shown where there is no whole one at its side.
    fn parts(&self, capture: &Capture, start: &Condensed, end: &Condensed) -> Vec<Part> {
        let total = usize::try_from(capture.total_lines).unwrap_or(usize::MAX);
        let (first, last) = (start.lines + 1, total.saturating_sub(end.lines));
        let from = if start.lines == 0 {
            self.clipped(self.start, false)
        } else {
            ""
        };
        let to = if end.lines == 0 {
            self.clipped(self.end, true)
        } else {
            ""
        };
        let clipped = |line, start: &str, omitted, end: &str| Part::Clipped {
            line,
            start: start.to_owned(),
            omitted,
            end: end.to_owned(),
        };
        if first >= last && from.is_empty() && to.is_empty() {
            return vec![omitted(first, last)];
        }
        if first >= last {
            let shown = (from.len() + to.len()) as u64;
            // The whole lines beside it are all the rest of what is kept.
            let beside = (capture.head.len() - self.start.len() + capture.tail.len()
                - self.end.len()) as u64;
            let missing = capture.total_bytes.saturating_sub(shown + beside);
            return vec![clipped(first, from, LeftOut::Bytes(missing), to)];
        }
        let mut parts = Vec::new();
        let (mut first, mut behind) = (first, last);
        if !from.is_empty() {
            parts.push(clipped(first, from, LeftOut::Rest, "\n"));
            first += 1;
        }
        if !to.is_empty() {
            behind -= 1;
        }
        if first <= behind {
            parts.push(omitted(first, behind));
        }
        if !to.is_empty() {
            parts.push(clipped(last, "", LeftOut::Start, to));
        }
        parts
    }

    /// As much of a cut line as there is room for, at its start or at its end.
    fn clipped<'t>(&self, line: &'t str, from_end: bool) -> &'t str {
        let mut bytes = line.len().min(self.most * 4);
        loop {
            let shown = if from_end {
                line.get(line.ceil_char_boundary(line.len() - bytes)..)
            } else {
                line.get(..line.floor_char_boundary(bytes))
            };
            let shown = shown.unwrap_or_default();
            if bytes == 0 || tenon_tokens::count(shown) <= self.most {
                return shown;
            }
            bytes = bytes / 4 * 3;
        }
    }
}

/// The text of an output, with a sentence on where all of it is.
fn reported(condensed: &Condensed, kept: Option<&Spill>) -> ShownOutput {
    let address = kept.and_then(Spill::address);
    // Where no tool opens an address, only the file is named.
    let is_opened = kept.is_some_and(|kept| kept.openers.read || kept.openers.search);
    let mut text = condensed.text(address.as_deref().filter(|_| is_opened));
    let lines = condensed.shown_lines();
    if let Some(sentence) = kept.and_then(Spill::sentence) {
        let gap = if text.ends_with('\n') { "" } else { "\n" };
        let of = counted(condensed.lines as u64, "line", "lines");
        let in_part = match condensed.clipped_lines() {
            0 => String::new(),
            clipped if clipped == lines => " in part".to_owned(),
            clipped => format!(", {} in part", grouped(clipped as u64)),
        };
        text.push_str(&format!(
            "{gap}\n[{} of {of} shown{in_part}. {sentence}]",
            grouped(lines as u64)
        ));
    }
    let mut condensation = condensation_of(condensed);
    condensation.full_output = address;
    ShownOutput { text, condensation }
}
