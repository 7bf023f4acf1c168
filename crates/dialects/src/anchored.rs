//! Reads and edits by anchors: the rows that take the place of the others where the host wants them.
//!
//! A read shows the anchor of each line in front of it, and an edit names lines by their anchors instead of by their text.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tenon_tools::{AnchoredPair, EditParams, InsertAt};

use crate::binding::{ParamsCodec, ToolBinding, WireParams};
use crate::issue::{Issue, IssueCode};
use crate::{DialectId, Field};

/// A row that has a form with anchors.
struct Anchored {
    dialect: DialectId,
    tool: &'static str,
    description: &'static str,
    /// The parameters; those of the row and the wish for anchors where there are none of its own.
    params: Option<ParamsCodec>,
}

const fn read(dialect: DialectId, tool: &'static str, description: &'static str) -> Anchored {
    Anchored {
        dialect,
        tool,
        description,
        params: None,
    }
}

const fn edit<P: WireParams>(
    dialect: DialectId,
    tool: &'static str,
    description: &'static str,
) -> Anchored {
    Anchored {
        dialect,
        tool,
        description,
        params: Some(ParamsCodec::typed::<P>()),
    }
}

const SINGLE: &str = include_str!("canonical/descriptions/Edit.anchors.md");
const SEVERAL: &str = include_str!("acp/descriptions/edit_file.anchors.md");

const TABLE: &[Anchored] = &[
    read(
        DialectId::Agent,
        "read",
        include_str!("agent/descriptions/read.anchors.md"),
    ),
    read(
        DialectId::Canonical,
        "Read",
        include_str!("canonical/descriptions/Read.anchors.md"),
    ),
    read(
        DialectId::Coder,
        "read",
        include_str!("coder/descriptions/read.anchors.md"),
    ),
    read(
        DialectId::Manager,
        "read_file",
        include_str!("manager/descriptions/read_file.anchors.md"),
    ),
    read(
        DialectId::Acp,
        "read_file",
        include_str!("acp/descriptions/read_file.anchors.md"),
    ),
    edit::<AgentAnchoredParams>(
        DialectId::Agent,
        "edit",
        include_str!("agent/descriptions/edit.anchors.md"),
    ),
    edit::<CanonicalAnchoredParams>(DialectId::Canonical, "Edit", SINGLE),
    edit::<CanonicalAnchoredParams>(DialectId::Coder, "edit", SINGLE),
    edit::<AcpAnchoredParams>(DialectId::Manager, "edit_file", SEVERAL),
    edit::<AcpAnchoredParams>(DialectId::Acp, "edit_file", SEVERAL),
];

/// The rows with anchors, by the address of the row that they take the place of. Made once.
static ROWS: LazyLock<Vec<(usize, ToolBinding)>> = LazyLock::new(|| {
    let row = |anchored: &Anchored| {
        let dialect = anchored.dialect.dialect();
        let mut added = dialect.extras();
        let own = dialect
            .tool(anchored.tool)
            .or_else(|| added.find(|row| row.name == anchored.tool))?;
        let row = ToolBinding {
            description: anchored.description,
            params: anchored.params.unwrap_or_else(|| with_anchors(own.params)),
            ..*own
        };
        Some((std::ptr::from_ref(own).addr(), row))
    };
    TABLE.iter().filter_map(row).collect()
});

fn with_anchors(params: ParamsCodec) -> ParamsCodec {
    match params {
        ParamsCodec::Fields(fields) => {
            let wish = Field::fixed("anchors", || Value::Bool(true));
            let fields = fields.iter().copied().chain([wish]);
            ParamsCodec::Fields(Vec::leak(fields.collect()))
        }
        typed @ ParamsCodec::Typed(_) => typed,
    }
}

