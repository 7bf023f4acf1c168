//! Markdown as GitHub reads it.

use std::fmt::Write as _;

use crate::page::model::{Block, Inline, Item};

/// What ends a line inside of a paragraph.
const BREAK: &str = "\\\n";

/// Blocks as Markdown, without white space at the end.
pub(crate) fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    write_blocks(blocks, "", &mut out, "\n\n");
    out.truncate(out.trim_end().len());
    out
}

/// Every line of a block begins with `prefix`, but for the first, which goes on where the text stands.
fn write_blocks(blocks: &[Block], prefix: &str, out: &mut String, between: &str) {
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            for _ in between.bytes() {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.push_str(prefix);
            }
        }
        write_block(block, prefix, out);
    }
}

fn write_block(block: &Block, prefix: &str, out: &mut String) {
    match block {
        Block::Heading(level, line) => {
            out.push_str(
                "######"
                    .get(..usize::from((*level).clamp(1, 6)))
                    .unwrap_or("#"),
            );
            out.push(' ');
            out.push_str(&inlines(line).replace(BREAK, " "));
        }
        Block::Paragraph(line) => write_lines(&guarded(&inlines(line)), prefix, out),
        Block::Code(language, text) => {
            let fence = fence(text);
            let text = text.trim_end_matches('\n');
            let language = language.as_deref().unwrap_or_default();
            write_lines(&format!("{fence}{language}\n{text}\n{fence}"), prefix, out);
        }
        Block::Quote(blocks) => {
            out.push_str("> ");
            write_blocks(blocks, &format!("{prefix}> "), out, "\n\n");
        }
        Block::List(items) => write_list(items, prefix, out),
        Block::Table(rows) => write_lines(&table(rows), prefix, out),
        Block::Rule => out.push_str("---"),
    }
}

fn write_lines(text: &str, prefix: &str, out: &mut String) {
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(prefix);
        }
        out.push_str(line);
    }
}

fn write_list(items: &[Item], prefix: &str, out: &mut String) {
    // Items of one paragraph each stand close together.
    let is_loose = items.iter().any(|item| {
        item.blocks
            .iter()
            .filter(|block| !matches!(block, Block::List(..)))
            .count()
            > 1
    });
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            for _ in 0..if is_loose { 2 } else { 1 } {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.push_str(prefix);
            }
        }
        let mark = item.mark();
        out.push_str(&mark);
        out.push_str(item.tick());
        let inner = format!("{prefix}{}", " ".repeat(mark.len()));
        let between = if is_loose { "\n\n" } else { "\n" };
        write_blocks(&item.blocks, &inner, out, between);
    }
}

/// Three backticks, or one more than the longest run inside.
fn fence(text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn table(rows: &[Vec<Vec<Inline>>]) -> String {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push('|');
        for column in 0..width {
            let text = row
                .get(column)
                .map(|cell| cell_text(cell))
                .unwrap_or_default();
            let _ = write!(out, " {text} |");
        }
        if index == 0 {
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(width));
        }
    }
    out
}

fn cell_text(cell: &[Inline]) -> String {
    let text = inlines(cell);
    let text = text.trim().replace('|', "\\|");
    text.replace(BREAK, "<br>").replace('\n', "<br>")
}

/// A line of Markdown; breaks are a backslash and a line feed.
fn inlines(line: &[Inline]) -> String {
    let mut out = String::new();
    write_inlines(line, &mut out);
    let mut trimmed = out.trim_matches(' ');
    while let Some(before) = trimmed.strip_suffix(BREAK) {
        trimmed = before.trim_end();
    }
    trimmed.to_owned()
}

fn write_inlines(line: &[Inline], out: &mut String) {
    for inline in line {
        let is_word = matches!(inline, Inline::Text(text) if !text.starts_with(is_sign));
        if !is_word {
            settle(out);
        }
        match inline {
            Inline::Text(text) => escape(text, out),
            Inline::Code(text) => code(text, out),
            Inline::Strong(inner) => wrap(inner, "**", out),
            Inline::Emphasis(inner) => wrap(inner, "*", out),
            Inline::Struck(inner) => wrap(inner, "~~", out),
            Inline::Link(address, inner) => link(address, inner, out),
            Inline::Image(shown, address) => image(shown, address.as_deref(), out),
            Inline::Break => {
                out.truncate(out.trim_end_matches(' ').len());
                settle(out);
                if !out.is_empty() && !out.ends_with(BREAK) {
                    out.push_str(BREAK);
                }
            }
        }
    }
}

