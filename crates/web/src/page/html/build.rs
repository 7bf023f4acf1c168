//! From a tree to blocks.
//!
//! Recursive; the parser bounds the depth of every tree that comes here.

mod code;
mod inline;
mod raised;
mod table;

use std::cell::Cell;
use std::collections::HashSet;

use dom_query::{NodeId, NodeRef};
use html5ever::{LocalName, local_name};
use url::Url;

use super::dom::{attribute, is_block, name, text};
use super::prepare;
use crate::page::model::{Block, Inline, Item, bare, edges, marked};

/// What is below a node, as blocks. Links become absolute against `base`.
pub(super) fn build(root: &NodeRef<'_>, base: &Url) -> Vec<Block> {
    let builder = Builder {
        base,
        with_blocks: with_blocks(root),
        after_space: Cell::new(true),
    };
    builder.blocks_below(root, None)
}

/// The elements that have a block somewhere below.
fn with_blocks(root: &NodeRef<'_>) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    for node in root.descendants_it() {
        if !name(&node).is_some_and(|name| is_block(&name)) {
            continue;
        }
        for above in node.ancestors_it(None) {
            if !found.insert(above.id) {
                break;
            }
        }
    }
    found
}

struct Builder<'a> {
    base: &'a Url,
    with_blocks: HashSet<NodeId>,
    /// Whether the last letter of the line was a space, or there is none yet.
    after_space: Cell<bool>,
}

/// Blocks under way, with the line that is not finished.
struct Flow {
    blocks: Vec<Block>,
    line: Vec<Inline>,
    /// Where everything here links to: a link around whole blocks.
    link: Option<String>,
}

impl Builder<'_> {
    fn blocks_below(&self, node: &NodeRef<'_>, link: Option<String>) -> Vec<Block> {
        let mut flow = Flow {
            blocks: Vec::new(),
            line: Vec::new(),
            link,
        };
        self.after_space.set(true);
        self.children(node, &mut flow);
        self.flush(&mut flow);
        flow.blocks
    }

    fn children(&self, node: &NodeRef<'_>, flow: &mut Flow) {
        for child in node.children_it(false) {
            self.node(&child, flow);
        }
    }

    /// Ends the line.
    pub(super) fn flush(&self, flow: &mut Flow) {
        self.after_space.set(true);
        let line = edges(std::mem::take(&mut flow.line)).1;
        if !bare(&line).trim().is_empty() {
            let line = linked(line, flow.link.as_deref());
            flow.blocks.push(Block::Paragraph(line));
        }
    }

    fn push(&self, block: Block, flow: &mut Flow) {
        self.flush(flow);
        flow.blocks.push(block);
    }

    fn node(&self, node: &NodeRef<'_>, flow: &mut Flow) {
        if let Some(text) = text(node) {
            self.text(&text, &mut flow.line);
            return;
        }
        let Some(name) = name(node) else { return };
        match name {
            local_name!("head") | local_name!("title") | local_name!("rp") => {}
            local_name!("br") => self.line_break(&mut flow.line),
            local_name!("hr") => self.push(Block::Rule, flow),
            local_name!("pre")
            | local_name!("listing")
            | local_name!("xmp")
            | local_name!("plaintext") => {
                let (language, text) = code::block(node);
                if !text.trim().is_empty() {
                    self.push(Block::Code(language, text), flow);
                }
            }
            local_name!("blockquote") => {
                self.flush(flow);
                let blocks = self.blocks_below(node, flow.link.clone());
                if !blocks.is_empty() {
                    flow.blocks.push(Block::Quote(blocks));
                }
            }
            local_name!("ul") | local_name!("ol") | local_name!("menu") | local_name!("dir") => {
                self.list(node, name == local_name!("ol"), flow);
            }
            local_name!("table") => self.table(node, flow),
            local_name!("dt") | local_name!("summary") | local_name!("caption") => {
                self.titled(node, flow);
            }
            _ => match level(&name) {
                Some(level) => self.heading(node, level, flow),
                None if is_block(&name) => {
                    self.flush(flow);
                    self.children(node, flow);
                    self.flush(flow);
                }
                None if self.with_blocks.contains(&node.id) => {
                    self.around_blocks(node, &name, flow)
                }
                None => self.inline(node, &name, &mut flow.line),
            },
        }
    }

    /// An inline element with blocks inside: it makes no line of its own, but a link reaches all of them.
    fn around_blocks(&self, node: &NodeRef<'_>, name: &LocalName, flow: &mut Flow) {
        let address = (*name == local_name!("a"))
            .then(|| self.address(attribute(node, local_name!("href")).as_deref()))
            .flatten();
        if address.is_none() {
            self.children(node, flow);
            return;
        }
        self.flush(flow);
        flow.blocks.extend(self.blocks_below(node, address));
        self.after_space.set(true);
    }

    fn heading(&self, node: &NodeRef<'_>, level: u8, flow: &mut Flow) {
        self.flush(flow);
        let line = self.line_below(node);
        if !bare(&line).trim().is_empty() {
            let line = linked(line, flow.link.as_deref());
            flow.blocks.push(Block::Heading(level, line));
        }
        self.after_space.set(true);
    }

    /// A term, or the title of something: a paragraph that stands out. With blocks inside, those as they are.
    pub(super) fn titled(&self, node: &NodeRef<'_>, flow: &mut Flow) {
        self.flush(flow);
        if self.with_blocks.contains(&node.id) {
            self.children(node, flow);
            self.flush(flow);
            return;
        }
        let line = self.line_below(node);
        if !bare(&line).trim().is_empty() {
            let line = linked(vec![marked(line, Inline::Strong)], flow.link.as_deref());
            flow.blocks.push(Block::Paragraph(line));
        }
        self.after_space.set(true);
    }

    /// Everything below as one line.
    fn line_below(&self, node: &NodeRef<'_>) -> Vec<Inline> {
        self.after_space.set(true);
        let mut line = Vec::new();
        for child in node.children_it(false) {
            self.inline_node(&child, &mut line);
        }
        edges(line).1
    }

    fn list(&self, node: &NodeRef<'_>, numbered: bool, flow: &mut Flow) {
        self.flush(flow);
        let mut numbers = numbered.then(|| Numbers::of(node));
        let mut items: Vec<Item> = Vec::new();
        for child in node.children_it(false) {
            let is_item = name(&child) == Some(local_name!("li"));
            // Items without text are counted too.
            let number = numbers
                .as_mut()
                .filter(|_| is_item)
                .map(|numbers| numbers.next(&child));
            let blocks = if is_item || !child.is_text() {
                let mut inner = Flow {
                    blocks: Vec::new(),
                    line: Vec::new(),
                    link: flow.link.clone(),
                };
                self.after_space.set(true);
                if is_item {
                    self.children(&child, &mut inner);
                } else {
                    self.node(&child, &mut inner);
                }
                self.flush(&mut inner);
                inner.blocks
            } else {
                text(&child)
                    .filter(|text| !text.trim().is_empty())
                    .map(|text| vec![Block::Paragraph(vec![Inline::Text(text.trim().to_owned())])])
                    .unwrap_or_default()
            };
            if blocks.is_empty() {
                continue;
            }
            // A list beside the items belongs to the one before it.
            let is_nested = !is_item && matches!(blocks.as_slice(), [Block::List(..)]);
            match items.last_mut().filter(|_| is_nested) {
                Some(last) => last.blocks.extend(blocks),
                None => items.push(Item {
                    number,
                    ticked: prepare::ticked(&child).filter(|_| is_item),
                    blocks,
                }),
            }
        }
        if !items.is_empty() {
            flow.blocks.push(Block::List(items));
        }
        self.after_space.set(true);
    }
}

