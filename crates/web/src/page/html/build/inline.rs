//! Lines: text, marks, links, images.

use dom_query::NodeRef;
use html5ever::{LocalName, local_name};

use super::{Builder, code, raised};
use crate::page::html::dom::{attribute, is_block, name, text};
use crate::page::model::{Inline, bare, edges, marked};

impl Builder<'_> {
    /// Text with its white space collapsed as browsers show it. Invisible hints for line breaks are dropped, so that
    /// long names stay in one piece.
    pub(super) fn text(&self, text: &str, line: &mut Vec<Inline>) {
        let mut shown = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
                letter if letter.is_whitespace() => {
                    if !self.after_space.replace(true) {
                        shown.push(' ');
                    }
                }
                letter => {
                    self.after_space.set(false);
                    shown.push(letter);
                }
            }
        }
        if shown.is_empty() {
            return;
        }
        match line.last_mut() {
            Some(Inline::Text(before)) => before.push_str(&shown),
            _ => line.push(Inline::Text(shown)),
        }
    }

    pub(super) fn line_break(&self, line: &mut Vec<Inline>) {
        self.after_space.set(true);
        line.push(Inline::Break);
    }

    /// A node inside of a line, whatever it is.
    pub(super) fn inline_node(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        if let Some(text) = text(node) {
            self.text(&text, line);
        } else if let Some(name) = name(node) {
            if is_block(&name) {
                self.text(" ", line);
                self.inline_children(node, line);
                self.text(" ", line);
            } else {
                self.inline(node, &name, line);
            }
        }
    }

    fn inline_children(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        for child in node.children_it(false) {
            self.inline_node(&child, line);
        }
    }

    fn inner(&self, node: &NodeRef<'_>) -> Vec<Inline> {
        let mut inner = Vec::new();
        self.inline_children(node, &mut inner);
        inner
    }

    /// An inline element.
    pub(super) fn inline(&self, node: &NodeRef<'_>, name: &LocalName, line: &mut Vec<Inline>) {
        match *name {
            local_name!("br") => self.line_break(line),
            local_name!("a") => self.link(node, line),
            local_name!("img") => self.image(node, line),
            local_name!("b") | local_name!("strong") => {
                let inner = self.inner(node);
                push(line, inner, |inner| marked(inner, Inline::Strong));
            }
            local_name!("i") | local_name!("em") => {
                let inner = self.inner(node);
                push(line, inner, |inner| marked(inner, Inline::Emphasis));
            }
            local_name!("del") | local_name!("s") | local_name!("strike") => {
                let inner = self.inner(node);
                push(line, inner, |inner| marked(inner, Inline::Struck));
            }
            local_name!("code") | local_name!("kbd") | local_name!("samp") | local_name!("tt") => {
                self.code(node, line)
            }
            local_name!("sup") => self.raised(node, line),
            local_name!("q") => {
                self.text("“", line);
                self.inline_children(node, line);
                self.text("”", line);
            }
            local_name!("rt") => {
                self.text("(", line);
                self.inline_children(node, line);
                self.text(")", line);
            }
            local_name!("math") => self.formula(node, line),
            local_name!("rp")
            | local_name!("title")
            | local_name!("head")
            | local_name!("input") => {}
            _ => self.inline_children(node, line),
        }
    }

    /// Code in a line. Its outer spaces are outside of the marks, and each of its lines has marks of its own.
    fn code(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        for (index, text) in code::lines(node).into_iter().enumerate() {
            if index > 0 {
                self.line_break(line);
            }
            if text.starts_with(char::is_whitespace) {
                self.text(" ", line);
            }
            let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !shown.is_empty() {
                line.push(Inline::Code(shown));
                self.after_space.set(false);
            }
            if text.ends_with(char::is_whitespace) {
                self.text(" ", line);
            }
        }
    }

    /// What is raised is set apart from what is before it.
    fn raised(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        let marks = raised::marks(node).filter(|_| !self.after_space.get());
        let Some((open, close)) = marks else {
            self.inline_children(node, line);
            return;
        };
        self.text(open, line);
        // A space at its beginning would part it from its mark.
        self.after_space.set(true);
        self.inline_children(node, line);
        if !close.is_empty() {
            self.text(close, line);
        }
    }

    /// A formula by its source, when the page has it.
    fn formula(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        let source = node.descendants_it().find(|node| {
            name(node) == Some(local_name!("annotation"))
                && attribute(node, local_name!("encoding")).is_some_and(|kind| kind.contains("tex"))
        });
        match source {
            Some(source) => {
                let text = source.text();
                line.push(Inline::Text(format!("${}$", text.trim())));
                self.after_space.set(false);
            }
            None => self.inline_children(node, line),
        }
    }

    fn link(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        let href = attribute(node, local_name!("href"));
        let mut inner = self.inner(node);
        let shown = bare(&inner);
        let is_here = href
            .as_deref()
            .is_some_and(|href| href.trim().starts_with('#'));
        // The sign beside a heading that links to the heading.
        if is_here
            && matches!(
                shown.trim(),
                "" | "#" | "¶" | "§" | "🔗" | "Link to this heading" | "Permalink"
            )
        {
            return;
        }
        if shown.trim().is_empty() {
            let label = attribute(node, LocalName::from("aria-label"))
                .or_else(|| attribute(node, local_name!("title")));
            match label.filter(|label| !label.trim().is_empty()) {
                Some(label) => {
                    self.after_space.set(false);
                    inner = vec![Inline::Text(label.trim().to_owned())];
                }
                None => {
                    line.extend(inner);
                    return;
                }
            }
        }
        match self.address(href.as_deref()) {
            Some(address) => push(line, inner, |inner| Inline::Link(address.clone(), inner)),
            None => line.extend(inner),
        }
    }

    fn image(&self, node: &NodeRef<'_>, line: &mut Vec<Inline>) {
        let shown = attribute(node, local_name!("alt")).unwrap_or_default();
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        if shown.is_empty() {
            return;
        }
        let sources = [
            local_name!("src"),
            LocalName::from("data-src"),
            LocalName::from("data-original"),
        ];
        let address = sources
            .into_iter()
            .find_map(|name| self.address(attribute(node, name).as_deref()));
        line.push(Inline::Image(shown, address));
        self.after_space.set(false);
    }

    /// The absolute form of an address that a reader can follow. Places on the same page, scripts and embedded data
    /// are none.
    pub(super) fn address(&self, href: Option<&str>) -> Option<String> {
        let href = href?.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        let address = self.base.join(href).ok()?;
        matches!(address.scheme(), "http" | "https" | "mailto").then(|| address.to_string())
    }
}

/// Adds a part with marks. Breaks at its edges are outside of them, where they still end a line.
fn push(line: &mut Vec<Inline>, inner: Vec<Inline>, make: impl Fn(Vec<Inline>) -> Inline) {
    if bare(&inner).trim().is_empty() {
        line.extend(inner);
        return;
    }
    let (before, inner, after) = edges(inner);
    line.extend(before);
    line.push(make(inner));
    line.extend(after);
}
