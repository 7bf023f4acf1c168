//! What servers answer, read one item at a time: an item that cannot be read costs itself, not the answer.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::protocol::position::Span;

/// A place as a server names it (LSP `Location` and `LocationLink`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPlace {
    /// Its address.
    pub uri: String,
    /// The name itself, in the server's units.
    pub span: Span,
    /// The whole declaration, where the server says.
    pub whole: Option<Span>,
}

/// A symbol of a file or of the project (LSP `DocumentSymbol`, `SymbolInformation`, `WorkspaceSymbol`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawSymbol {
    /// What it is called.
    pub name: String,
    /// What it is, such as `function`.
    pub kind: &'static str,
    /// More, such as its signature.
    pub detail: Option<String>,
    /// What it belongs to, where that is identified by name.
    pub container: Option<String>,
    /// Its address; nothing for symbols of the file that was asked about.
    pub uri: Option<String>,
    /// All of it.
    pub span: Span,
    /// Its name.
    pub selection: Span,
    /// What is in it.
    pub children: Vec<RawSymbol>,
}

/// A member of a call or type hierarchy (LSP `CallHierarchyItem`, `TypeHierarchyItem`).
#[derive(Debug, Clone, PartialEq)]
pub struct RawItem {
    /// What it is.
    pub symbol: RawSymbol,
    /// Where it calls or is called, in the file of the caller.
    pub calls: Vec<Span>,
    /// As it came: the server wants it back unchanged.
    pub(crate) item: Value,
}

/// The name of a `SymbolKind`.
pub(crate) fn symbol_kind(kind: u64) -> &'static str {
    const KINDS: [&str; 26] = [
        "file",
        "module",
        "namespace",
        "package",
        "class",
        "method",
        "property",
        "field",
        "constructor",
        "enum",
        "interface",
        "function",
        "variable",
        "constant",
        "string",
        "number",
        "boolean",
        "array",
        "object",
        "key",
        "null",
        "enum_member",
        "struct",
        "event",
        "operator",
        "type_parameter",
    ];
    let index = usize::try_from(kind)
        .ok()
        .and_then(|kind| kind.checked_sub(1));
    index
        .and_then(|index| KINDS.get(index))
        .copied()
        .unwrap_or("symbol")
}

/// The items of an answer: a list, one item, or nothing.
pub(crate) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// The places of an answer, without those that are reported twice.
pub(crate) fn places(value: &Value) -> Vec<RawPlace> {
    let mut places: Vec<RawPlace> = Vec::new();
    for place in items(value).iter().filter_map(place) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn place(value: &Value) -> Option<RawPlace> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let span = |name: &str| value.get(name).and_then(read::<Span>);
    if let Some(uri) = text("targetUri") {
        let whole = span("targetRange");
        return Some(RawPlace {
            uri,
            span: span("targetSelectionRange").or(whole)?,
            whole,
        });
    }
    Some(RawPlace {
        uri: text("uri")?,
        span: span("range")?,
        whole: None,
    })
}

/// The symbols of an answer. A flat list in which one symbol lies in another is made a tree.
pub(crate) fn symbols(value: &Value) -> Vec<RawSymbol> {
    let mut symbols: Vec<RawSymbol> = items(value).iter().filter_map(symbol).collect();
    sort(&mut symbols);
    let is_flat = symbols
        .iter()
        .all(|symbol| symbol.children.is_empty() && symbol.uri.is_some());
    if is_flat { nested(symbols) } else { symbols }
}

/// In the order of the text, which some servers do not keep.
fn sort(symbols: &mut [RawSymbol]) {
    symbols.sort_by_key(|symbol| symbol.selection.start);
    for symbol in symbols {
        sort(&mut symbol.children);
    }
}

/// The symbols of an answer about the project.
pub(crate) fn flat_symbols(value: &Value) -> Vec<RawSymbol> {
    items(value).iter().filter_map(symbol).collect()
}

