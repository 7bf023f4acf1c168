//! What a page says, freed of its source: blocks of text, lists, tables, code.

/// A block of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// A heading of level 1 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// Code, exactly as it stands, with its language where that is known.
    Code(Option<String>, String),
    /// Quoted blocks.
    Quote(Vec<Block>),
    /// Items, each with its number or without one.
    List(Vec<Item>),
    /// Rows of cells. The first row is the head.
    Table(Vec<Vec<Vec<Inline>>>),
    /// A line between two parts.
    Rule,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// The number that readers see before it.
    pub(crate) number: Option<i64>,
    /// Whether it is done, for an item that can be ticked.
    pub(crate) ticked: Option<bool>,
    pub(crate) blocks: Vec<Block>,
}

impl Item {
    /// What it begins with.
    pub(crate) fn mark(&self) -> String {
        match self.number {
            Some(number) => format!("{number}. "),
            None => "- ".to_owned(),
        }
    }

    /// The state of its box, as text.
    pub(crate) fn tick(&self) -> &'static str {
        match self.ticked {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        }
    }
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Inline {
    /// Text, white space already collapsed.
    Text(String),
    Code(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Struck(Vec<Inline>),
    /// A link to an absolute address.
    Link(String, Vec<Inline>),
    /// An image: what it shows, and its absolute address where it has one.
    Image(String, Option<String>),
    /// The end of a line.
    Break,
}

impl Inline {
    /// Appends the bare text.
    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) | Self::Code(text) => out.push_str(text),
            Self::Strong(inner)
            | Self::Emphasis(inner)
            | Self::Struck(inner)
            | Self::Link(_, inner) => inner.iter().for_each(|inline| inline.write(out)),
            Self::Image(shown, _) => out.push_str(shown),
            Self::Break => {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
            }
        }
    }
}

/// The bare text of a line.
pub(crate) fn bare(line: &[Inline]) -> String {
    let mut text = String::new();
    line.iter().for_each(|inline| inline.write(&mut text));
    text
}

/// A line, and the breaks before and behind it, with the spaces between them.
pub(crate) fn edges(mut line: Vec<Inline>) -> (Vec<Inline>, Vec<Inline>, Vec<Inline>) {
    let is_text = |inline: &Inline| !bare(std::slice::from_ref(inline)).trim().is_empty();
    let end = line.iter().rposition(is_text).map_or(0, |last| last + 1);
    let after = line.split_off(end);
    let begin = line.iter().position(is_text).unwrap_or(0);
    let inner = line.split_off(begin);
    (line, inner, after)
}

/// A part with a mark. Inside of it the same mark would add nothing, and would be read as its end.
pub(crate) fn marked(inner: Vec<Inline>, make: fn(Vec<Inline>) -> Inline) -> Inline {
    let kind = std::mem::discriminant(&make(Vec::new()));
    make(without(inner, kind))
}

fn without(line: Vec<Inline>, kind: std::mem::Discriminant<Inline>) -> Vec<Inline> {
    let mut kept = Vec::with_capacity(line.len());
    for inline in line {
        let is_same = std::mem::discriminant(&inline) == kind;
        match inline {
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Struck(inner) if is_same => {
                kept.extend(without(inner, kind));
            }
            Inline::Strong(inner) => kept.push(Inline::Strong(without(inner, kind))),
            Inline::Emphasis(inner) => kept.push(Inline::Emphasis(without(inner, kind))),
            Inline::Struck(inner) => kept.push(Inline::Struck(without(inner, kind))),
            Inline::Link(address, inner) => kept.push(Inline::Link(address, without(inner, kind))),
            other => kept.push(other),
        }
    }
    kept
}
