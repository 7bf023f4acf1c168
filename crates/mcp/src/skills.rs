//! Skills that a server offers (SEP-2640): listed, loaded when they are needed, and taken only as they were listed.
//!
//! An entry of the list names the files of its skill with their digests and sizes, and repeats the front matter of its
//! `SKILL.md`. Nothing is read before somebody loads it, and what differs from its entry is not used.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{ResourceContents, Skill, SkillResource, SkillResources};
use serde_json::{Map, Value, json};
use tenon_contract::{ErrorCode, ToolError};
use tenon_state::SkillText;

use crate::error::{failed, words};

/// Most files of skills of one server whose digests are known at a time.
const FILES_MAX: usize = 20_000;

/// The files of the skills that a server has listed, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct SkillFiles(Mutex<HashMap<String, SkillResource>>);

impl SkillFiles {
    fn known(&self) -> MutexGuard<'_, HashMap<String, SkillResource>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The skills of a list that keep the rules of the extension, and a sentence about each other one.
    pub(crate) fn learn(&self, entries: &Value) -> (Vec<Skill>, Vec<String>) {
        let (mut skills, mut remarks) = (Vec::new(), Vec::new());
        let given = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        for entry in given {
            let read = serde_json::from_value::<Skill>(entry.clone()).map_err(|e| e.to_string());
            match read.and_then(|skill| skill.validate().map(|()| skill).map_err(|e| e.to_string()))
            {
                Ok(skill) => skills.push(skill),
                Err(problem) => remarks.push(format!("A skill was skipped: {}", words(&problem))),
            }
        }
        let mut known = self.known();
        for skill in &skills {
            let SkillResources::Files(files) = &skill.resources else {
                continue;
            };
            for file in files {
                if known.len() < FILES_MAX || known.contains_key(&file.uri) {
                    known.insert(file.uri.clone(), file.clone());
                }
            }
        }
        (skills, remarks)
    }

    /// Whether what was read is what its entry says, for files of skills.
    ///
    /// # Errors
    /// Names the file whose size or digest differs.
    pub(crate) fn verify(
        &self,
        server: &str,
        contents: &[ResourceContents],
    ) -> Result<(), ToolError> {
        for content in contents {
            let (ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. }) = content
            else {
                continue;
            };
            let Some(file) = self.known().get(uri).cloned() else {
                continue;
            };
            let bytes =
                bytes_of(content).ok_or_else(|| changed(server, uri, "it is not base64"))?;
            let verified = file.verify(&bytes);
            verified.map_err(|error| changed(server, uri, &error.to_string()))?;
        }
        Ok(())
    }
}

/// The bytes of a file, as the server has sent them.
fn bytes_of(content: &ResourceContents) -> Option<Vec<u8>> {
    match content {
        ResourceContents::TextResourceContents { text, .. } => Some(text.clone().into_bytes()),
        ResourceContents::BlobResourceContents { blob, .. } => STANDARD.decode(blob).ok(),
        _ => None,
    }
}

fn changed(server: &str, uri: &str, problem: &str) -> ToolError {
    let message = format!(
        "The file `{}` of the MCP server `{server}` is not what its skill was listed with ({}), so it is not used. Ask the user to look at the server.",
        words(uri),
        words(problem)
    );
    failed(server, ErrorCode::HandlerFailed, message)
        .with("uri", uri)
        .with("integrity", true)
}

/// The text of a `SKILL.md` that was verified, as `{name, uri, content, files}`.
///
/// # Errors
/// Where its front matter is another one than that of its entry.
pub(crate) fn loaded(
    server: &str,
    skill: &Skill,
    contents: &[ResourceContents],
) -> Result<Value, ToolError> {
    let own = contents.iter().find_map(|content| match content {
        ResourceContents::TextResourceContents { uri, text, .. } if *uri == skill.uri => Some(text),
        _ => None,
    });
    let Some(content) = own else {
        return Err(changed(server, &skill.uri, "it has no text"));
    };
    let listed = serde_json::to_value(&skill.frontmatter).unwrap_or_default();
    let front_matter = SkillText::front_matter(content).unwrap_or_default();
    if let Some(field) = difference(listed.as_object(), &front_matter) {
        let problem = format!("the field `{field}` of its front matter differs");
        return Err(changed(server, &skill.uri, &problem));
    }
    let files: Vec<&str> = match &skill.resources {
        SkillResources::Files(files) => files.iter().map(|file| file.uri.as_str()).collect(),
        _ => Vec::new(),
    };
    Ok(json!({ "name": skill.name(), "uri": skill.uri, "content": content, "files": files }))
}

