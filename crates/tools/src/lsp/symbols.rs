//! The symbols of a text by its syntax alone, without any server: listed, read, replaced, and put beside.

use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_lsp::{Address, Encoding, LineText, ServerStatus, file_uri};
use tenon_syntax::{Budget, Language, Symbol, SymbolKind, first_in_code, outline, parse};
use tenon_workspace::{Located, TextFile, read_text};

use super::facts::{Listed, PlaceFact, SymbolFact};
use super::output::{LspFound, LspOutput};
use super::params::{LspOperation, LspParams};
use super::proposal::Steps;
use crate::freshness::FileFreshness;
use crate::session::FileSession;

/// Who answers here, in the place of a server.
const READER: &str = "tree-sitter";
/// Most symbols that an error lists.
const LISTED_MAX: usize = 40;

/// A file and the symbols in it.
pub(super) struct Outline {
    pub(super) file: TextFile,
    text: LineText,
    pub(super) language: Language,
    symbols: Vec<Symbol>,
}

/// A symbol and what lies around it.
#[derive(Clone, Copy)]
struct SymbolContext<'a> {
    symbol: &'a Symbol,
    container: Option<&'a str>,
    depth: usize,
}

/// The names that lead to a symbol, and the symbol.
type NamedSymbol<'a> = (Vec<&'a str>, SymbolContext<'a>);

impl Outline {
    /// Reads a file; `None` where its language is not understood, or it is too large for that.
    ///
    /// # Errors
    /// What the workspace refuses.
    pub(super) fn of(place: &Located) -> Result<Option<Self>, ToolError> {
        let Some(language) = Language::of(place.name()) else {
            return Ok(None);
        };
        let file = read_text(place, limits::EDIT_MAX_BYTES)?;
        let Some(symbols) =
            parse(file.text(), language, Budget::default()).map(|syntax| outline(&syntax))
        else {
            return Ok(None);
        };
        let text = LineText::new(file.text());
        Ok(Some(Self {
            file,
            text,
            language,
            symbols,
        }))
    }

    /// The same, where nothing else can answer.
    fn required(place: &Located) -> Result<Self, ToolError> {
        Self::of(place)?.ok_or_else(|| {
            let path = place.name();
            let message = format!(
                "The symbols of `{path}` are not known: its language is not supported, or it is too large. Read and edit its text instead."
            );
            ToolError::new(ErrorCode::Unavailable, message).with("path", path)
        })
    }

