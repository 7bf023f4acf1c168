//! The places that a server names, with the text that stands there: only of files inside of the workspace, and none
//! of those that rules keep from being read.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use tenon_contract::{PathClaim, ToolContext, Visibility, limits};
use tenon_lsp::{
    Encoding, LanguageServers, LineText, Position, RawItem, RawPlace, RawSymbol, Reply, Span,
    file_path, file_uri,
};
use tenon_workspace::{Workspace, read_text};

use super::LspOperation;
use super::facts::{CallFact, Listed, PlaceFact, SymbolFact};

/// Whose code a file is, the workspace's own first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Workspace,
    /// Code of others that lies in the workspace.
    Dependency,
    Outside,
}

impl Owner {
    /// Of a file as answers name it: absolute, or an address, outside of the workspace.
    fn of(file: &str) -> Self {
        /// Directories that package managers fill.
        const FILLED: &[&str] = &[
            ".venv",
            "bower_components",
            "dist-packages",
            "node_modules",
            "site-packages",
            "vendor",
            "venv",
        ];
        if Path::new(file).is_absolute() || file.contains("://") {
            Self::Outside
        } else if file.split(['/', '\\']).any(|part| FILLED.contains(&part)) {
            Self::Dependency
        } else {
            Self::Workspace
        }
    }
}

/// Reads the files of an answer, each once.
pub(crate) struct Sources {
    workspace: Workspace,
    visibility: Option<Arc<dyn Visibility>>,
    encoding: Encoding,
    /// Whether the server returned as much as it ever does.
    is_capped: bool,
    /// The file that was asked about.
    own: String,
    texts: HashMap<String, Option<LineText>>,
}

impl Sources {
    pub(crate) fn new(servers: &LanguageServers, context: &ToolContext, reply: &Reply) -> Self {
        let own = reply.document.uri.clone();
        Self {
            workspace: servers.workspace().clone(),
            visibility: context.visibility().cloned(),
            encoding: reply.encoding,
            is_capped: reply.is_capped,
            texts: [(own.clone(), Some(reply.document.text.clone()))].into(),
            own,
        }
    }

    /// Whether rules keep this file from being read.
    pub(crate) fn hides(&self, uri: &str) -> bool {
        let (Some(visibility), Some(path)) = (&self.visibility, file_path(uri)) else {
            return false;
        };
        let name = self
            .workspace
            .name_of(&path)
            .unwrap_or_else(|| path.to_string_lossy().into_owned());
        let named = PathClaim {
            name,
            target: path.clone(),
        };
        let resolved = self.workspace.locate(&path.to_string_lossy());
        visibility.hides(&named) || resolved.is_ok_and(|located| visibility.hides(located.claim()))
    }

    pub(crate) fn places(
        &mut self,
        places: &[RawPlace],
        operation: LspOperation,
    ) -> Listed<PlaceFact> {
        let with_excerpts = operation != LspOperation::FindReferences;
        let mut reported = Vec::new();
        for place in places {
            if let Some(mut fact) = self.place(&place.uri, place.span) {
                if with_excerpts {
                    fact.excerpt = place
                        .whole
                        .and_then(|whole| self.excerpt(&place.uri, whole));
                }
                reported.push(fact);
            }
        }
        // By file, those of the file that was asked about first, then inside of the workspace, then the others.
        let own = &self.own;
        reported.sort_by_cached_key(|fact| {
            (
                fact.uri != *own,
                fact.text.is_empty(),
                fact.file.clone(),
                fact.line,
                fact.character,
            )
        });
        reported.dedup();
        Listed::new(reported)
    }

    pub(crate) fn symbols(
        &mut self,
        symbols: &[RawSymbol],
        operation: LspOperation,
    ) -> Listed<SymbolFact> {
        let mut reported = Vec::new();
        for symbol in symbols {
            self.symbol(symbol, 0, &mut reported);
        }
        if operation == LspOperation::WorkspaceSymbol {
            // Servers mix what the workspace holds with what they know of libraries.
            reported.sort_by_cached_key(|symbol| Owner::of(&symbol.place.file));
            reported.dedup();
        }
        Listed {
            is_capped: self.is_capped,
            ..Listed::new(reported)
        }
    }

    pub(crate) fn items(&mut self, items: &[RawItem]) -> Listed<SymbolFact> {
        let mut reported = Vec::new();
        for item in items {
            self.symbol(&item.symbol, 0, &mut reported);
        }
        Listed::new(reported)
    }

    /// Callers with the places of their calls; the calls of called ones lie in the file that was asked about.
    pub(crate) fn calls(&mut self, items: &[RawItem], operation: LspOperation) -> Listed<CallFact> {
        let mut reported = Vec::new();
        for item in items {
            let mut symbols = Vec::new();
            self.symbol(&item.symbol, 0, &mut symbols);
            let Some(symbol) = symbols.into_iter().next() else {
                continue;
            };
            let caller = match (operation, &item.symbol.uri) {
                (LspOperation::IncomingCalls, Some(uri)) => uri.clone(),
                _ => self.own.clone(),
            };
            let places = item
                .calls
                .iter()
                .filter_map(|span| self.place(&caller, *span))
                .collect();
            reported.push(CallFact { symbol, places });
        }
        Listed::new(reported)
    }

