//! The budget of a result: what exceeds it is kept under an address, and lines are chosen by their value.

use tenon_condense::{Limits, condense};
use tenon_contract::{
    Condensation, Content, Details, Outcome, ToolError, counted, grouped, limits,
};
use tenon_process::Processes;
use tenon_workspace::truncate_head;

/// How many tokens the text of a result may have.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    /// For calls that name none.
    usual: Option<usize>,
    /// Keeps what does not fit.
    processes: Processes,
}

impl Budget {
    pub(crate) fn new(usual: Option<usize>, processes: &Processes) -> Self {
        Self {
            usual,
            processes: processes.clone(),
        }
    }

    /// What holds for a call that names its own.
    pub(crate) fn of(&self, own: Option<usize>) -> Option<usize> {
        match (self.usual, own) {
            (Some(usual), Some(own)) => Some(usual.min(own)),
            (usual, own) => usual.or(own),
        }
        .map(|most| most.max(limits::BUDGET_MIN_TOKENS))
    }

    /// Cuts the message of an error to its budget: what was thrown may be as long as any result.
    pub(crate) async fn hold_error(&self, mut error: ToolError, most: Option<usize>) -> ToolError {
        if let Some(most) = most.filter(|most| tenon_tokens::count(&error.message) > *most) {
            let mut held = Outcome {
                content: vec![Content::Text(std::mem::take(&mut error.message))],
                details: Details::default(),
                changes: Vec::new(),
            };
            self.hold(&mut held, most).await;
            if let Some(Content::Text(text)) = held.content.into_iter().next() {
                error.message = text;
            }
        }
        error
    }

    /// Cuts texts that are longer than a page, where an operation or a hook has no bounds of its own: their beginning is
    /// shown, and all of it kept under an address.
    pub(crate) async fn page(&self, content: &mut [Content]) {
        for part in content {
            let Content::Text(text) = part else { continue };
            let shown = truncate_head(text, limits::TEXT_MAX_LINES, limits::TEXT_MAX_BYTES);
            if !shown.truncated {
                continue;
            }
            let kept = self.processes.keep_output(text.as_bytes()).await;
            let sentence = kept
                .sentence()
                .map_or_else(String::new, |at| format!(" {at}"));
            let what = match shown.output_lines {
                0 => "Start of line 1".to_owned(),
                1 => "Line 1".to_owned(),
                last => format!("Lines 1-{last}"),
            };
            let start = match shown.output_lines {
                0 => text
                    .get(..text.floor_char_boundary(limits::TEXT_MAX_BYTES))
                    .unwrap_or_default(),
                _ => &shown.content,
            };
            let total = counted(shown.total_lines as u64, "line", "lines");
            *text = format!("{start}\n\n[{what} of {total} shown.{sentence}]");
        }
    }

    /// Cuts the text of a result to its budget. The parts share it in their order.
    pub(crate) async fn hold(&self, outcome: &mut Outcome, most: usize) {
        let mut left = most;
        let mut reported: Option<Condensation> = None;
        for part in &mut outcome.content {
            let Content::Text(text) = part else { continue };
            let tokens = tenon_tokens::count(text);
            if tokens <= left {
                left -= tokens;
                continue;
            }
            let kept = self.processes.keep_output(text.as_bytes()).await;
            let address = kept.address();
            let is_opened = kept.openers.read || kept.openers.search;
            let sentence = kept.sentence().unwrap_or_default();
            let room = left.saturating_sub(SENTENCE_TOKENS).max(SENTENCE_TOKENS);
            let condensed = condense(
                text,
                &Limits {
                    max_tokens: Some(room),
                    fold: false,
                },
            );
            let gap = if text.ends_with('\n') { "" } else { "\n" };
            let (lines, of_lines) = (condensed.shown_lines(), condensed.lines);
            *text = format!(
                "{}{gap}\n[{} of {} shown, for a budget of {most} tokens. {sentence}]",
                condensed.text(address.as_deref().filter(|_| is_opened)),
                grouped(lines as u64),
                counted(of_lines as u64, "line", "lines")
            );
            let mut condensation =
                Condensation::new(condensed.tokens, condensed.tokens_before, lines, of_lines);
            condensation.strategy = condensed
                .strategy()
                .into_iter()
                .map(str::to_owned)
                .collect();
            condensation.full_output = address;
            reported.get_or_insert(condensation);
            left = 0;
        }
        // What an operation says of its own output is about more than this.
        let is_new = |_: &_| outcome.details.get("condensed").is_none();
        if let Some(Ok(condensation)) = reported.filter(is_new).map(serde_json::to_value) {
            outcome.details.insert("condensed", &condensation);
        }
    }
}

/// Tokens of the sentence behind a text that was cut.
const SENTENCE_TOKENS: usize = 60;
