//! Tables, charts and texts from JSON, without a script.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError, limits, parameter};

use crate::svg::{self, Chart, Series};

/// What a part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Paragraphs of plain text.
    Text,
    /// `columns` and `rows`.
    Table,
    /// `rows` of a name and a value.
    Facts,
    /// Bars: the first cell of a row is its label, the others are numbers.
    Bar,
    /// Lines, from the same form as bars.
    Line,
}

impl PartKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Table => "table",
            Self::Facts => "facts",
            Self::Bar => "bar",
            Self::Line => "line",
        }
    }
}

/// One part of a canvas that is described in JSON.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// `table`, `facts` (rows of name and value), `bar` and `line` (rows of a label and numbers), or `text`.
    pub kind: PartKind,
    /// Heading above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text of a `text`, plain; an empty line starts a paragraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Names of the columns. In charts the first is that of the labels, the others are the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Rows of cells: strings, numbers, booleans or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Vec<Value>>>,
}

/// The HTML of all parts, and what they show in words.
pub(crate) fn render(parts: &[Part]) -> Result<(String, String), ToolError> {
    if parts.len() > limits::CANVAS_PARTS_MAX {
        let message = format!(
            "{} has {} entries; the limit is {}.",
            parameter("parts"),
            parts.len(),
            limits::CANVAS_PARTS_MAX
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message));
    }
    let (mut html, mut words) = (String::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let place = Place { index, part };
        let (body, said) = place.render()?;
        html.push_str("<section class=\"tenon-part\">");
        if let Some(title) = part.title.as_deref().filter(|title| !title.is_empty()) {
            html.push_str(&format!("<h2>{}</h2>", escaped(title)));
        }
        html.push_str(&body);
        html.push_str("</section>\n");
        let title = part
            .title
            .as_deref()
            .map(|title| format!(" \"{title}\""))
            .unwrap_or_default();
        words.push(format!("{}{title}{said}", part.kind.name()));
    }
    Ok((html, words.join("; ")))
}

struct Place<'p> {
    index: usize,
    part: &'p Part,
}