    fn symbol(&mut self, symbol: &RawSymbol, depth: usize, reported: &mut Vec<SymbolFact>) {
        let uri = symbol.uri.clone().unwrap_or_else(|| self.own.clone());
        let selection = self.name_in(&uri, symbol);
        if let Some(place) = self.place(&uri, selection) {
            let last_line = u64::from(symbol.span.end.line.max(symbol.selection.end.line)) + 1;
            reported.push(SymbolFact {
                name: self.relative(&symbol.name),
                kind: symbol.kind,
                detail: symbol.detail.clone(),
                container: symbol.container.clone(),
                depth,
                last_line: last_line.max(place.end_line),
                place,
            });
        }
        for child in &symbol.children {
            self.symbol(child, depth + 1, reported);
        }
    }

    /// Where the name of a symbol stands: some servers report only where all of it begins.
    fn name_in(&mut self, uri: &str, symbol: &RawSymbol) -> Span {
        let encoding = self.encoding;
        let bare = symbol.name.trim_end_matches("()").to_owned();
        let Some(text) = self.text(uri) else {
            return symbol.selection;
        };
        let start = text.offset(symbol.selection.start, encoding);
        let end = text.offset(
            Position {
                line: symbol.selection.start.line,
                character: u32::MAX,
            },
            encoding,
        );
        let line = text.text().get(start..end).unwrap_or_default();
        match line.find(&bare) {
            Some(at) if at > 0 && !bare.is_empty() => {
                text.span(&(start + at..start + at + bare.len()), encoding)
            }
            _ => symbol.selection,
        }
    }

    /// A module is called by its absolute path by some.
    fn relative(&self, name: &str) -> String {
        let path = Path::new(name);
        let relative = path
            .is_absolute()
            .then(|| self.workspace.name_of(path))
            .flatten();
        relative.unwrap_or_else(|| name.to_owned())
    }

    fn place(&mut self, uri: &str, span: Span) -> Option<PlaceFact> {
        if self.hides(uri) || self.is_gone(uri) {
            return None;
        }
        let encoding = self.encoding;
        let (span, line) = match self.text(uri) {
            Some(text) => {
                let span = text.convert(span, encoding, Encoding::Utf16);
                (
                    span,
                    text.line(span.start.line).unwrap_or_default().to_owned(),
                )
            }
            None => (span, String::new()),
        };
        let file = match file_path(uri) {
            Some(path) => self
                .workspace
                .name_of(&path)
                .unwrap_or_else(|| path.to_string_lossy().into_owned()),
            None => uri.to_owned(),
        };
        Some(PlaceFact {
            file,
            uri: file_path(uri).map_or_else(|| uri.to_owned(), |path| file_uri(&path)),
            line: u64::from(span.start.line) + 1,
            character: u64::from(span.start.character) + 1,
            end_line: u64::from(span.end.line) + 1,
            end_character: u64::from(span.end.character) + 1,
            text: line
                .trim()
                .chars()
                .take(limits::LSP_LINE_MAX_CHARACTERS)
                .collect(),
            excerpt: None,
        })
    }

    fn excerpt(&mut self, uri: &str, whole: Span) -> Option<String> {
        let encoding = self.encoding;
        let text = self.text(uri)?;
        let whole = text.convert(whole, encoding, Encoding::Utf16);
        let first = whole.start.line;
        let last =
            whole.end.line.min(first.saturating_add(
                u32::try_from(limits::LSP_EXCERPT_MAX_LINES).unwrap_or(u32::MAX) - 1,
            ));
        let lines: Vec<&str> = (first..=last).filter_map(|line| text.line(line)).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Whether a file of the workspace is not there any more, whatever a server remembers of it.
    fn is_gone(&mut self, uri: &str) -> bool {
        if self.text(uri).is_some() {
            return false;
        }
        let located = file_path(uri).and_then(|path| self.workspace.locate(path.to_str()?).ok());
        located.is_some_and(|located| matches!(located.exists(), Ok(false)))
    }

    /// The text of a file inside of the workspace.
    fn text(&mut self, uri: &str) -> Option<&LineText> {
        if !self.texts.contains_key(uri) {
            let read = || {
                let path = file_path(uri)?;
                let located = self.workspace.locate(path.to_str()?).ok()?;
                let file = read_text(&located, limits::LSP_DOCUMENT_MAX_BYTES).ok()?;
                Some(LineText::new(file.text()))
            };
            let text = if self.hides(uri) { None } else { read() };
            self.texts.insert(uri.to_owned(), text);
        }
        self.texts.get(uri)?.as_ref()
    }
}
