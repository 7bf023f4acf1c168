//! A notebook as a model reads it.

use std::ops::RangeInclusive;

use serde_json::Value;
use tenon_contract::counted;

use super::{Cell, Notebook, joined};

/// Most lines and bytes of the outputs of one cell that are shown.
const OUTPUT_LINES: usize = 100;
const OUTPUT_BYTES: usize = 10 * 1024;

/// The cells of `range`, counted from 1, with their text outputs. `plain` takes the colours of terminals out of a text.
#[must_use]
pub fn as_text(
    notebook: &Notebook,
    range: &RangeInclusive<usize>,
    plain: fn(&str) -> String,
) -> String {
    let cells = counted(notebook.cells.len() as u64, "cell", "cells");
    let mut text = format!("Notebook of {cells}, language {}.\n", notebook.language());
    for (index, cell) in notebook.cells.iter().enumerate() {
        if range.contains(&(index + 1)) {
            text.push_str(&format!("\n{}\n", heading(index, cell)));
            push_lines(&mut text, &cell.source());
            push_outputs(&mut text, cell, plain);
        }
    }
    text
}

/// `[cell 3 of …: code, id abc]`. The number counts from 1, the name is what edits take.
fn heading(index: usize, cell: &Cell) -> String {
    let id = cell
        .id()
        .map_or_else(|| format!("cell-{index}"), str::to_owned);
    let run = cell
        .value
        .get("execution_count")
        .and_then(Value::as_u64)
        .map_or_else(String::new, |count| format!(", run {count}"));
    format!("[cell {}: {}, id {id}{run}]", index + 1, cell.kind())
}

fn push_lines(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        text.push('\n');
    }
}

fn push_outputs(text: &mut String, cell: &Cell, plain: fn(&str) -> String) {
    let outputs = cell.value.get("outputs").and_then(Value::as_array);
    let Some(outputs) = outputs.filter(|outputs| !outputs.is_empty()) else {
        return;
    };
    text.push_str("[output]\n");
    let mut bytes = 0;
    for (count, line) in outputs
        .iter()
        .flat_map(|output| output_lines(output, plain))
        .enumerate()
    {
        bytes += line.len() + 1;
        if count >= OUTPUT_LINES || bytes > OUTPUT_BYTES {
            text.push_str("[the rest of the output is omitted]\n");
            return;
        }
        text.push_str(&line);
        text.push('\n');
    }
}

/// The lines of one output; what is no text is named by its type and size.
fn output_lines(output: &Value, plain: fn(&str) -> String) -> Vec<String> {
    let kind = output.get("output_type").and_then(Value::as_str);
    let text = match kind {
        Some("stream") => joined(output.get("text")),
        Some("error") => match joined(output.get("traceback")) {
            traceback if traceback.is_empty() => format!(
                "{}: {}",
                joined(output.get("ename")),
                joined(output.get("evalue"))
            ),
            _ => output
                .get("traceback")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join("\n"),
        },
        _ => return data_lines(output.get("data"), plain),
    };
    plain_lines(&text, plain)
}

/// Of the forms of one result, the plain one; and the others by name where they are no text.
fn data_lines(data: Option<&Value>, plain: fn(&str) -> String) -> Vec<String> {
    let Some(Value::Object(forms)) = data else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for (kind, form) in forms {
        if !kind.starts_with("text/") && kind != "application/json" {
            let size = written(form).len();
            lines.push(format!("[{kind}, {size} bytes as stored]"));
        }
    }
    let mut kinds = [
        "text/plain",
        "text/markdown",
        "text/latex",
        "text/html",
        "application/json",
    ]
    .into_iter();
    if let Some(form) = kinds.find_map(|kind| forms.get(kind)) {
        lines.extend(plain_lines(&written(form), plain));
    }
    lines
}

/// A form of a result, which is text, lines of text, or a value of JSON.
fn written(form: &Value) -> String {
    let is_lines = match form {
        Value::String(_) => true,
        Value::Array(items) => items.iter().all(Value::is_string),
        _ => false,
    };
    if is_lines {
        joined(Some(form))
    } else {
        form.to_string()
    }
}

/// Lines without the colours of terminals.
fn plain_lines(text: &str, plain: fn(&str) -> String) -> Vec<String> {
    plain(text).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_that_is_only_json_is_shown_and_the_size_of_others_is_true() {
        let lines = |data: Value| data_lines(Some(&data), str::to_owned);
        assert_eq!(
            lines(json!({"application/json": {"a": [1, 2]}})),
            ["{\"a\":[1,2]}"]
        );
        assert_eq!(
            lines(json!({"application/json": {"a": 1}, "text/plain": ["<JSON\n", "object>"]})),
            ["<JSON", "object>"]
        );
        assert_eq!(
            lines(json!({"application/vnd.a+json": {"a": 1}, "image/png": "QUJD"})),
            [
                "[application/vnd.a+json, 7 bytes as stored]",
                "[image/png, 4 bytes as stored]"
            ]
        );
    }
}
