//! Skills of MCP servers, by the names `server:skill`. The host speaks with the servers.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tenon_contract::ToolError;
use tenon_state::{SkillText, is_skill_name};

use super::{ListedSkills, LoadedSkill, SkillFact};
use crate::host::HostCallback;

/// Whether a name is that of a skill of a server.
pub(super) fn is_served_name(name: &str) -> bool {
    name.split_once(':')
        .is_some_and(|(server, skill)| is_skill_name(server) && is_skill_name(skill))
}

/// Whom skills of servers come from, where there are servers.
pub(super) struct ServedSkills(Option<Arc<dyn HostCallback>>);

impl fmt::Debug for ServedSkills {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("ServedSkills")
            .field(&self.0.is_some())
            .finish()
    }
}

#[derive(Deserialize)]
struct ServerSkillPage {
    skills: Vec<Entry>,
    #[serde(default)]
    remarks: Vec<String>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default)]
    description: String,
    uri: String,
}

#[derive(Deserialize)]
struct Loaded {
    name: String,
    uri: String,
    content: String,
}

impl ServedSkills {
    pub(super) fn new(servers: Option<Arc<dyn HostCallback>>) -> Self {
        Self(servers)
    }

    /// Adds those of servers. What goes wrong there is a remark: the skills of the workspace are reported all the same.
    pub(super) async fn list(&self, listed: &mut ListedSkills) {
        let Some(servers) = &self.0 else { return };
        let answer = servers.ask(json!({ "type": "skills" }), None).await;
        let read = |value: Value| serde_json::from_value(value).map_err(ToolError::internal);
        let served: ServerSkillPage = match answer.and_then(read) {
            Ok(served) => served,
            Err(error) => {
                let why = error.message.trim_end_matches('.').to_owned();
                return listed.remarks.push(why);
            }
        };
        listed.remarks.extend(served.remarks);
        let facts = served.skills.into_iter().map(|skill| SkillFact {
            name: skill.name,
            description: skill.description,
            path: skill.uri,
        });
        listed.skills.extend(facts);
    }

    /// The text of one, if a server has it.
    pub(super) async fn load(&self, name: &str) -> Result<Option<LoadedSkill>, ToolError> {
        let (Some(servers), Some((server, _))) = (&self.0, name.split_once(':')) else {
            return Ok(None);
        };
        let request = json!({ "type": "skills", "name": name });
        let answer = servers.ask(request, None).await?;
        let loaded: Option<Loaded> = serde_json::from_value(answer).map_err(ToolError::internal)?;
        Ok(loaded.map(|loaded| {
            let body = SkillText::read(&loaded.content).body.len();
            LoadedSkill {
                name: loaded.name,
                path: loaded.uri,
                server: Some(server.to_owned()),
                body_at: loaded.content.len() - body,
                content: loaded.content,
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{HostFuture, HostListener};

    /// A server `docs` with the skill `pdf`.
    struct Docs;

    impl HostCallback for Docs {
        fn ask(&self, request: Value, _: Option<HostListener>) -> HostFuture {
            let skill = json!({ "name": "docs:pdf", "description": "Fills forms.", "uri": "skill://pdf/SKILL.md" });
            let answer = match request["name"].as_str() {
                None => json!({ "skills": [skill], "remarks": [] }),
                Some("docs:pdf") => {
                    json!({ "name": "docs:pdf", "uri": "skill://pdf/SKILL.md", "content": "---\nname: pdf\n---\n# How\n" })
                }
                Some(_) => Value::Null,
            };
            Box::pin(std::future::ready(Ok(answer)))
        }
    }

    #[tokio::test]
    async fn skills_of_servers_are_listed_behind_the_others_and_loaded_by_their_names() {
        let served = ServedSkills::new(Some(Arc::new(Docs)));
        let mut listed = ListedSkills {
            skills: Vec::new(),
            remarks: Vec::new(),
            directories: Vec::new(),
        };
        served.list(&mut listed).await;
        let fact = SkillFact {
            name: "docs:pdf".to_owned(),
            description: "Fills forms.".to_owned(),
            path: "skill://pdf/SKILL.md".to_owned(),
        };
        assert_eq!(listed.skills, [fact]);
        let loaded = served.load("docs:pdf").await.unwrap().unwrap();
        assert_eq!(loaded.content.get(loaded.body_at..), Some("# How\n"));
        assert_eq!(loaded.server.as_deref(), Some("docs"));
        assert_eq!(served.load("docs:other").await.unwrap(), None);
        assert_eq!(served.load("pdf").await.unwrap(), None);
    }

    #[test]
    fn both_halves_of_the_name_are_names() {
        assert!(is_served_name("docs:pdf"));
        assert!(!is_served_name("docs"));
        assert!(!is_served_name("docs:../pdf"));
        assert!(!is_served_name(":pdf"));
    }
}
