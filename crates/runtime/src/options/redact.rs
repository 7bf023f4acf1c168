//! What is taken out of results.

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::{ErrorCode, ToolError};
use tenon_secrets::Pattern;

/// Whether secrets are taken out of results.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RedactOption {
    /// Whether they are.
    Is(bool),
    /// They are, like this.
    Options(RedactOptions),
}

/// How secrets are taken out of results.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RedactOptions {
    /// More of what must not be shown.
    #[serde(default)]
    pub patterns: Vec<RedactPattern>,
    /// What is shown of files of variables (`.env`, `.env.local`, `prod.env`): `names`, or `values` as well. A rule that
    /// allows to read such a file by its name (`Read(.env)`) shows its values too. Default: `names`.
    pub variables: Option<VariablesShown>,
}

/// What is shown of files of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VariablesShown {
    /// Names, and values that say nothing of a secret: switches and short numbers.
    Names,
    /// Values as well, but for those that are secrets in any file.
    Values,
}

/// Something that must not be shown.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RedactPattern {
    /// What it is called in its place: `[redacted: NAME, 12 characters]`.
    pub name: String,
    /// What it looks like, as a regular expression; its first group, if it has one, else all of it.
    pub pattern: String,
}

impl RedactOption {
    /// What holds; nothing where nothing is taken out.
    pub(crate) fn settings(option: Option<&Self>) -> Option<RedactOptions> {
        match option {
            None | Some(Self::Is(true)) => Some(RedactOptions::default()),
            Some(Self::Is(false)) => None,
            Some(Self::Options(options)) => Some(options.clone()),
        }
    }
}

impl RedactOptions {
    /// The patterns, ready for use.
    ///
    /// # Errors
    /// A pattern that is no regular expression or matches nothing at all, and a name that would not fit a mark.
    pub(crate) fn compiled(&self) -> Result<Vec<Pattern>, ToolError> {
        let compile = |(at, RedactPattern { name, pattern }): (usize, &RedactPattern)| {
            let wrong = |member: &str, what: String| {
                let option = format!("options.redact.patterns[{at}].{member}");
                ToolError::new(ErrorCode::InvalidParams, what).with("option", option)
            };
            if name.trim().is_empty() || name.contains([']', '\n', ',']) || name.len() > 60 {
                let what = format!(
                    "`redact.patterns[{at}].name` must be 1 to 60 characters without `]`, `,` and line ends."
                );
                return Err(wrong("name", what));
            }
            let expression = Regex::new(pattern).map_err(|error| {
                let what = format!(
                    "`redact.patterns[{at}].pattern` is not a regular expression: {error}."
                );
                wrong("pattern", what)
            })?;
            if expression.is_match("") {
                let what = format!(
                    "`redact.patterns[{at}].pattern` matches the empty string. Require at least one character."
                );
                return Err(wrong("pattern", what));
            }
            Ok(Pattern {
                name: name.clone(),
                expression,
            })
        };
        self.patterns.iter().enumerate().map(compile).collect()
    }
}