/// Marks around a text, its outer spaces outside of them.
fn wrap(inner: &[Inline], mark: &str, out: &mut String) {
    let mut text = String::new();
    write_inlines(inner, &mut text);
    settle(&mut text);
    let bare = text.trim();
    let is_marked = bare.starts_with(mark) && bare.ends_with(mark);
    if bare.is_empty() || bare.contains('\n') || is_marked {
        out.push_str(&text);
        return;
    }
    let lead = text.len() - text.trim_start().len();
    let end = text.trim_end().len();
    out.push_str(text.get(..lead).unwrap_or_default());
    let _ = write!(out, "{mark}{bare}{mark}");
    out.push_str(text.get(end..).unwrap_or_default());
}

fn code(text: &str, out: &mut String) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return;
    }
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    let mark = "`".repeat(longest.unwrap_or(0) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    let _ = write!(out, "{mark}{pad}{text}{pad}{mark}");
}

fn link(address: &str, inner: &[Inline], out: &mut String) {
    let mut text = String::new();
    write_inlines(inner, &mut text);
    settle(&mut text);
    let bare = text.replace(BREAK, " ");
    let bare = bare.trim();
    if bare.is_empty() {
        out.push_str(&text);
        return;
    }
    if text.starts_with(' ') {
        out.push(' ');
    }
    if bare == address {
        let _ = write!(out, "<{address}>");
    } else {
        // With the sign before it, it would be an image.
        if out.ends_with('!') {
            out.truncate(out.len() - 1);
            out.push_str("\\!");
        }
        let _ = write!(out, "[{}]({})", paired(bare), target(address));
    }
    if text.ends_with(' ') {
        out.push(' ');
    }
}

/// The text of a link with a backslash before each bracket without its partner: those end a link too early, or take the one of
/// the link. Brackets in code are none.
fn paired(text: &str) -> String {
    let mut open = Vec::new();
    let mut single = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let at = text.len() - rest.len();
        let mut step = letter.len_utf8();
        match letter {
            '\\' => step += rest.chars().nth(1).map_or(0, char::len_utf8),
            '`' => {
                let behind = rest.trim_start_matches('`');
                let mark = rest.len() - behind.len();
                let end = behind.find(&"`".repeat(mark));
                step = end.map_or(mark, |end| end + 2 * mark);
            }
            '[' => open.push(at),
            ']' if open.pop().is_none() => single.push(at),
            _ => {}
        }
        rest = rest.get(step..).unwrap_or_default();
    }
    single.extend(open);
    let escaped = text.char_indices().flat_map(|(at, letter)| {
        let mark = single.contains(&at).then_some('\\');
        mark.into_iter().chain([letter])
    });
    escaped.collect()
}

fn image(shown: &str, address: Option<&str>, out: &mut String) {
    let shown = shown.replace(['[', ']'], "");
    match address {
        Some(address) => {
            let _ = write!(out, "![{shown}]({})", target(address));
        }
        None => out.push_str(&shown),
    }
}

/// An address between round brackets.
fn target(address: &str) -> String {
    address
        .replace(' ', "%20")
        .replace('(', "%28")
        .replace(')', "%29")
        .replace('<', "%3C")
        .replace('>', "%3E")
}

/// Escapes only what would be read as a mark; names like `some_name` and paths like `C:\dir` stay as they are. A backslash
/// is one before a sign.
fn escape(text: &str, out: &mut String) {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_mark = match letter {
            '*' | '`' => true,
            '\\' => letters.peek().is_some_and(|next| is_sign(*next)),
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(letter);
    }
}

fn is_sign(letter: char) -> bool {
    letter.is_ascii_punctuation()
}

/// Escapes the backslash that a text ends with, so that the sign that follows keeps its meaning.
fn settle(out: &mut String) {
    let before = out.trim_end_matches('\\').len();
    if (out.len() - before) % 2 == 1 {
        out.push('\\');
    }
}

/// Keeps the lines of a paragraph from being read as headings, lists or quotes.
fn guarded(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let digits = line.len()
            - line
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len();
        let after = line.get(digits..).unwrap_or_default();
        let is_number =
            (1..10).contains(&digits) && (after.starts_with(". ") || after.starts_with(") "));
        let is_mark = [
            "# ", "## ", "### ", "#### ", "##### ", "###### ", "> ", "- ", "+ ", "---", "===",
            "~~~",
        ]
        .iter()
        .any(|mark| line.starts_with(mark));
        if is_number {
            format!("{}\\{after}", line.get(..digits).unwrap_or_default())
        } else if is_mark {
            format!("\\{line}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}
