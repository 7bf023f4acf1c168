//! Where text comes from that the user did not write. A rule may depend on it: `Bash after network, mcp`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where text comes from that the user did not write.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Another machine: a web page, the answer of a service, what `curl` prints.
    Network,
    /// A tool, a resource or a skill of an MCP server.
    Mcp,
    /// A file that version control does not have: a download, an installed package, an unpacked archive.
    Untracked,
}

impl Source {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Network, Self::Mcp, Self::Untracked];

    /// The name that rules, options and results use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Mcp => "mcp",
            Self::Untracked => "untracked",
        }
    }

    /// The source of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// The names of all of them, for errors.
    #[must_use]
    pub fn known() -> String {
        let names = Self::ALL.map(|source| format!("`{}`", source.name()));
        names.join(", ")
    }
}

/// A set of sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SourceSet(u8);

impl SourceSet {
    /// No source.
    pub const NONE: Self = Self(0);
    /// Every source.
    pub const ALL: Self = Self((1 << Source::ALL.len()) - 1);
    /// How many sets there are.
    pub const COUNT: usize = 1 << Source::ALL.len();

    /// The same with this source.
    #[must_use]
    pub const fn with(self, source: Source) -> Self {
        Self(self.0 | (1 << source as u8))
    }

    /// Whether there is none in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a source is in both.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every source of the other is in it.
    #[must_use]
    pub const fn has_all(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Its number among all sets.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Its sources.
    pub fn iter(self) -> impl Iterator<Item = Source> {
        let sources = Source::ALL.into_iter();
        sources.filter(move |source| self.meets(Self::NONE.with(*source)))
    }
}

impl FromIterator<Source> for SourceSet {
    fn from_iter<I: IntoIterator<Item = Source>>(sources: I) -> Self {
        sources.into_iter().fold(Self::NONE, Self::with)
    }
}

/// What stands between a rule and its condition.
pub(crate) const AFTER: &str = " after ";

/// The rule without its condition, and where the condition begins. Only what stands behind the specifier is one: a command
/// or a path may have the word in it.
pub(crate) fn without_condition(rule: &str) -> (&str, Option<usize>) {
    let start = rule.rfind(')').map_or(0, |end| end + 1);
    let (head, behind) = rule.split_at(start);
    match behind.split_once(AFTER) {
        Some((rest, _)) if !behind.contains('(') => {
            let end = head.len() + rest.len();
            (rule.get(..end).unwrap_or_default(), Some(end + AFTER.len()))
        }
        _ => (rule, None),
    }
}

/// The sources of a condition that begins at this byte of its rule.
///
/// # Errors
/// What is wrong with it and where: an empty name, an unknown one, one that stands there twice.
pub(crate) fn condition(text: &str, at: usize) -> Result<SourceSet, (usize, String)> {
    let mut sources = SourceSet::NONE;
    let mut place = at;
    for written in text.split(',') {
        let name = written.trim_matches(' ');
        let begins = place + (written.len() - written.trim_start_matches(' ').len());
        let Some(source) = Source::from_name(name) else {
            let what = if name.is_empty() {
                "names no source behind `after`".to_owned()
            } else {
                format!("names the unknown source `{name}`")
            };
            let known = Source::known();
            return Err((
                begins,
                format!("{what}. Known: {known}; write several as `after network, mcp`"),
            ));
        };
        let one = SourceSet::NONE.with(source);
        if sources.meets(one) {
            return Err((
                begins,
                format!("names the source `{name}` twice. Remove one of them"),
            ));
        }
        sources = sources.with(source);
        place += written.len() + 1;
    }
    Ok(sources)
}
