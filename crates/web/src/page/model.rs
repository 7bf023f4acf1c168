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
    /// Items, numbered from the given number or not numbered.
    List(Option<i64>, Vec<Item>),
    /// Rows of cells. The first row is the head.
    Table(Vec<Vec<Vec<Inline>>>),
    /// A line between two parts.
    Rule,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Whether it is done, for an item that can be ticked.
    pub(crate) ticked: Option<bool>,
    pub(crate) blocks: Vec<Block>,
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
            Self::Break => out.push('\n'),
        }
    }
}

/// The bare text of a line.
pub(crate) fn bare(line: &[Inline]) -> String {
    let mut text = String::new();
    line.iter().for_each(|inline| inline.write(&mut text));
    text
}