    fn all(&self) -> Vec<NamedSymbol<'_>> {
        let mut all = Vec::new();
        collect(&self.symbols, &mut Vec::new(), &mut all);
        all
    }

    /// What a symbol is in, if that is a symbol, and all that is in there.
    pub(super) fn around(&self, symbol: &Symbol) -> (Option<&Symbol>, &[Symbol]) {
        let mut around = (None, self.symbols.as_slice());
        loop {
            let inside = |other: &&Symbol| {
                other.range != symbol.range
                    && other.range.start <= symbol.range.start
                    && other.range.end >= symbol.range.end
            };
            let Some(next) = around.1.iter().find(inside) else {
                return around;
            };
            around = (Some(next), next.children.as_slice());
        }
    }

    /// Every symbol, in the order of the text, those of others behind these.
    pub(super) fn listed(&self) -> Listed<SymbolFact> {
        let all = self.all().into_iter();
        Listed::new(all.map(|(_, found)| self.fact(found)).collect())
    }

    fn fact(&self, found: SymbolContext<'_>) -> SymbolFact {
        let symbol = found.symbol;
        let span = self.text.span(&symbol.name_range, Encoding::Utf16);
        let located = self.file.snapshot().located();
        let line = self.text.line(span.start.line).unwrap_or_default().trim();
        SymbolFact {
            name: symbol.name.clone(),
            kind: symbol.kind.name(),
            detail: None,
            container: found.container.map(str::to_owned),
            depth: found.depth,
            last_line: symbol.lines.last as u64,
            place: PlaceFact {
                file: located.name().to_owned(),
                uri: file_uri(located.target()),
                line: u64::from(span.start.line) + 1,
                character: u64::from(span.start.character) + 1,
                end_line: u64::from(span.end.line) + 1,
                end_character: u64::from(span.end.character) + 1,
                text: line.chars().take(limits::LSP_LINE_MAX_CHARACTERS).collect(),
                excerpt: None,
            },
        }
    }

    /// The one symbol that a path of names means, where needed the one on a line.
    fn find(&self, path: &str, line: Option<u64>) -> Result<SymbolContext<'_>, ToolError> {
        let all = self.all();
        let mut fitting = named(&all, path);
        if fitting.is_empty() {
            return Err(self.no_symbol(path, &all));
        }
        if let Some(line) = line {
            fitting = self.on_line(fitting, line);
        }
        // What implements a type goes by the name of the type.
        let is_type =
            |(_, found): &&NamedSymbol<'_>| found.symbol.kind != SymbolKind::Implementation;
        if fitting.len() > 1 && fitting.iter().filter(|one| is_type(one)).count() == 1 {
            fitting.retain(is_type);
        }
        match fitting.as_slice() {
            [(_, found)] => Ok(*found),
            several => Err(self.ambiguous(path, several)),
        }
    }

    /// Those that begin on a line; else those around it, if there are any.
    fn on_line<'r, 'a>(
        &self,
        fitting: Vec<&'r NamedSymbol<'a>>,
        line: u64,
    ) -> Vec<&'r NamedSymbol<'a>> {
        let begins = |(_, found): &&NamedSymbol<'_>| {
            let name = self
                .text
                .span(&found.symbol.name_range, Encoding::Utf16)
                .start;
            [found.symbol.lines.first as u64, u64::from(name.line) + 1].contains(&line)
        };
        let is_around = |(_, found): &&NamedSymbol<'_>| {
            let lines = found.symbol.lines;
            (lines.first as u64..=lines.last as u64).contains(&line)
        };
        let only = |keeps: &dyn Fn(&&NamedSymbol<'_>) -> bool| {
            let kept: Vec<_> = fitting.iter().copied().filter(|one| keeps(one)).collect();
            Some(kept).filter(|kept| !kept.is_empty())
        };
        only(&begins)
            .or_else(|| only(&is_around))
            .unwrap_or(fitting)
    }

    fn no_symbol(&self, path: &str, all: &[NamedSymbol<'_>]) -> ToolError {
        let file = self.file.snapshot().located().name();
        let known: Vec<String> = all
            .iter()
            .take(LISTED_MAX)
            .map(|(names, _)| format!("`{}`", names.join("/")))
            .collect();
        let known = if known.is_empty() {
            "It has no symbols.".to_owned()
        } else {
            let more = if all.len() > known.len() { ", …" } else { "" };
            format!("Symbols there: {}{more}.", known.join(", "))
        };
        let message = format!("No symbol `{path}` in `{file}`. {known}");
        ToolError::new(ErrorCode::NoMatch, message).with("path", file)
    }

    fn ambiguous(&self, path: &str, several: &[&NamedSymbol<'_>]) -> ToolError {
        let file = self.file.snapshot().located().name();
        let places: Vec<String> = several
            .iter()
            .map(|(names, found)| {
                let lines = found.symbol.lines;
                let kind = found.symbol.kind.name();
                format!(
                    "the {kind} `{}` on lines {}-{}",
                    names.join("/"),
                    lines.first,
                    lines.last
                )
            })
            .collect();
        let lines: Vec<usize> = several
            .iter()
            .map(|(_, found)| found.symbol.lines.first)
            .collect();
        let message = format!(
            "`{path}` is not unique in `{file}`: {}. Pass more of its path, or its `line`.",
            places.join(", ")
        );
        ToolError::new(ErrorCode::NotUnique, message)
            .with("path", file)
            .with("lines", lines)
    }
}

/// Every symbol with the names that lead to it.
fn collect<'a>(symbols: &'a [Symbol], above: &mut Vec<&'a str>, all: &mut Vec<NamedSymbol<'a>>) {
    for symbol in symbols {
        let container = symbol.owner.as_deref().or(above.last().copied());
        let mut names = above.clone();
        names.extend(symbol.owner.as_deref());
        names.push(&symbol.name);
        let depth = above.len();
        all.push((
            names,
            SymbolContext {
                symbol,
                container,
                depth,
            },
        ));
        above.push(&symbol.name);
        collect(&symbol.children, above, all);
        above.pop();
    }
}

/// The symbols that a path of names means: as it is listed, else in another spelling.
fn named<'r, 'a>(all: &'r [NamedSymbol<'a>], path: &str) -> Vec<&'r NamedSymbol<'a>> {
    const SEPARATORS: [&str; 3] = ["/", "::", "."];
    // From the file itself, as a path from the root of a disk.
    let is_whole = path.starts_with('/');
    let inner = path.trim().trim_start_matches('/');
    let is_listed = |names: &[&str], separator| {
        let from = 0..if is_whole { 1 } else { names.len() };
        let mut below = from.filter_map(|start| names.get(start..));
        below.any(|names| names.join(separator) == inner)
    };
    let is_spelled = |names: &[&str], separator| {
        let wanted = split(path, separator);
        let is_end = !wanted.is_empty() && names.ends_with(&wanted);
        is_end && (!is_whole || names.len() == wanted.len())
    };
    let listed = SEPARATORS.map(|separator| fitting(all, |names| is_listed(names, separator)));
    let spelled = SEPARATORS.map(|separator| fitting(all, |names| is_spelled(names, separator)));
    let mut found = listed.into_iter().chain(spelled);
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

fn fitting<'r, 'a>(
    all: &'r [NamedSymbol<'a>],
    fits: impl Fn(&[&str]) -> bool,
) -> Vec<&'r NamedSymbol<'a>> {
    all.iter().filter(|(names, _)| fits(names)).collect()
}

