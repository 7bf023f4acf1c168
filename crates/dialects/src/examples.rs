//! Parameters that show how a tool is called, where a vocabulary has its tools bring such.

use serde_json::Value;

use crate::DialectId;

/// Tools and their examples, as JSON.
const EXAMPLES: &[(DialectId, &str, &[&str])] = &[
    (
        DialectId::Manager,
        "read_file",
        &[
            r#"{"path": "src/index.ts"}"#,
            r#"{"path": "src/index.ts", "offset": 201, "limit": 100}"#,
            r#"{"path": "logo.png", "encoding": "base64"}"#,
        ],
    ),
    (
        DialectId::Manager,
        "write_file",
        &[r#"{"path": "docs/notes.md", "content": "Notes\n"}"#],
    ),
    (
        DialectId::Manager,
        "search_files",
        &[
            r#"{"pattern": "**/*.ts"}"#,
            r#"{"pattern": "*.spec.ts", "directory": "src", "maxResults": 20}"#,
        ],
    ),
    (
        DialectId::Manager,
        "search_code",
        &[
            r#"{"query": "createServer", "files": ["src/**/*.ts"]}"#,
            r#"{"query": "export (async )?function \\w+", "regex": true}"#,
        ],
    ),
    (
        DialectId::Manager,
        "get_diagnostics",
        &[
            r#"{"file": "src/index.ts"}"#,
            r#"{"file": "src/index.ts", "type": "eslint"}"#,
        ],
    ),
    (
        DialectId::Manager,
        "run_tests",
        &[
            r#"{}"#,
            r#"{"scope": "file", "file": "src/index.test.ts"}"#,
            r#"{"coverage": true}"#,
        ],
    ),
    (DialectId::Manager, "git_status", &[r#"{}"#]),
];

impl DialectId {
    /// Parameters that show how the tool of this name is called; none where the vocabulary has no examples.
    #[must_use]
    pub fn examples(self, tool: &str) -> Vec<Value> {
        let of = |row: &&(Self, &str, &[&str])| row.0 == self && row.1 == tool;
        let found = EXAMPLES.iter().find(of);
        let texts = found.map(|(_, _, texts)| *texts).unwrap_or_default();
        texts
            .iter()
            .filter_map(|text| serde_json::from_str(text).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_a_call_that_the_tool_takes() {
        for (id, tool, texts) in EXAMPLES {
            let row = id.dialect().tool(tool).unwrap();
            let examples = id.examples(tool);
            assert_eq!(examples.len(), texts.len(), "{tool}");
            for example in examples {
                let decoded = row.decode(example.clone()).unwrap();
                assert_eq!(decoded.repairs, [], "{tool} {example}");
            }
        }
        let manager = DialectId::Manager;
        let tools = manager.dialect().tools.iter();
        let without: Vec<&str> = tools
            .map(|row| row.name)
            .filter(|name| manager.examples(name).is_empty())
            .collect();
        assert_eq!(without, Vec::<&str>::new());
    }
}