pub(crate) fn symbol(value: &Value) -> Option<RawSymbol> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let location = value.get("location");
    let span = |name: &str| value.get(name).and_then(read::<Span>);
    // A symbol of the project may come without its range; it is at the beginning of its file then.
    let own = span("range").or_else(|| location?.get("range").and_then(read::<Span>));
    let uri = text("uri").or_else(|| location?.get("uri")?.as_str().map(str::to_owned));
    let span = own.or_else(|| uri.as_ref().map(|_| Span::default()))?;
    let children = value.get("children").map(items).unwrap_or_default();
    Some(RawSymbol {
        name: text("name")?,
        kind: symbol_kind(value.get("kind").and_then(Value::as_u64).unwrap_or(0)),
        detail: text("detail").filter(|detail| !detail.is_empty()),
        container: text("containerName").filter(|name| !name.is_empty()),
        uri,
        span,
        selection: value
            .get("selectionRange")
            .and_then(read::<Span>)
            .unwrap_or(span),
        children: children.iter().filter_map(symbol).collect(),
    })
}

/// Puts each symbol into the smallest one before it that holds it.
fn nested(mut symbols: Vec<RawSymbol>) -> Vec<RawSymbol> {
    symbols.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    let mut tops: Vec<RawSymbol> = Vec::new();
    // The open symbols, the innermost last.
    let mut open: Vec<RawSymbol> = Vec::new();
    for symbol in symbols {
        while open
            .last()
            .is_some_and(|outer| outer.span.end < symbol.span.end || outer.span == symbol.span)
        {
            close(&mut open, &mut tops);
        }
        open.push(symbol);
    }
    while !open.is_empty() {
        close(&mut open, &mut tops);
    }
    tops
}

fn close(open: &mut Vec<RawSymbol>, tops: &mut Vec<RawSymbol>) {
    if let Some(done) = open.pop() {
        match open.last_mut() {
            Some(outer) => outer.children.push(done),
            None => tops.push(done),
        }
    }
}

/// The members of a hierarchy; `member` is `from` or `to` for calls and nothing for types.
pub(crate) fn hierarchy(value: &Value, member: Option<&str>) -> Vec<RawItem> {
    let one = |value: &Value| {
        let item = match member {
            Some(member) => value.get(member)?,
            None => value,
        };
        let calls = value.get("fromRanges").map(items).unwrap_or_default();
        Some(RawItem {
            symbol: symbol(item)?,
            calls: calls.iter().filter_map(read::<Span>).collect(),
            item: item.clone(),
        })
    };
    items(value).iter().filter_map(one).collect()
}

/// The text of a hover: Markdown, whatever its form.
///
/// # Errors
/// What is wrong with an answer that the protocol does not know.
pub(crate) fn hover_text(hover: &Value) -> Result<String, String> {
    if hover.is_null() {
        return Ok(String::new());
    }
    let contents = hover
        .get("contents")
        .ok_or_else(|| "it has no `contents`".to_owned())?;
    let parts: Result<Vec<String>, String> = items(contents).iter().map(hover_part).collect();
    let parts = parts?;
    let texts: Vec<&str> = { parts.iter() }
        .map(String::as_str)
        .filter(|text| !text.is_empty())
        .collect();
    Ok(texts.join("\n\n"))
}

/// A text, `MarkupContent`, or a text in a language.
fn hover_part(part: &Value) -> Result<String, String> {
    let text = part
        .as_str()
        .or_else(|| part.get("value").and_then(Value::as_str))
        .ok_or_else(|| "a part of its `contents` is not a text".to_owned())?
        .trim();
    Ok(match part.get("language").and_then(Value::as_str) {
        Some(language) if !text.is_empty() => format!("```{language}\n{text}\n```"),
        _ => without_pictures(text),
    })
}

