//! Several files and ranges in one call, under one budget.

use tenon_contract::{Access, ErrorCode, ToolContext, ToolError, counted, limits};
use tenon_syntax::{Budget, Language, Symbol, outline, parse};
use tenon_workspace::Located;

use super::page::PageOutput;
use super::params::ReadParams;
use super::whole::{ReadEncoding, WholeOutput};
use super::{FilePlan, Read, ReadOutput, Reader};

/// Tokens of text, at most, as bytes of it: cautious, since pages are not counted twice.
const BYTES_PER_TOKEN: usize = 3;
/// Bytes of an outline, at most.
const OUTLINE_MAX_BYTES: usize = 2 * 1024;

/// One file of a call for several.
#[derive(Debug)]
pub struct ReadPart {
    /// The file, as answers name it.
    pub path: String,
    /// What is shown of it.
    pub shown: ShownPart,
}

/// What is shown of one file of several.
#[derive(Debug)]
pub enum ShownPart {
    /// Its page.
    Page(Box<PageOutput>),
    /// What is in it, since its page does not fit any more.
    Outline {
        /// Lines of the whole file.
        lines: u64,
        /// The symbols with their lines; empty where they are not known.
        text: String,
    },
    /// Why it was not read.
    Failed(ToolError),
}

/// One file of a call for several, located.
#[derive(Debug)]
pub struct PartPlan {
    /// As the call names it.
    name: String,
    plan: FilePlan,
}

/// The path and the lines that `src/a.ts:10-40` and `src/a.ts:7` name.
fn with_range(name: &str) -> Option<(&str, u64, u64)> {
    let (path, lines) = name.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (!path.is_empty() && (1..=last).contains(&first)).then_some((path, first, last))
}

impl Read {
    /// The plans of all files that a call names, and what they touch. A file that is not there is said in its place.
    pub(super) fn plan_several(
        &self,
        params: &ReadParams,
        more: &[String],
    ) -> Result<(Access, Vec<PartPlan>), ToolError> {
        if more.len() >= limits::READ_FILES_MAX {
            let message = format!(
                "A call reads at most {} files. Read the others in another call.",
                limits::READ_FILES_MAX
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message));
        }
        let mut all = Access::default();
        let mut parts = Vec::with_capacity(more.len() + 1);
        let first = ReadParams {
            more: None,
            ..params.clone()
        };
        let others = more.iter().map(|name| ReadParams {
            path: name.clone(),
            offset: None,
            limit: None,
            more: None,
            ..params.clone()
        });
        for params in std::iter::once(first).chain(others) {
            let name = params.path.clone();
            let (access, plan) = self.plan_with_range(params)?;
            all.reads.extend(access.reads);
            all.sessions.extend(access.sessions);
            parts.push(PartPlan { name, plan });
        }
        Ok((all, parts))
    }

    /// A file of exactly this name comes before one with lines behind its name.
    fn plan_with_range(&self, params: ReadParams) -> Result<(Access, FilePlan), ToolError> {
        let whole = self.plan_one(params.clone());
        let is_there = whole
            .as_ref()
            .is_ok_and(|(_, plan)| plan.is_output || plan.file.metadata().is_ok());
        match with_range(&params.path) {
            Some((path, first, last)) if !is_there => self.plan_one(ReadParams {
                path: path.to_owned(),
                offset: Some(first),
                limit: Some(last + 1 - first),
                ..params
            }),
            _ => whole,
        }
    }
}

impl Reader {
    /// Reads one file after the other. What does not fit any more is shown by its outline.
    pub(super) fn read_several(
        &self,
        parts: Vec<PartPlan>,
        context: &ToolContext,
    ) -> Result<ReadOutput, ToolError> {
        let of_call = context
            .max_tokens()
            .map(|most| most.saturating_mul(BYTES_PER_TOKEN));
        let mut left = of_call
            .unwrap_or(limits::TEXT_MAX_BYTES)
            .min(limits::TEXT_MAX_BYTES);
        let mut shown = Vec::with_capacity(parts.len());
        for PartPlan { name, plan } in parts {
            context.check()?;
            let part = self.part(&name, plan, left, shown.is_empty(), context)?;
            left = left.saturating_sub(match &part {
                ShownPart::Page(page) => page.page.text.len(),
                ShownPart::Outline { text, .. } => text.len(),
                ShownPart::Failed(error) => error.message.len(),
            });
            let path = match &part {
                ShownPart::Page(page) => page.path.clone(),
                _ => name,
            };
            shown.push(ReadPart { path, shown: part });
        }
        let is_failed = |part: &ReadPart| matches!(part.shown, ShownPart::Failed(_));
        if shown.iter().all(is_failed)
            && let Some(ReadPart {
                shown: ShownPart::Failed(error),
                ..
            }) = shown.pop()
        {
            return Err(error);
        }
        Ok(ReadOutput::Several(shown))
    }

