//! From text to a tree, whatever the text: depth, size and time are bounded.
//!
//! A page of 30,000 nested elements costs a parser the square of that, and every recursion over the
//! tree its stack. Browsers cut the depth as well (Blink at 512). Start tags beyond it are left out
//! here, before the tree builder sees them; their text stays.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Instant;

use dom_query::{Document, NodeId};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::Tracer;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{LocalName, local_name};
use tenon_contract::limits;

use super::shadow;
use super::sink::CountingSink;

/// How much is parsed between two looks at the clock, in bytes.
const STEP_BYTES: usize = 16 * 1024;

/// A tree, and whether it holds the whole text.
pub(super) struct Parsed {
    pub(super) document: Document,
    pub(super) whole: bool,
}

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    /// HTML as XML (`application/xhtml+xml`), where `<script/>` is a whole element.
    Xhtml,
}

/// Parses HTML as browsers do, without running its scripts.
pub(super) fn parse(html: &str) -> Parsed {
    parse_as(html, Syntax::Html)
}

/// Parses a page in the given syntax. What is damaged in XHTML is read as HTML is.
pub(super) fn parse_as(html: &str, syntax: Syntax) -> Parsed {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        drop_doctype: true,
        ..TreeBuilderOpts::default()
    };
    let bounded = Bounded {
        builder: TreeBuilder::new(CountingSink::default(), options),
        syntax,
        templates: RefCell::default(),
        open: Cell::new(None),
        left_out: RefCell::default(),
        full: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(bounded, TokenizerOpts::default());
    let deadline = Instant::now() + limits::WEB_PARSE_TIME;
    let queue = BufferQueue::default();
    let mut whole = true;
    let mut rest = html;
    while !rest.is_empty() {
        if tokenizer.sink.full.get() || Instant::now() >= deadline {
            whole = false;
            break;
        }
        let (step, after) = rest.split_at(rest.floor_char_boundary(STEP_BYTES));
        rest = after;
        queue.push_back(StrTendril::from(step));
        // A script or a declared encoding stops the tokenizer for a moment; neither means anything here.
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    }
    if whole {
        tokenizer.end();
    }
    Parsed {
        document: tokenizer.sink.builder.sink.finish(),
        whole,
    }
}

/// Stands between tokenizer and tree builder.
struct Bounded {
    builder: TreeBuilder<NodeId, CountingSink>,
    syntax: Syntax,
    /// For every open template whether it is a shadow root.
    templates: RefCell<Vec<bool>>,
    /// Elements that are open, when that is known.
    open: Cell<Option<usize>>,
    /// Start tags that were left out, whose end tags have to be left out too.
    left_out: RefCell<HashMap<LocalName, usize>>,
    /// Whether the tree is as large as it may be.
    full: Cell<bool>,
}

impl Bounded {
    /// Whether the tree may grow deeper by this tag.
    fn takes(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => {
                // Without the tag of a script its text would be read as text. But in foreign content even those nest.
                let most =
                    limits::WEB_HTML_MAX_DEPTH * if nests_nothing(&tag.name) { 2 } else { 1 };
                let fits = self.open_elements() < most;
                if !fits {
                    *self
                        .left_out
                        .borrow_mut()
                        .entry(tag.name.clone())
                        .or_default() += 1;
                }
                fits
            }
            TagKind::EndTag => {
                let mut left_out = self.left_out.borrow_mut();
                let Some(count) = left_out.get_mut(&tag.name) else {
                    return true;
                };
                *count -= 1;
                if *count == 0 {
                    left_out.remove(&tag.name);
                }
                false
            }
        }
    }

    /// Gives templates that are shadow roots the name that keeps them in the tree.
    fn rename_template(&self, tag: &mut Tag) {
        if tag.name != local_name!("template") {
            return;
        }
        let mut templates = self.templates.borrow_mut();
        let is_root = match tag.kind {
            TagKind::StartTag => {
                templates.push(shadow::is_declared(tag));
                templates.last().copied()
            }
            TagKind::EndTag => templates.pop(),
        };
        if is_root == Some(true) {
            tag.name = shadow::ROOT;
        }
    }

    /// An element of XHTML that ends where it begins.
    fn empty_element(&self, mut tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        tag.self_closing = false;
        let end = Tag {
            kind: TagKind::EndTag,
            attrs: Vec::new(),
            ..tag.clone()
        };
        // What the start tag wants of the tokenizer is over with the end tag.
        drop(self.process_token(Token::TagToken(tag), line));
        self.process_token(Token::TagToken(end), line)
    }

    /// Elements that the tree builder keeps open, those it would open again included.
    fn open_elements(&self) -> usize {
        if let Some(open) = self.open.get() {
            return open;
        }
        let counter = Counter::default();
        self.builder.trace_handles(&counter);
        self.open.set(Some(counter.0.get()));
        counter.0.get()
    }
}

#[derive(Default)]
struct Counter(Cell<usize>);

impl Tracer for Counter {
    type Handle = NodeId;

    fn trace_handle(&self, _: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}

impl TokenSink for Bounded {
    type Handle = NodeId;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<NodeId> {
        if self.full.get() {
            return TokenSinkResult::Continue;
        }
        if let Token::TagToken(tag) = &mut token {
            let is_empty = tag.kind == TagKind::StartTag && tag.self_closing && !is_void(&tag.name);
            if is_empty && self.syntax == Syntax::Xhtml {
                return self.empty_element(tag.clone(), line);
            }
            self.rename_template(tag);
        }
        match &token {
            Token::ParseError(_) | Token::CommentToken(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) if !self.takes(tag) => return TokenSinkResult::Continue,
            Token::TagToken(_) => self.open.set(None),
            _ => {}
        }
        if self.builder.sink.nodes() > limits::WEB_HTML_MAX_NODES {
            self.full.set(true);
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    /// Whether `<![CDATA[` begins text; in XHTML it does everywhere.
    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.syntax == Syntax::Xhtml
            || self
                .builder
                .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements without children, or whose text the tokenizer reads in a way of its own.
fn nests_nothing(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("body")
            | local_name!("head")
            | local_name!("html")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("plaintext")
            | local_name!("script")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("xmp")
    ) || is_void(name)
}

/// Elements without an end tag.
fn is_void(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
    )
}