impl ToolBinding {
    /// The form of a row that shows or takes anchors; the row itself where it has nothing to do with them.
    #[must_use]
    pub fn with_anchors(&'static self) -> &'static Self {
        let address = std::ptr::from_ref(self).addr();
        let mut rows = ROWS.iter();
        rows.find(|(of, _)| *of == address)
            .map_or(self, |(_, row)| row)
    }
}

/// Parameters of `edit` by anchors: a list of edits, or one by itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentAnchoredParams {
    /// File path, absolute or relative to the workspace.
    #[serde(rename = "file_path")]
    file_path: String,
    /// One or more edits.
    #[schemars(length(min = 1))]
    edits: Option<Vec<CamelPair>>,
    /// Single edit, instead of `edits`.
    from: Option<String>,
    /// Single edit: anchor of the last line.
    to: Option<String>,
    /// Single edit: whole lines; empty deletes.
    new_text: Option<String>,
    /// Single edit: insert instead of replacing.
    insert: Option<Insert>,
}

/// One edit by anchors.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CamelPair {
    /// Anchor of the first line.
    from: String,
    /// Anchor of the last line. Default: `from`.
    to: Option<String>,
    /// Whole lines; empty deletes.
    new_text: String,
    /// Insert before the first or after the last line, instead of replacing.
    insert: Option<Insert>,
}

/// Where new lines go.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Insert {
    Before,
    After,
}

impl From<Insert> for InsertAt {
    fn from(insert: Insert) -> Self {
        match insert {
            Insert::Before => Self::Before,
            Insert::After => Self::After,
        }
    }
}

impl From<CamelPair> for AnchoredPair {
    fn from(pair: CamelPair) -> Self {
        Self {
            from: pair.from,
            to: pair.to,
            new_text: pair.new_text,
            insert: pair.insert.map(Into::into),
        }
    }
}

fn by_anchors(path: String, edits: Vec<AnchoredPair>) -> EditParams {
    EditParams {
        path,
        edits: Vec::new(),
        anchored: Some(edits),
        insertions: None,
        replace_all: None,
    }
}

impl WireParams for AgentAnchoredParams {
    type Params = EditParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "file_path"),
        ("file", "file_path"),
        ("filename", "file_path"),
        ("anchor", "from"),
        ("start", "from"),
        ("end", "to"),
        ("new_string", "newText"),
        ("new_str", "newText"),
        ("edits[].anchor", "edits[].from"),
        ("edits[].start", "edits[].from"),
        ("edits[].end", "edits[].to"),
        ("edits[].new_string", "edits[].newText"),
        ("edits[].new_str", "edits[].newText"),
    ];
    const NAMES: &'static [(&'static str, &'static str)] =
        &[("path", "file_path"), ("new_text", "newText")];

    fn into_operation(self) -> Result<EditParams, Vec<Issue>> {
        let missing = |name: &str| {
            let message = format!(
                "`{name}` is required (string): give both `from` and `newText`, or `edits`."
            );
            vec![Issue::new(name, IssueCode::MissingRequired, message)]
        };
        let single = match (self.from, self.new_text) {
            (Some(from), Some(new_text)) => Some(CamelPair {
                from,
                to: self.to,
                new_text,
                insert: self.insert,
            }),
            (None, None) if self.to.is_none() && self.edits.is_some() => None,
            (None, _) => return Err(missing("from")),
            (Some(_), None) => return Err(missing("newText")),
        };
        let listed = self.edits.into_iter().flatten();
        let edits: Vec<AnchoredPair> = listed.chain(single).map(Into::into).collect();
        Ok(by_anchors(self.file_path, edits))
    }
}

/// Parameters of `Edit` by anchors.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalAnchoredParams {
    /// Absolute file path.
    file_path: String,
    /// Anchor of the first line.
    from: String,
    /// Anchor of the last line. Default: `from`.
    to: Option<String>,
    /// Whole lines; empty deletes.
    new_string: String,
    /// Insert before the first or after the last line, instead of replacing.
    insert: Option<Insert>,
}

impl WireParams for CanonicalAnchoredParams {
    type Params = EditParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "file_path"),
        ("file", "file_path"),
        ("filename", "file_path"),
        ("anchor", "from"),
        ("start", "from"),
        ("end", "to"),
        ("new_text", "new_string"),
        ("new_str", "new_string"),
    ];
    const NAMES: &'static [(&'static str, &'static str)] =
        &[("path", "file_path"), ("new_text", "new_string")];

    fn into_operation(self) -> Result<EditParams, Vec<Issue>> {
        let edit = AnchoredPair {
            from: self.from,
            to: self.to,
            new_text: self.new_string,
            insert: self.insert.map(Into::into),
        };
        Ok(by_anchors(self.file_path, vec![edit]))
    }
}

