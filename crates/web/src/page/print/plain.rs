//! Bare text: no marks, no addresses.

use crate::page::model::{Block, Item, bare};

/// Blocks as text, without white space at the end.
pub(crate) fn plain(blocks: &[Block]) -> String {
    let mut out = String::new();
    write_blocks(blocks, 0, &mut out, "\n\n");
    out.truncate(out.trim_end().len());
    out
}

fn write_blocks(blocks: &[Block], indent: usize, out: &mut String, between: &str) {
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            out.push_str(between);
            out.push_str(&" ".repeat(indent));
        }
        match block {
            Block::Heading(_, line) | Block::Paragraph(line) => {
                write_lines(bare(line).trim(), indent, out);
            }
            Block::Code(_, text) => write_lines(text.trim_end_matches('\n'), indent, out),
            Block::Quote(blocks) => write_blocks(blocks, indent, out, "\n\n"),
            Block::List(items) => write_list(items, indent, out),
            Block::Table(rows) => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|row| {
                        let cells = row.iter().map(|cell| bare(cell).trim().replace('\n', " "));
                        cells.collect::<Vec<_>>().join("\t")
                    })
                    .collect();
                write_lines(&rows.join("\n"), indent, out);
            }
            Block::Rule => out.push_str("---"),
        }
    }
}

fn write_list(items: &[Item], indent: usize, out: &mut String) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        let mark = item.mark();
        out.push_str(&mark);
        out.push_str(item.tick());
        write_blocks(&item.blocks, indent + mark.len(), out, "\n");
    }
}

fn write_lines(text: &str, indent: usize, out: &mut String) {
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(&" ".repeat(indent));
            }
        }
        out.push_str(line);
    }
}