/// The first field that is not the same in both.
fn difference(listed: Option<&Map<String, Value>>, own: &Map<String, Value>) -> Option<String> {
    let none = Map::new();
    let listed = listed.unwrap_or(&none);
    let names = listed.keys().chain(own.keys());
    let mut other = names.filter(|name| listed.get(*name) != own.get(*name));
    other.next().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: pdf\ndescription: Fills forms.\nversion: 2\n---\n# How\n";
    const URI: &str = "skill://pdf/SKILL.md";

    fn entry(text: &str, front_matter: &Value) -> Value {
        let file = SkillResource::from_bytes(URI, text.as_bytes());
        json!([{ "uri": URI, "frontmatter": front_matter, "resources": [file] }])
    }

    fn front_matter() -> Value {
        json!({ "name": "pdf", "description": "Fills forms.", "version": 2 })
    }

    #[test]
    fn a_skill_is_loaded_as_it_was_listed() {
        let files = SkillFiles::default();
        let (skills, remarks) = files.learn(&entry(TEXT, &front_matter()));
        assert_eq!((skills.len(), remarks.len()), (1, 0));
        let contents = [ResourceContents::text(TEXT, URI)];
        files.verify("docs", &contents).unwrap();
        assert_eq!(
            loaded("docs", &skills[0], &contents).unwrap(),
            json!({ "name": "pdf", "uri": URI, "content": TEXT, "files": [URI] })
        );
    }

    #[test]
    fn a_file_of_another_size_or_digest_is_refused() {
        let files = SkillFiles::default();
        files.learn(&entry(TEXT, &front_matter()));
        for other in [format!("{TEXT}more"), TEXT.replace("How", "Why")] {
            let refused = files.verify("docs", &[ResourceContents::text(other, URI)]);
            let refused = refused.unwrap_err();
            assert!(
                refused.message.starts_with(
                    "The file `skill://pdf/SKILL.md` of the MCP server `docs` is not what its skill was listed with (skill://pdf/SKILL.md "
                ),
                "{}",
                refused.message
            );
            assert_eq!(refused.details["integrity"], true);
        }
    }

    #[test]
    fn front_matter_must_be_that_of_the_entry_field_by_field() {
        for (field, other) in [
            (
                "description",
                json!({ "name": "pdf", "description": "Sends mail.", "version": 2 }),
            ),
            (
                "license",
                json!({ "name": "pdf", "description": "Fills forms.", "version": 2, "license": "MIT" }),
            ),
            (
                "version",
                json!({ "name": "pdf", "description": "Fills forms." }),
            ),
        ] {
            let (skills, _) = SkillFiles::default().learn(&entry(TEXT, &other));
            let refused = loaded("docs", &skills[0], &[ResourceContents::text(TEXT, URI)]);
            let message = refused.unwrap_err().message;
            assert!(
                message.contains(&format!("the field `{field}` of")),
                "{message}"
            );
        }
    }

    #[test]
    fn an_entry_that_breaks_the_rules_is_skipped_and_reported() {
        let files = SkillFiles::default();
        let (skills, remarks) = files.learn(&json!([{ "uri": "skill://x/README.md", "frontmatter": { "name": "x", "description": "" }, "resources": "dynamic" }]));
        assert!(skills.is_empty());
        assert_eq!(
            remarks,
            ["A skill was skipped: skill uri skill://x/README.md does not end in /SKILL.md"]
        );
    }
}
