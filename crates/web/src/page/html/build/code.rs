//! Code exactly as it stands, with its language.

use dom_query::NodeRef;
use html5ever::{LocalName, local_name};

use super::raised;
use crate::page::html::dom::{attribute, is_block, name, text};

/// Classes of the numbers and buttons that pages put beside code.
const BESIDE_CODE: &[&str] = &[
    "lineno",
    "linenos",
    "linenodiv",
    "lineNumber",
    "line-number",
    "line-numbers",
    "line-numbers-rows",
    "gutter",
    "hljs-ln-numbers",
    "rouge-gutter",
    "blob-num",
    "copy",
    "copy-button",
    "copybtn",
    "clipboard-copy",
    "toolbar",
    "sr-only",
    "visually-hidden",
];

/// The language and the text of a block of code.
pub(super) fn block(node: &NodeRef<'_>) -> (Option<String>, String) {
    let mut text = String::new();
    collect(node, &mut text);
    let text = text
        .replace('\u{a0}', " ")
        .replace(['\u{200b}', '\u{feff}'], "");
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.trim_end_matches('\r'))
        .collect();
    let text = lines.join("\n");
    (
        language(node),
        text.trim_matches('\n').trim_end().to_owned(),
    )
}

/// The lines of code inside of a line; only breaks end them, for a line feed is a space there.
pub(super) fn lines(node: &NodeRef<'_>) -> Vec<String> {
    let mut lines = vec![String::new()];
    collect_lines(node, &mut lines);
    for line in &mut lines {
        line.retain(|letter| !matches!(letter, '\u{200b}' | '\u{feff}'));
    }
    lines
}

fn collect_lines(node: &NodeRef<'_>, lines: &mut Vec<String>) {
    let push = |lines: &mut Vec<String>, text: &str| {
        if let Some(line) = lines.last_mut() {
            line.push_str(text);
        }
    };
    for child in node.children_it(false) {
        if let Some(text) = text(&child) {
            push(lines, &text);
            continue;
        }
        let Some(name) = name(&child) else { continue };
        if name == local_name!("br") {
            lines.push(String::new());
            continue;
        }
        let is_after = lines
            .last()
            .is_some_and(|line| line.ends_with(|letter: char| !letter.is_whitespace()));
        let (open, close) = match name {
            local_name!("sup") if is_after => raised::marks(&child).unwrap_or_default(),
            _ if is_block(&name) => (" ", " "),
            _ => ("", ""),
        };
        push(lines, open);
        collect_lines(&child, lines);
        push(lines, close);
    }
}

/// Text as it stands. Elements of a line each end their line.
pub(super) fn collect(node: &NodeRef<'_>, out: &mut String) {
    for child in node.children_it(false) {
        if let Some(text) = text(&child) {
            out.push_str(&text);
            continue;
        }
        let Some(name) = name(&child) else { continue };
        if is_beside(&child) {
            continue;
        }
        if name == local_name!("br") {
            out.push('\n');
            continue;
        }
        // Cells of one row stand on one line.
        let is_line = is_block(&name) && !matches!(name, local_name!("td") | local_name!("th"));
        if is_line && !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        if !is_line && is_next_cell(&child) && !out.ends_with('\n') {
            out.push('\t');
        }
        let is_raised =
            name == local_name!("sup") && out.ends_with(|letter: char| !letter.is_whitespace());
        let (open, close) = if is_raised {
            raised::marks(&child).unwrap_or_default()
        } else {
            ("", "")
        };
        out.push_str(open);
        collect(&child, out);
        out.push_str(close);
        if is_line && !out.ends_with('\n') && !out.is_empty() {
            out.push('\n');
        }
    }
}

/// Whether it is a cell behind another one that is shown. Looks back a few nodes only, so that a row of any length is read in
/// time: beside code there are one or two cells of numbers.
fn is_next_cell(node: &NodeRef<'_>) -> bool {
    const MOST_BACK: usize = 8;
    let is_cell = |node: &NodeRef<'_>| node.has_name("td") || node.has_name("th");
    let before = std::iter::successors(node.prev_sibling(), NodeRef::prev_sibling);
    let mut shown = before
        .take(MOST_BACK)
        .filter(|sibling| is_cell(sibling) && !is_beside(sibling));
    is_cell(node) && shown.next().is_some()
}

fn is_beside(node: &NodeRef<'_>) -> bool {
    let classes = attribute(node, local_name!("class")).unwrap_or_default();
    classes
        .split_ascii_whitespace()
        .any(|class| BESIDE_CODE.contains(&class))
}

/// The language: said by the element, the code inside of it, or what surrounds it.
fn language(node: &NodeRef<'_>) -> Option<String> {
    let inner = node
        .descendants_it()
        .take(4)
        .filter(|node| node.has_name("code"))
        .take(1);
    let around = node.ancestors_it(Some(3));
    std::iter::once(*node)
        .chain(inner)
        .chain(around)
        .find_map(|node| declared(&node))
}

fn declared(node: &NodeRef<'_>) -> Option<String> {
    let named = ["data-lang", "data-language", "lang-name", "syntax"]
        .into_iter()
        .find_map(|name| attribute(node, LocalName::from(name)));
    if let Some(language) = named.as_deref().and_then(tidy) {
        return Some(language);
    }
    let classes = attribute(node, local_name!("class"))?;
    let words: Vec<&str> = classes.split_ascii_whitespace().collect();
    let prefixed = words.iter().find_map(|word| {
        [
            "language-",
            "lang-",
            "highlight-source-",
            "highlight-",
            "brush:",
            "code-",
        ]
        .into_iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .and_then(tidy)
    });
    prefixed.or_else(|| {
        // `class="brush: js"`, `class="sourceCode rust"`, `class="prettyprint lang"`, `class="hljs json"`.
        let at = words.iter().position(|word| {
            matches!(
                *word,
                "brush:" | "sourceCode" | "src" | "hljs" | "highlight"
            )
        })?;
        words.get(at + 1).and_then(|word| tidy(word))
    })
}

/// A name that can stand behind a fence; `None` for words that are none, and for "no language".
fn tidy(word: &str) -> Option<String> {
    let word = word.trim().trim_end_matches(';').to_ascii_lowercase();
    let is_name = (1..=20).contains(&word.len())
        && word.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_' | b'.')
        });
    let is_none = matches!(
        word.as_str(),
        "none"
            | "default"
            | "notranslate"
            | "plaintext"
            | "nohighlight"
            | "block"
            | "wrapper"
            | "container"
            | "text"
            | "toolbar"
            | "box"
            | "example"
            | "snippet"
            | "sample"
            | "listing"
    );
    (is_name && !is_none).then_some(word)
}