fn split<'a>(path: &'a str, separator: &str) -> Vec<&'a str> {
    path.split(separator)
        .map(|part| part.trim().trim_end_matches("()"))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Where a name is that an address gives without a line, in bytes: where it is declared, the outermost first, else where it
/// first is in code. `None` where its language is not understood; a server is asked all the same.
pub(super) fn place_of(address: &Address, place: &Located) -> Option<usize> {
    let name = address.name_in_file()?;
    let language = Language::of(place.name())?;
    let file = read_text(place, limits::EDIT_MAX_BYTES).ok()?;
    let syntax = parse(file.text(), language, Budget::default())?;
    let symbols = outline(&syntax);
    let mut all = Vec::new();
    collect(&symbols, &mut Vec::new(), &mut all);
    let declared = named(&all, address.symbol.as_deref().unwrap_or(name));
    let outermost = declared.iter().min_by_key(|(_, found)| {
        // What implements a type goes by its name, and says nothing of it.
        let is_implementation = found.symbol.kind == SymbolKind::Implementation;
        (is_implementation, found.depth)
    });
    match outermost {
        Some((_, found)) => Some(found.symbol.name_range.start),
        None => first_in_code(&syntax, name),
    }
}

/// The outline of a file, or one symbol of it.
///
/// # Errors
/// A language that is not understood, a name that is not there or not unique.
pub(super) fn read(place: &Located, params: &LspParams) -> Result<LspOutput, ToolError> {
    let outline = Outline::required(place)?;
    let mut output = answered(params.operation, place);
    if params.operation == LspOperation::Outline {
        output.found = Ok(LspFound::Symbols(outline.listed()));
        return Ok(output);
    }
    let found = outline.find(params.symbol.as_deref().unwrap_or_default(), params.line)?;
    let (range, is_alone) = outline.shown(found.symbol);
    if is_alone {
        let note = format!(
            "`{}` shares its lines with other text. Only the text of the symbol is shown.",
            found.symbol.name
        );
        output.notes.push(note);
    }
    let shown = outline.file.text().get(range).unwrap_or_default();
    let mut text = String::new();
    for line in shown.lines() {
        if text.len() + line.len() > limits::TEXT_MAX_BYTES {
            let note = "The symbol is too long to be shown in full. Read the rest of its lines from the file.";
            output.notes.push(note.to_owned());
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    output.name = Some(found.symbol.name.clone());
    output.found = Ok(LspFound::Source {
        symbol: outline.fact(found),
        text,
    });
    Ok(output)
}

/// The change that is asked for, by the text as it is now.
///
/// # Errors
/// As [`read`]; [`ErrorCode::StaleFile`] where something else changed the symbol since the session read it.
pub(super) fn changed(
    place: &Located,
    params: &LspParams,
    session: &FileSession,
) -> Result<(LspOutput, Steps), ToolError> {
    let outline = Outline::required(place)?;
    let found = outline.find(params.symbol.as_deref().unwrap_or_default(), params.line)?;
    let content = params.content.as_deref().unwrap_or_default();
    let plan = outline.change(params.operation, found.symbol, content);
    let mut output = answered(params.operation, place);
    output.name = Some(found.symbol.name.clone());
    if plan.splices.is_empty() {
        let message = format!(
            "Nothing was changed: `{}` already has this text.",
            found.symbol.name
        );
        return Err(ToolError::new(ErrorCode::NoChange, message));
    }
    let knowledge = FileFreshness::of(session, outline.file.snapshot())?;
    knowledge.check(&outline.file, &plan)?;
    Ok((output, Steps::of_plan(outline.file, plan)))
}

/// The outline in the place of that of a server which cannot give one.
///
/// # Errors
/// What the workspace refuses.
pub(super) fn instead(place: &Located, output: &mut LspOutput) -> Result<(), ToolError> {
    if let (Err(shortfall), Some(outline)) = (&output.found, Outline::of(place)?) {
        let install = shortfall
            .install
            .as_ref()
            .map(|command| format!(" Install it with `{command}`."))
            .unwrap_or_default();
        output.notes.push(format!(
            "{}{install} These symbols were found by parsing the file without a language server.",
            shortfall.reason
        ));
        output.found = Ok(LspFound::Symbols(outline.listed()));
    }
    Ok(())
}

fn answered(operation: LspOperation, place: &Located) -> LspOutput {
    let mut output = LspOutput::new(operation, place.name());
    output.server = Some(READER.to_owned());
    output.status = ServerStatus::Ready;
    output
}

#[cfg(all(test, unix))]
mod tests;