/// Parameters of `edit_file` by anchors.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcpAnchoredParams {
    /// File path, absolute or relative to the workspace.
    path: String,
    /// One or more edits.
    #[schemars(length(min = 1))]
    edits: Vec<CamelPair>,
}

impl WireParams for AcpAnchoredParams {
    type Params = EditParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("edits[].anchor", "edits[].from"),
        ("edits[].start", "edits[].from"),
        ("edits[].end", "edits[].to"),
        ("edits[].new_string", "edits[].newText"),
        ("edits[].new_str", "edits[].newText"),
        ("edits[].text", "edits[].newText"),
    ];
    const NAMES: &'static [(&'static str, &'static str)] =
        &[("path", "path"), ("new_text", "newText")];

    fn into_operation(self) -> Result<EditParams, Vec<Issue>> {
        let edits = self.edits.into_iter().map(Into::into).collect();
        Ok(by_anchors(self.path, edits))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(dialect: DialectId, tool: &str) -> &'static ToolBinding {
        let dialect = dialect.dialect();
        let mut added = dialect.extras();
        let own = dialect.tool(tool);
        own.or_else(|| added.find(|row| row.name == tool))
            .unwrap()
            .with_anchors()
    }

    #[test]
    fn every_vocabulary_reads_and_edits_by_anchors() {
        assert_eq!(ROWS.len(), TABLE.len());
        for entry in TABLE {
            let row = row(entry.dialect, entry.tool);
            assert_eq!(row.description, entry.description, "{}", entry.tool);
        }
        let write = DialectId::Agent.dialect().tool("write").unwrap();
        assert!(std::ptr::eq(write, write.with_anchors()));
    }

    #[test]
    fn a_read_wants_anchors_without_a_parameter_of_the_model() {
        for (dialect, tool, name) in [
            (DialectId::Agent, "read", "file_path"),
            (DialectId::Acp, "read_file", "path"),
        ] {
            let decoded = row(dialect, tool).decode(json!({ name: "a.txt" })).unwrap();
            assert_eq!(decoded.params.into_json()["anchors"], json!(true));
            let refused = row(dialect, tool).decode(json!({ name: "a.txt", "anchors": false }));
            assert!(refused.is_err());
        }
    }

    #[test]
    fn one_edit_or_several_are_decoded() {
        let one = json!({"from": "abk", "new_text": "x"});
        let expected = json!({"path": "a.txt", "edits": [], "anchored": [one]});
        let agent = |wire| row(DialectId::Agent, "edit").decode(wire);
        let single = json!({"file_path": "a.txt", "anchor": "abk", "new_string": "x"});
        let whole = |decoded: Result<crate::Decoded, Vec<Issue>>| {
            let mut params = decoded.unwrap().params.into_json();
            for edit in params["anchored"].as_array_mut().unwrap() {
                edit.as_object_mut()
                    .unwrap()
                    .retain(|_, value| !value.is_null());
            }
            params
        };
        assert_eq!(whole(agent(single)), expected);
        let several = json!({"file_path": "a.txt", "edits": [{"from": "abk", "newText": "x"}]});
        assert_eq!(whole(agent(several)), expected);
        for incomplete in [
            json!({"file_path": "a.txt"}),
            json!({"file_path": "a.txt", "to": "abk", "newText": "x"}),
        ] {
            assert_eq!(agent(incomplete).unwrap_err()[0].param, "from");
        }
        let edit = json!({"from": "abk", "to": "abm", "newText": "x", "insert": "after"});
        let acp = json!({"path": "a.txt", "edits": [edit]});
        let decoded = row(DialectId::Manager, "edit_file")
            .decode(acp)
            .unwrap()
            .params
            .into_json();
        let expected = json!([{"from": "abk", "to": "abm", "new_text": "x", "insert": "after"}]);
        assert_eq!(decoded["anchored"], expected);
        let old = json!({"file_path": "/a.txt", "old_string": "a", "new_string": "b"});
        assert!(row(DialectId::Coder, "edit").decode(old).is_err());
    }
}