/// The numbers of the items of a list, as browsers count.
struct Numbers {
    next: i64,
    step: i64,
}

impl Numbers {
    fn of(list: &NodeRef<'_>) -> Self {
        let is_reversed = list.has_attr("reversed");
        let items = || {
            let items = list.children_it(false).filter(|node| node.has_name("li"));
            i64::try_from(items.count()).unwrap_or(i64::MAX)
        };
        let start = integer(list, local_name!("start"));
        Self {
            next: start.unwrap_or_else(|| if is_reversed { items() } else { 1 }),
            step: if is_reversed { -1 } else { 1 },
        }
    }

    fn next(&mut self, item: &NodeRef<'_>) -> i64 {
        let number = integer(item, local_name!("value")).unwrap_or(self.next);
        self.next = number.saturating_add(self.step);
        number
    }
}

/// The whole number that an attribute begins with.
fn integer(node: &NodeRef<'_>, name: LocalName) -> Option<i64> {
    let value = attribute(node, name)?;
    let value = value.trim_start();
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
    value.get(..value.len() - rest.len())?.parse().ok()
}

fn level(name: &LocalName) -> Option<u8> {
    Some(match *name {
        local_name!("h1") => 1,
        local_name!("h2") => 2,
        local_name!("h3") => 3,
        local_name!("h4") => 4,
        local_name!("h5") => 5,
        local_name!("h6") => 6,
        _ => return None,
    })
}

/// A line inside of the link that surrounds it. Links in links do not exist; the inner ones win.
fn linked(line: Vec<Inline>, link: Option<&str>) -> Vec<Inline> {
    let has_link = line.iter().any(|inline| matches!(inline, Inline::Link(..)));
    match link {
        Some(address) if !has_link => vec![Inline::Link(address.to_owned(), line)],
        _ => line,
    }
}
