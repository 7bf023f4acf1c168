//! Tables, charts and texts from JSON, without a script.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolError, limits, parameter};

use crate::svg::{self, Chart, Series};

/// What a part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Plain text, `text`.
    Text,
    /// The rows as a table.
    Table,
    /// Every name and value of the rows.
    Facts,
    /// Bars: the first column labels them, the others are numbers.
    Bar,
    /// Lines, from the same rows as bars.
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
    /// What it shows.
    pub kind: PartKind,
    /// Heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Plain text; an empty line starts a paragraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Columns of the rows to show, in order. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Rows such as `{"month": "Jan", "sold": 3}`; values are strings, numbers, booleans or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Map<String, Value>>>,
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
        for (number, row) in rows.iter().enumerate() {
            if row
                .values()
                .any(|value| value.is_array() || value.is_object())
            {
                let problem = format!(
                    "has a list or an object in row {}. Values are strings, numbers, booleans or null",
                    number + 1
                );
                return Err(self.wrong(&problem));
            }
        }
        let columns = self.columns(rows)?;
        match self.part.kind {
            PartKind::Facts => Ok(facts(&columns, rows)),
            PartKind::Bar | PartKind::Line => self.chart(&columns, rows),
            PartKind::Table | PartKind::Text => Ok(table(&columns, rows)),
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

    /// The columns that are shown: those that are named, else all in the order in which they first occur.
    fn columns(&self, rows: &[Map<String, Value>]) -> Result<Vec<String>, ToolError> {
        let mut columns: Vec<String> = Vec::new();
        match self
            .part
            .columns
            .as_deref()
            .filter(|columns| !columns.is_empty())
        {
            Some(named) => {
                let is_known = |name: &String| rows.iter().any(|row| row.contains_key(name));
                if let Some(unknown) = named.iter().find(|name| !is_known(name)) {
                    let unknown: String = unknown.chars().take(60).collect();
                    return Err(
                        self.wrong(&format!("names the column `{unknown}`, which no row has"))
                    );
                }
                columns.extend_from_slice(named);
            }
            None => {
                for name in rows.iter().flat_map(Map::keys) {
                    // Not longer than it takes to see that there are too many.
                    if columns.len() <= limits::CANVAS_COLUMNS_MAX && !columns.contains(name) {
                        columns.push(name.clone());
                    }
                }
            }
        }
        if columns.is_empty() {
            return Err(self.wrong("has rows without values"));
        }
        if columns.len() > limits::CANVAS_COLUMNS_MAX {
            let problem = format!("has more than {} columns", limits::CANVAS_COLUMNS_MAX);
            return Err(self.wrong(&problem));
        }
        Ok(columns)
    }

    fn chart(
        &self,
        columns: &[String],
        rows: &[Map<String, Value>],
    ) -> Result<(String, String), ToolError> {
        let Some((label, numbers)) = columns
            .split_first()
            .filter(|(_, numbers)| !numbers.is_empty())
        else {
            return Err(self.wrong("needs a column of labels and at least one of numbers"));
        };
        let labels = rows.iter().map(|row| cell(row.get(label))).collect();
        let mut series = Vec::new();
        for name in numbers {
            let mut values = Vec::new();
            for (number, row) in rows.iter().enumerate() {
                values.push(match row.get(name) {
                    Some(Value::Number(value)) => value.as_f64().filter(|value| value.is_finite()),
                    Some(Value::Null) | None => None,
                    Some(_) => {
                        let problem = format!(
                            "has something other than a number in row {}, column `{name}`",
                            number + 1
                        );
                        return Err(self.wrong(&problem));
                    }
                });
            }
            series.push(Series {
                name: name.clone(),
                values,
            });
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
            numbers.len(),
            svg::number(range.0),
            svg::number(range.1)
        );
        Ok((html, said))
    }
}

/// Every name with its value.
fn facts(columns: &[String], rows: &[Map<String, Value>]) -> (String, String) {
    let mut html = "<dl class=\"tenon-facts\">".to_owned();
    let mut said = Vec::new();
    for row in rows {
        for (name, value) in columns.iter().filter_map(|name| row.get_key_value(name)) {
            let value = cell(Some(value));
            html.push_str(&format!(
                "<div><dt>{}</dt><dd>{}</dd></div>",
                escaped(name),
                escaped(&value)
            ));
            if said.len() < 5 {
                said.push(format!("{name}: {value}"));
            }
        }
    }
    html.push_str("</dl>");
    (html, format!(" ({})", said.join(", ")))
}