    /// One file of several, with so many bytes left.
    fn part(
        &self,
        name: &str,
        plan: FilePlan,
        left: usize,
        is_first: bool,
        context: &ToolContext,
    ) -> Result<ShownPart, ToolError> {
        let read = plan.open().and_then(|file| {
            let output = self.output(&file, &plan, context)?;
            Ok((file, output))
        });
        let (file, mut output) = match read {
            Ok(read) => read,
            Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
            Err(error) => return Ok(ShownPart::Failed(error)),
        };
        if let ReadOutput::Text(page) = &output
            && page.page.text.len() > left
            && !is_first
        {
            return Ok(outlined(&plan.file, page));
        }
        if matches!(output, ReadOutput::Text(_)) {
            self.note(&file, &plan, &mut output)?;
        }
        Ok(match output {
            ReadOutput::Text(page) => ShownPart::Page(Box::new(page)),
            _ => ShownPart::Failed(by_itself(name)),
        })
    }
}

/// Several files as one text.
pub(super) fn joined(parts: Vec<ReadPart>) -> WholeOutput {
    let path = parts
        .first()
        .map_or_else(String::new, |part| part.path.clone());
    let text = |part: ReadPart| match part.shown {
        ShownPart::Page(page) => format!("==> {} <==\n{}", part.path, page.page.text),
        ShownPart::Outline { text, .. } => format!("==> {} <==\n{text}", part.path),
        ShownPart::Failed(error) => format!("==> {} <==\n{}", part.path, error.message),
    };
    let content = parts.into_iter().map(text).collect::<Vec<_>>().join("\n\n");
    WholeOutput {
        path,
        bytes: content.len() as u64,
        content,
        encoding: ReadEncoding::Utf8,
        text_encoding: None,
        anchors: None,
        shown_max_bytes: limits::TEXT_MAX_BYTES,
    }
}

fn by_itself(name: &str) -> ToolError {
    let message = format!("`{name}` is an image. Read it by itself.");
    ToolError::new(ErrorCode::InvalidParams, message).with("path", name)
}

/// What is in a file whose page does not fit.
fn outlined(file: &Located, page: &PageOutput) -> ShownPart {
    let text = Language::of(file.name())
        .and_then(|language| {
            let text = tenon_workspace::read_text(file, limits::ANCHORED_MAX_BYTES).ok()?;
            let symbols =
                parse(text.text(), language, Budget::default()).map(|syntax| outline(&syntax))?;
            Some(listed(&symbols))
        })
        .unwrap_or_default();
    ShownPart::Outline {
        lines: page.page.total_lines,
        text,
    }
}

/// Symbols with their lines, two levels deep.
fn listed(symbols: &[Symbol]) -> String {
    let mut lines = Vec::new();
    for symbol in symbols {
        lines.push(line_of(symbol, ""));
        lines.extend(symbol.children.iter().map(|child| line_of(child, "  ")));
    }
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        if text.len() + line.len() > OUTLINE_MAX_BYTES {
            let more = lines.len() - at;
            text.push_str(&counted(more as u64, "more symbol", "more symbols"));
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn line_of(symbol: &Symbol, indentation: &str) -> String {
    let lines = &symbol.lines;
    format!(
        "{indentation}{} {}-{}",
        symbol.name, lines.first, lines.last
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_behind_a_name_are_taken_off() {
        assert_eq!(with_range("src/a.ts:10-40"), Some(("src/a.ts", 10, 40)));
        assert_eq!(with_range("a:b.ts:7"), Some(("a:b.ts", 7, 7)));
        for name in ["src/a.ts", "a:0", "a:9-3", ":4", "C:\\a.ts"] {
            assert_eq!(with_range(name), None, "{name}");
        }
    }
}