/// The text with the names of pictures in place of their bytes: the servers of CSS and HTML draw icons.
fn without_pictures(text: &str) -> String {
    const BYTES: &str = "](data:";
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BYTES) {
        let named = before.rsplit_once("![");
        let named = named.filter(|(_, name)| !name.contains(']'));
        let Some(((before, name), (_, after))) = named.zip(after.split_once(')')) else {
            break;
        };
        shown.push_str(before);
        shown.push_str(name);
        rest = after;
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn span(start: (u32, u32), end: (u32, u32)) -> Value {
        json!({ "start": { "line": start.0, "character": start.1 }, "end": { "line": end.0, "character": end.1 } })
    }

    #[test]
    fn pictures_in_hover_texts_are_their_names() {
        let icon = "![Baseline icon](data:image/svg+xml;base64,PHN2Zw==) _Widely available_ ![](data:,x)![c](d.png) [b](data:y)";
        let part = json!({ "kind": "markdown", "value": format!("**div**\n\n{icon}") });
        assert_eq!(
            hover_part(&part).unwrap(),
            "**div**\n\nBaseline icon _Widely available_ ![c](d.png) [b](data:y)"
        );
    }

    #[test]
    fn places_come_alone_in_lists_and_as_links() {
        let name = span((1, 2), (1, 5));
        let whole = span((1, 0), (3, 1));
        let plain = json!({ "uri": "file:///a", "range": name });
        let link =
            json!({ "targetUri": "file:///a", "targetRange": whole, "targetSelectionRange": name });
        let reported = |value: &Value| {
            places(value)
                .into_iter()
                .map(|place| (place.uri, place.whole.is_some()))
                .collect::<Vec<_>>()
        };
        assert_eq!(reported(&plain), [("file:///a".to_owned(), false)]);
        assert_eq!(
            reported(&json!([plain, plain, link, { "uri": 3 }, null])),
            [
                ("file:///a".to_owned(), false),
                ("file:///a".to_owned(), true)
            ]
        );
        assert_eq!(reported(&Value::Null), []);
    }

    #[test]
    fn a_flat_list_of_symbols_becomes_a_tree() {
        let flat = |name: &str, range: Value| json!({ "name": name, "kind": 12, "location": { "uri": "file:///a", "range": range } });
        let list = json!([
            flat("inner", span((1, 0), (2, 0))), flat("outer", span((0, 0), (5, 0))), flat("deep", span((1, 4), (1, 9))),
            flat("next", span((6, 0), (7, 0))), flat("same", span((6, 0), (7, 0))), { "kind": 1 },
        ]);
        fn reported(symbols: &[RawSymbol]) -> String {
            let each: Vec<String> = symbols
                .iter()
                .map(|symbol| format!("{}[{}]", symbol.name, reported(&symbol.children)))
                .collect();
            each.join(" ")
        }
        assert_eq!(
            reported(&symbols(&list)),
            "outer[inner[deep[]]] next[] same[]"
        );
        let tree = json!([{ "name": "a", "kind": 5, "range": span((0, 0), (9, 0)), "selectionRange": span((0, 1), (0, 2)),
            "children": [{ "name": "b", "kind": 6, "range": span((1, 0), (2, 0)), "selectionRange": span((1, 0), (1, 1)) }] }]);
        assert_eq!(reported(&symbols(&tree)), "a[b[]]");
    }

    #[test]
    fn kinds_have_names() {
        assert_eq!(
            [0, 1, 12, 22, 26, 27].map(symbol_kind),
            [
                "symbol",
                "file",
                "function",
                "enum_member",
                "type_parameter",
                "symbol"
            ]
        );
    }

    #[test]
    fn hovers_of_every_form_are_markdown() {
        let text = |contents: Value| hover_text(&json!({ "contents": contents })).unwrap();
        assert_eq!(text(json!({ "kind": "markdown", "value": " x\n" })), "x");
        assert_eq!(
            text(json!(["a", { "language": "rust", "value": "fn b()" }, ""])),
            "a\n\n```rust\nfn b()\n```"
        );
        assert_eq!(text(json!({ "kind": "markdown", "value": "" })), "");
        assert_eq!(text(json!([])), "");
        assert_eq!(hover_text(&Value::Null), Ok(String::new()));
        // These counted as an answer that says nothing.
        for wrong in [
            json!({}),
            json!([]),
            json!("x"),
            json!({ "contents": 1 }),
            json!({ "contents": { "value": 1 } }),
            json!({ "contents": ["x", { "kind": "markdown" }] }),
        ] {
            assert!(hover_text(&wrong).is_err(), "{wrong}");
        }
    }
}