impl Place<'_> {
    fn wrong(&self, problem: &str) -> ToolError {
        let message = format!(
            "{}: entry {} (`{}`) {problem}.",
            parameter("parts"),
            self.index + 1,
            self.part.kind.name()
        );
        ToolError::new(ErrorCode::InvalidParams, message)
    }

    fn render(&self) -> Result<(String, String), ToolError> {
        if self.part.kind == PartKind::Text {
            return self.text();
        }
        if self.part.text.is_some() {
            return Err(self.wrong("takes `rows`, not `text`"));
        }
        let rows = self.part.rows.as_deref().filter(|rows| !rows.is_empty());
        let rows = rows.ok_or_else(|| self.wrong("needs `rows`"))?;
        if rows.len() > limits::CANVAS_ROWS_MAX {
            let problem = format!(
                "has {} rows; the limit is {}",
                rows.len(),
                limits::CANVAS_ROWS_MAX
            );
            return Err(self.wrong(&problem));
        }
        let width = rows.iter().map(Vec::len).max().unwrap_or_default();
        let columns = self.part.columns.as_deref().unwrap_or_default();
        if width.max(columns.len()) > limits::CANVAS_COLUMNS_MAX {
            let problem = format!(
                "has {} columns; the limit is {}",
                width.max(columns.len()),
                limits::CANVAS_COLUMNS_MAX
            );
            return Err(self.wrong(&problem));
        }
        for (number, row) in rows.iter().enumerate() {
            if row.is_empty() || (!columns.is_empty() && row.len() != columns.len()) {
                let problem = format!(
                    "has {} cells in row {}, but {} columns",
                    row.len(),
                    number + 1,
                    columns.len().max(1)
                );
                return Err(self.wrong(&problem));
            }
            if row.iter().any(|cell| cell.is_array() || cell.is_object()) {
                let problem = format!(
                    "has a list or an object in row {}. Cells are strings, numbers, booleans or null",
                    number + 1
                );
                return Err(self.wrong(&problem));
            }
        }
        match self.part.kind {
            PartKind::Facts => self.facts(rows),
            PartKind::Bar | PartKind::Line => self.chart(columns, rows),
            PartKind::Table | PartKind::Text => Ok(table(columns, rows)),
        }
    }

    fn text(&self) -> Result<(String, String), ToolError> {
        let text = self
            .part
            .text
            .as_deref()
            .ok_or_else(|| self.wrong("needs `text`"))?;
        if self.part.rows.is_some() || self.part.columns.is_some() {
            return Err(self.wrong("takes `text`, not `rows` or `columns`"));
        }
        let text = text.replace("\r\n", "\n");
        let paragraphs = text
            .split("\n\n")
            .filter(|paragraph| !paragraph.trim().is_empty());
        let html = paragraphs
            .map(|paragraph| format!("<p>{}</p>", escaped(paragraph.trim()).replace('\n', "<br>")));
        Ok((
            html.collect(),
            format!(" of {} characters", text.chars().count()),
        ))
    }

    fn facts(&self, rows: &[Vec<Value>]) -> Result<(String, String), ToolError> {
        let mut html = "<dl class=\"tenon-facts\">".to_owned();
        let mut said = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let [name, value] = row.as_slice() else {
                let problem = format!(
                    "has {} cells in row {}. A row is a name and a value",
                    row.len(),
                    number + 1
                );
                return Err(self.wrong(&problem));
            };
            let (name, value) = (cell(name), cell(value));
            html.push_str(&format!(
                "<div><dt>{}</dt><dd>{}</dd></div>",
                escaped(&name),
                escaped(&value)
            ));
            if said.len() < 5 {
                said.push(format!("{name}: {value}"));
            }
        }
        html.push_str("</dl>");
        Ok((html, format!(" ({})", said.join(", "))))
    }

    fn chart(
        &self,
        columns: &[String],
        rows: &[Vec<Value>],
    ) -> Result<(String, String), ToolError> {
        let width = rows.first().map(Vec::len).unwrap_or_default();
        if width < 2 || rows.iter().any(|row| row.len() != width) {
            return Err(
                self.wrong("needs rows of the same length: a label and at least one number")
            );
        }
        let labels: Vec<String> = rows
            .iter()
            .filter_map(|row| row.first())
            .map(cell)
            .collect();
        let mut series = Vec::new();
        for column in 1..width {
            let mut values = Vec::new();
            for (number, row) in rows.iter().enumerate() {
                values.push(match row.get(column) {
                    Some(Value::Number(value)) => value.as_f64().filter(|value| value.is_finite()),
                    Some(Value::Null) | None => None,
                    Some(_) => {
                        let problem = format!(
                            "has something other than a number in row {}, cell {}",
                            number + 1,
                            column + 1
                        );
                        return Err(self.wrong(&problem));
                    }
                });
            }
            let name = columns.get(column).cloned().unwrap_or_default();
            series.push(Series { name, values });
        }
        let chart = Chart {
            title: self.part.title.clone().unwrap_or_default(),
            labels,
            series,
        };
        let points = chart.labels.len();
        let range = chart.range();
        let html = if self.part.kind == PartKind::Bar {
            svg::bars(&chart)
        } else {
            svg::lines(&chart)
        };
        let said = format!(
            " of {points} {}, {} series, {} to {}",
            if points == 1 { "label" } else { "labels" },
            width - 1,
            svg::number(range.0),
            svg::number(range.1)
        );
        Ok((html, said))
    }
}