fn table(columns: &[String], rows: &[Map<String, Value>]) -> (String, String) {
    let mut html = "<div class=\"tenon-scroll\"><table><thead><tr>".to_owned();
    let is_number = |name: &String| {
        rows.iter().all(|row| {
            row.get(name)
                .is_none_or(|value| value.is_number() || value.is_null())
        })
    };
    let classes: Vec<&str> = columns
        .iter()
        .map(|name| {
            if is_number(name) {
                " class=\"tenon-number\""
            } else {
                ""
            }
        })
        .collect();
    for (column, class) in columns.iter().zip(&classes) {
        html.push_str(&format!(
            "<th scope=\"col\"{class}>{}</th>",
            escaped(column)
        ));
    }
    html.push_str("</tr></thead><tbody>");
    for row in rows {
        html.push_str("<tr>");
        for (column, class) in columns.iter().zip(&classes) {
            html.push_str(&format!(
                "<td{class}>{}</td>",
                escaped(&cell(row.get(column)))
            ));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    let count = rows.len();
    let noun = if count == 1 { "row" } else { "rows" };
    (html, format!(" ({}) of {count} {noun}", columns.join(", ")))
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
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
            { "kind": "table", "rows": [{ "a": "<script>", "b": 1 }, { "b": 2.5, "<c>": true }] },
            { "kind": "facts", "rows": [{ "State": "done", "Took": 3.5 }] },
        ]))
        .unwrap();
        let th = "<th scope=\"col\"";
        let number = " class=\"tenon-number\"";
        assert_eq!(
            html,
            format!(
                "<section class=\"tenon-part\"><h2>A &amp; B</h2><p>one</p><p>&lt;b&gt;two&lt;/b&gt;</p></section>\n\
                 <section class=\"tenon-part\"><div class=\"tenon-scroll\"><table><thead><tr>{th}>a</th>{th}{number}>b</th>{th}>&lt;c&gt;</th></tr></thead><tbody>\
                 <tr><td>&lt;script&gt;</td><td{number}>1</td><td>–</td></tr><tr><td>–</td><td{number}>2.5</td><td>true</td></tr></tbody></table></div></section>\n\
                 <section class=\"tenon-part\"><dl class=\"tenon-facts\"><div><dt>State</dt><dd>done</dd></div><div><dt>Took</dt><dd>3.5</dd></div></dl></section>\n"
            )
        );
        assert_eq!(
            said,
            "text \"A & B\" of 15 characters; table (a, b, <c>) of 2 rows; facts (State: done, Took: 3.5)"
        );
    }

    #[test]
    fn a_chart_says_its_range_and_its_values() {
        let rows = json!([{ "month": "Jan", "2025": 3, "2026": 4.5 }, { "month": "<Feb>", "2025": -1, "2026": null }]);
        let (html, said) = shown(json!([{ "kind": "bar", "title": "Sales", "columns": ["month", "2025", "2026"], "rows": rows }])).unwrap();
        assert_eq!(said, "bar \"Sales\" of 2 labels, 2 series, -1 to 4.5");
        assert!(
            html.contains("<title>2026, Jan: 4.5</title>")
                && html.contains("&lt;Feb&gt;")
                && !html.contains("<Feb>"),
            "{html}"
        );
        assert_eq!(html.matches("<rect class=\"s").count(), 3, "{html}");
        let rows =
            json!([{ "l": "a", "n": 1 }, { "l": "b" }, { "l": "c", "n": 2 }, { "l": "d", "n": 3 }]);
        let (html, _) = shown(json!([{ "kind": "line", "rows": rows }])).unwrap();
        assert_eq!(html.matches("<polyline").count(), 2, "{html}");
    }

    #[test]
    fn a_part_that_cannot_be_shown_is_named() {
        let wide: Map<String, Value> = (0..31)
            .map(|number| (number.to_string(), json!(1)))
            .collect();
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
                json!({ "kind": "bar", "text": "", "rows": [] }),
                "takes `rows`, not `text`.",
            ),
            (
                json!({ "kind": "table", "columns": ["a", "b"], "rows": [{ "a": 1 }] }),
                "names the column `b`, which no row has.",
            ),
            (
                json!({ "kind": "table", "rows": [{}] }),
                "has rows without values.",
            ),
            (
                json!({ "kind": "table", "rows": [{ "a": [] }] }),
                "has a list or an object in row 1. Values are strings, numbers, booleans or null.",
            ),
            (
                json!({ "kind": "bar", "rows": [{ "a": "a", "b": "b" }] }),
                "has something other than a number in row 1, column `b`.",
            ),
            (
                json!({ "kind": "bar", "rows": [{ "a": "a" }] }),
                "needs a column of labels and at least one of numbers.",
            ),
            (
                json!({ "kind": "table", "rows": vec![json!({ "a": 1 }); 1_001] }),
                "has 1001 rows; the limit is 1000.",
            ),
            (
                json!({ "kind": "table", "rows": [wide] }),
                "has more than 30 columns.",
            ),
        ] {
            let message = shown(json!([part])).unwrap_err();
            assert!(message.ends_with(problem), "{message}");
        }
    }
}
