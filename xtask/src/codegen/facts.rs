//! What the generated files say about each tool, as plain data.

use super::schema::Schema;

/// One vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DialectFacts {
    /// As options name it.
    pub(crate) name: String,
    /// What it is, in a sentence.
    pub(crate) about: String,
    /// In the order in which they are shown.
    pub(crate) tools: Vec<ToolFacts>,
}

/// One tool of one vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolFacts {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The capability behind it.
    pub(crate) operation: String,
    pub(crate) category: String,
    pub(crate) group: String,
    /// From which level on it is exposed; 0 outside the levels.
    pub(crate) level: u8,
    pub(crate) hints: Hints,
    /// Spellings and the parameter each is taken for.
    pub(crate) aliases: Vec<(String, String)>,
    pub(crate) params: Schema,
    pub(crate) details: Schema,
}

/// What hosts receive about a call before it is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
    /// Whether a call may be repeated when its outcome is unknown.
    pub(crate) replay: bool,
}

impl DialectFacts {
    /// The prefix of its types: `canonical` gives `Canonical`.
    pub(crate) fn type_name(&self) -> String {
        pascal(&self.name)
    }
}

impl ToolFacts {
    /// `AgentRead`, to which `Params` or `Details` is added.
    pub(crate) fn type_name(&self, dialect: &DialectFacts) -> String {
        format!("{}{}", dialect.type_name(), pascal(&self.name))
    }

    /// The first sentence of the description.
    pub(crate) fn summary(&self) -> &str {
        let line = self.description.lines().next().unwrap_or_default();
        match line.find(". ") {
            Some(end) => line.get(..=end).unwrap_or(line),
            None => line,
        }
    }
}

/// `apply_patch` and `apply-patch` give `ApplyPatch`; `WebFetch` stays.
fn pascal(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_come_from_the_names_of_tools() {
        let names = ["read", "apply_patch", "WebFetch", "tool-2"].map(pascal);
        assert_eq!(names, ["Read", "ApplyPatch", "WebFetch", "Tool2"]);
    }
}
