//! Tables of data, of code, and of layout.

use std::collections::HashSet;

use dom_query::NodeRef;
use html5ever::local_name;

use super::{Builder, Flow, code};
use crate::page::html::dom::{attribute, name};
use crate::page::model::{Block, Inline, marked};

/// Most columns that one cell spans here; standards allow a thousand.
const MOST_SPANNED: usize = 64;
/// Most cells of a table, spans counted.
const MOST_CELLS: usize = 100_000;

impl Builder<'_> {
    pub(super) fn table(&self, table: &NodeRef<'_>, flow: &mut Flow) {
        self.flush(flow);
        let rows = rows(table);
        if is_code(&rows) {
            let mut text = String::new();
            for row in &rows {
                code::collect(row, &mut text);
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
            let text = text.trim_matches('\n').trim_end().to_owned();
            if !text.is_empty() {
                flow.blocks.push(Block::Code(code::block(table).0, text));
            }
            return;
        }
        for caption in table
            .children_it(false)
            .filter(|node| node.has_name("caption"))
        {
            self.titled(&caption, flow);
        }
        if is_layout(table, &rows) {
            for row in &rows {
                for cell in row.children_it(false).filter(is_cell) {
                    self.children(&cell, flow);
                    self.flush(flow);
                }
            }
            return;
        }
        let cells = self.grid(&rows);
        if cells.iter().flatten().any(|cell| !cell.is_empty()) {
            flow.blocks.push(Block::Table(cells));
        }
    }

    fn grid(&self, rows: &[NodeRef<'_>]) -> Vec<Vec<Vec<Inline>>> {
        let mut grid: Vec<Vec<Vec<Inline>>> = Vec::new();
        // Cells of earlier rows that reach into this one: column, rows left, text.
        let mut reaching: Vec<(usize, usize, Vec<Inline>)> = Vec::new();
        // Columns in which a cell begins. The others are there only for the reach of wide cells.
        let mut begun = HashSet::new();
        let mut count = 0_usize;
        for row in rows {
            let mut cells: Vec<Vec<Inline>> = Vec::new();
            let fill = |cells: &mut Vec<Vec<Inline>>, reaching: &[(usize, usize, Vec<Inline>)]| {
                while let Some((_, _, text)) =
                    reaching.iter().find(|(column, ..)| *column == cells.len())
                {
                    cells.push(text.clone());
                }
            };
            let mut starting = Vec::new();
            for cell in row.children_it(false).filter(is_cell) {
                fill(&mut cells, &reaching);
                let line = flat(self.blocks_below(&cell, None));
                let columns = span(&cell, "colspan");
                let below = span(&cell, "rowspan") - 1;
                if below > 0 {
                    starting.push((cells.len(), below, line.clone()));
                }
                begun.insert(cells.len());
                cells.push(line);
                cells.extend(std::iter::repeat_n(Vec::new(), columns - 1));
            }
            fill(&mut cells, &reaching);
            for reach in &mut reaching {
                reach.1 -= 1;
            }
            reaching.retain(|(_, left, _)| *left > 0);
            reaching.extend(starting);
            count += cells.len();
            if cells.iter().any(|cell| !cell.is_empty()) {
                grid.push(cells);
            }
            if count > MOST_CELLS {
                break;
            }
        }
        for cells in &mut grid {
            let mut column = 0..;
            cells.retain(|_| column.next().is_some_and(|column| begun.contains(&column)));
        }
        grid
    }
}

/// The rows of this table, not of tables inside.
fn rows<'a>(table: &NodeRef<'a>) -> Vec<NodeRef<'a>> {
    let parts = table
        .children_it(false)
        .flat_map(|child| match name(&child) {
            Some(local_name!("tr")) => vec![child],
            Some(local_name!("thead") | local_name!("tbody") | local_name!("tfoot")) => child
                .children_it(false)
                .filter(|row| row.has_name("tr"))
                .collect(),
            _ => Vec::new(),
        });
    parts.collect()
}

fn is_cell(node: &NodeRef<'_>) -> bool {
    matches!(name(node), Some(local_name!("td") | local_name!("th")))
}

fn span(cell: &NodeRef<'_>, word: &str) -> usize {
    cell.attr(word)
        .and_then(|span| span.trim().parse::<usize>().ok())
        .unwrap_or(1)
        .clamp(1, MOST_SPANNED)
}

/// A table that only puts line numbers beside code.
fn is_code(rows: &[NodeRef<'_>]) -> bool {
    let is_number = |cell: &NodeRef<'_>| {
        let classes = attribute(cell, local_name!("class")).unwrap_or_default();
        let mut classes = classes.split_ascii_whitespace();
        classes.any(|class| {
            matches!(
                class,
                "gutter" | "linenos" | "lineno" | "blob-num" | "hljs-ln-numbers" | "rouge-gutter"
            )
        })
    };
    rows.first().is_some_and(|row| {
        row.children_it(false)
            .filter(is_cell)
            .any(|cell| is_number(&cell))
    })
}

/// A table that only puts things side by side.
fn is_layout(table: &NodeRef<'_>, rows: &[NodeRef<'_>]) -> bool {
    let role = attribute(table, local_name!("role")).unwrap_or_default();
    let columns = rows
        .iter()
        .map(|row| row.children_it(false).filter(is_cell).count())
        .max();
    let has_big_parts = || {
        rows.iter()
            .flat_map(|row| row.descendants_it())
            .any(|node| {
                matches!(
                    name(&node),
                    Some(
                        local_name!("table")
                            | local_name!("h1")
                            | local_name!("h2")
                            | local_name!("h3")
                            | local_name!("h4")
                            | local_name!("pre")
                            | local_name!("blockquote")
                            | local_name!("form")
                            | local_name!("section")
                            | local_name!("article")
                    )
                )
            })
    };
    matches!(role.as_str(), "presentation" | "none") || columns.unwrap_or(0) <= 1 || has_big_parts()
}

/// Blocks in one cell.
fn flat(blocks: Vec<Block>) -> Vec<Inline> {
    let mut line: Vec<Inline> = Vec::new();
    for block in blocks {
        if !line.is_empty() {
            line.push(Inline::Break);
        }
        match block {
            Block::Heading(_, inner) => line.push(marked(inner, Inline::Strong)),
            Block::Paragraph(inner) => line.extend(inner),
            Block::Code(_, text) => line.push(Inline::Code(text)),
            Block::Quote(blocks) => line.extend(flat(blocks)),
            Block::List(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    if index > 0 {
                        line.push(Inline::Break);
                    }
                    line.push(Inline::Text(format!("{}{}", item.mark(), item.tick())));
                    line.extend(flat(item.blocks));
                }
            }
            Block::Table(rows) => {
                for cell in rows.into_iter().flatten() {
                    line.extend(cell);
                    line.push(Inline::Text(" ".to_owned()));
                }
            }
            Block::Rule => {}
        }
    }
    line
}