fn table(columns: &[String], rows: &[Vec<Value>]) -> (String, String) {
    let mut html = "<div class=\"tenon-scroll\"><table>".to_owned();
    if !columns.is_empty() {
        html.push_str("<thead><tr>");
        for column in columns {
            html.push_str(&format!("<th scope=\"col\">{}</th>", escaped(column)));
        }
        html.push_str("</tr></thead>");
    }
    html.push_str("<tbody>");
    for row in rows {
        html.push_str("<tr>");
        for value in row {
            let class = if value.is_number() {
                " class=\"tenon-number\""
            } else {
                ""
            };
            html.push_str(&format!("<td{class}>{}</td>", escaped(&cell(value))));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    let names = if columns.is_empty() {
        String::new()
    } else {
        format!(" ({})", columns.join(", "))
    };
    let count = rows.len();
    let noun = if count == 1 { "row" } else { "rows" };
    (html, format!("{names} of {count} {noun}"))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text in HTML, in elements and in quoted attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter => html.push(letter),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(parts: Value) -> Result<(String, String), String> {
        let parts: Vec<Part> = serde_json::from_value(parts).unwrap();
        render(&parts).map_err(|error| error.message)
    }

    #[test]
    fn parts_become_html_in_which_no_cell_is_markup() {
        let (html, said) = shown(json!([
            { "kind": "text", "title": "A & B", "text": "one\n\n<b>two</b>" },
            { "kind": "table", "columns": ["a", "b"], "rows": [["<script>", 1], [null, true]] },
            { "kind": "facts", "rows": [["State", "done"], ["Took", 3.5]] },
        ]))
        .unwrap();
        assert_eq!(
            html,
            "<section class=\"tenon-part\"><h2>A &amp; B</h2><p>one</p><p>&lt;b&gt;two&lt;/b&gt;</p></section>\n\
             <section class=\"tenon-part\"><div class=\"tenon-scroll\"><table><thead><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr></thead><tbody><tr><td>&lt;script&gt;</td><td class=\"tenon-number\">1</td></tr><tr><td>–</td><td>true</td></tr></tbody></table></div></section>\n\
             <section class=\"tenon-part\"><dl class=\"tenon-facts\"><div><dt>State</dt><dd>done</dd></div><div><dt>Took</dt><dd>3.5</dd></div></dl></section>\n"
        );
        assert_eq!(
            said,
            "text \"A & B\" of 15 characters; table (a, b) of 2 rows; facts (State: done, Took: 3.5)"
        );
    }

    #[test]
    fn a_chart_says_its_range_and_its_values() {
        let (html, said) = shown(json!([{ "kind": "bar", "title": "Sales", "columns": ["month", "2025", "2026"], "rows": [["Jan", 3, 4.5], ["<Feb>", -1, null]] }])).unwrap();
        assert_eq!(said, "bar \"Sales\" of 2 labels, 2 series, -1 to 4.5");
        assert!(
            html.contains("<title>2026, Jan: 4.5</title>")
                && html.contains("&lt;Feb&gt;")
                && !html.contains("<Feb>"),
            "{html}"
        );
        assert!(html.matches("<rect class=\"s").count() >= 3);
        let (html, _) =
            shown(json!([{ "kind": "line", "rows": [["a", 1], ["b", null], ["c", 2], ["d", 3]] }]))
                .unwrap();
        assert_eq!(html.matches("<polyline").count(), 2, "{html}");
    }

    #[test]
    fn a_part_that_cannot_be_shown_is_named() {
        for (part, problem) in [
            (
                json!({ "kind": "table" }),
                "entry 1 (`table`) needs `rows`.",
            ),
            (json!({ "kind": "text" }), "entry 1 (`text`) needs `text`."),
            (
                json!({ "kind": "text", "text": "", "rows": [] }),
                "takes `text`, not `rows` or `columns`.",
            ),
            (
                json!({ "kind": "table", "columns": ["a"], "rows": [[1, 2]] }),
                "has 2 cells in row 1, but 1 columns.",
            ),
            (
                json!({ "kind": "table", "rows": [[[]]] }),
                "has a list or an object in row 1. Cells are strings, numbers, booleans or null.",
            ),
            (
                json!({ "kind": "facts", "rows": [["a"]] }),
                "has 1 cells in row 1. A row is a name and a value.",
            ),
            (
                json!({ "kind": "bar", "rows": [["a", "b"]] }),
                "has something other than a number in row 1, cell 2.",
            ),
            (
                json!({ "kind": "bar", "rows": [["a"]] }),
                "needs rows of the same length: a label and at least one number.",
            ),
            (
                json!({ "kind": "table", "rows": vec![[1]; 1_001] }),
                "has 1001 rows; the limit is 1000.",
            ),
            (
                json!({ "kind": "table", "rows": [vec![1; 31]] }),
                "has 31 columns; the limit is 30.",
            ),
        ] {
            let message = shown(json!([part])).unwrap_err();
            assert!(message.ends_with(problem), "{message}");
        }
    }
}
