//! Jupyter notebooks (nbformat 4): their cells, where each stands in the file, and as text.

mod cells;
mod text;

use serde_json::Value;

pub use self::text::as_text;

/// A notebook that was read.
#[derive(Debug)]
pub struct Notebook {
    /// The whole, without the cells.
    root: Value,
    /// In their order.
    pub cells: Vec<Cell>,
    /// Where the list of cells stands in the text, its brackets included.
    pub list: std::ops::Range<usize>,
}

/// One cell.
#[derive(Debug, Clone)]
pub struct Cell {
    /// As the file has it.
    pub value: Value,
    /// Where it stands in the text.
    pub range: std::ops::Range<usize>,
}

impl Notebook {
    /// Reads a notebook; a reason, without a full stop, when the text is not one.
    ///
    /// # Errors
    /// That reason.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut root: Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error})"))?;
        let Some(Value::Array(values)) = root
            .as_object_mut()
            .and_then(|root| root.shift_remove("cells"))
        else {
            return Err("it has no list of `cells` (notebooks of version 4 do)".to_owned());
        };
        let Some((list, ranges)) =
            cells::ranges(text).filter(|(_, found)| found.len() == values.len())
        else {
            return Err("several cells have the same id".to_owned());
        };
        let cells = values.into_iter().zip(ranges);
        Ok(Self {
            root,
            cells: cells.map(|(value, range)| Cell { value, range }).collect(),
            list,
        })
    }

    /// The language of its code cells.
    #[must_use]
    pub fn language(&self) -> &str {
        let metadata = self.root.get("metadata");
        let named = metadata
            .and_then(|metadata| metadata.get("language_info")?.get("name"))
            .or_else(|| metadata?.get("kernelspec")?.get("language"));
        named.and_then(Value::as_str).unwrap_or("python")
    }

    /// Whether cells have ids: from version 4.5 on they must.
    #[must_use]
    pub fn has_ids(&self) -> bool {
        let number = |name: &str| self.root.get(name).and_then(Value::as_u64).unwrap_or(0);
        (number("nbformat"), number("nbformat_minor")) >= (4, 5)
    }
}

impl Cell {
    /// What it is called, if it has an id.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.value.get("id").and_then(Value::as_str)
    }

    /// `code`, `markdown` or `raw`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.value
            .get("cell_type")
            .and_then(Value::as_str)
            .unwrap_or("raw")
    }

    /// Its text.
    #[must_use]
    pub fn source(&self) -> String {
        joined(self.value.get("source"))
    }
}

/// A text, which notebooks hold as one string or as a list of lines.
#[must_use]
pub fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

impl Notebook {
    /// What stands between two cells, without the comma.
    #[must_use]
    pub fn gap(&self, text: &str) -> String {
        let mut pairs = self.cells.iter().zip(self.cells.iter().skip(1));
        let between = pairs
            .next()
            .and_then(|(left, right)| text.get(left.range.end..right.range.start));
        between.unwrap_or_default().replace(',', "")
    }
}
