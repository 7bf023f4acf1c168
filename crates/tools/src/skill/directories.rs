//! The directories that hold skills: `<directory>/<skill>/SKILL.md`.
//!
//! Those of the workspace are read like every other file of it: contained, and without what rules keep back. Those of
//! the user were named by the host; their links are followed, and nothing in them is ever changed.

use std::path::{Path, PathBuf};

use tenon_contract::{ErrorCode, ToolContext, ToolError, limits};
use tenon_state::SkillText;
use tenon_workspace::{Error, FileKind, Located, Workspace, read_text};

use super::{ListedSkills, LoadedSkill, SkillFact};

/// The file that makes a directory a skill.
const FILE: &str = "SKILL.md";

/// A directory that holds skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillDirectory {
    /// In the workspace, relative to its root or absolute.
    Inside(String),
    /// Of the user, absolute.
    OfUser(PathBuf),
}

/// The directories that hold skills, best first.
#[derive(Debug, Clone)]
pub struct SkillDirectories {
    workspace: Workspace,
    directories: Vec<SkillDirectory>,
}

/// A skill and its text.
struct FoundSkill {
    fact: SkillFact,
    content: String,
    body_at: usize,
}

/// Everything that was found.
pub(super) struct FoundSkills {
    /// By name, each once.
    skills: Vec<FoundSkill>,
    remarks: Vec<String>,
    /// Those on directories that could not be read: any skill may be in them.
    unread: Vec<String>,
    directories: Vec<String>,
}

impl SkillDirectories {
    /// These directories, the first of which wins where two have a skill of one name.
    #[must_use]
    pub fn new(workspace: Workspace, directories: Vec<SkillDirectory>) -> Self {
        Self {
            workspace,
            directories,
        }
    }

    /// Reads all skills.
    pub(super) fn find(&self, context: &ToolContext) -> Result<FoundSkills, ToolError> {
        let mut found = FoundSkills {
            skills: Vec::new(),
            remarks: Vec::new(),
            unread: Vec::new(),
            directories: Vec::new(),
        };
        for directory in &self.directories {
            context.check()?;
            found.directories.push(match directory {
                SkillDirectory::Inside(name) => name.clone(),
                SkillDirectory::OfUser(path) => path.display().to_string(),
            });
            let looked = match directory {
                SkillDirectory::Inside(name) => self.inside(name, context, &mut found),
                SkillDirectory::OfUser(path) => of_user(path, context, &mut found),
            };
            match looked {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(Error::Cancelled) => return Err(ToolError::cancelled()),
                Err(error) => {
                    let why = reported(error);
                    found.unread.push(why.clone());
                    found.remarks.push(why);
                }
            }
        }
        found
            .skills
            .sort_by(|one, other| one.fact.name.cmp(&other.fact.name));
        Ok(found)
    }

    fn inside(
        &self,
        name: &str,
        context: &ToolContext,
        found: &mut FoundSkills,
    ) -> Result<(), Error> {
        let directory = self.workspace.locate(name)?;
        for entry in names_in(&directory, context)? {
            let path = match directory.name() {
                "." => format!("{entry}/{FILE}"),
                name => format!("{name}/{entry}/{FILE}"),
            };
            // A link that leads out of the workspace is no skill of it.
            let Ok(file) = self.workspace.locate(&path) else {
                continue;
            };
            let is_hidden = context
                .visibility()
                .is_some_and(|visibility| visibility.hides(file.claim()));
            if !is_hidden {
                found.add(&entry, &file, path)?;
            }
        }
        Ok(())
    }
}

fn of_user(path: &Path, context: &ToolContext, found: &mut FoundSkills) -> Result<(), Error> {
    let directory = Workspace::open(path, &[] as &[&Path])?.locate(".")?;
    for entry in names_in(&directory, context)? {
        // A skill is often a link to where it is worked on.
        let place = path.join(&entry);
        let Ok(skill) = Workspace::open(&place, &[] as &[&Path]) else {
            continue;
        };
        let shown = place.join(FILE).display().to_string();
        found.add(&entry, &skill.locate(FILE)?, shown)?;
    }
    Ok(())
}

/// The directories in a directory, and links, whatever they lead to.
fn names_in(directory: &Located, context: &ToolContext) -> Result<Vec<String>, Error> {
    let cancelled = || context.check().is_err();
    let listing = directory.list(limits::SKILL_DIRECTORY_MAX_ENTRIES, &cancelled)?;
    let entries = listing.entries.into_iter();
    let directories =
        entries.filter(|entry| matches!(entry.kind, FileKind::Directory | FileKind::Link));
    Ok(directories.map(|entry| entry.name).collect())
}

impl FoundSkills {
    /// Takes one in, unless there is one of its name.
    fn add(&mut self, entry: &str, file: &Located, path: String) -> Result<(), Error> {
        if !file.exists().unwrap_or(false) {
            return Ok(());
        }
        let text = match read_text(file, limits::SKILL_MAX_BYTES) {
            Ok(text) => text,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                let why = reported(error);
                self.remarks.push(format!("`{path}` was skipped: {why}"));
                return Ok(());
            }
        };
        let content = text.text().to_owned();
        let skill = SkillText::read(&content);
        let name = skill.name.unwrap_or_else(|| entry.to_owned());
        if let Some(known) = self.skills.iter().find(|known| known.fact.name == name) {
            self.remarks.push(format!(
                "`{path}` is hidden by `{}`, which has the same name, `{name}`",
                known.fact.path
            ));
            return Ok(());
        }
        let body_at = content.len() - skill.body.len();
        self.skills.push(FoundSkill {
            fact: SkillFact {
                name,
                description: skill.description,
                path,
            },
            content,
            body_at,
        });
        Ok(())
    }

    pub(super) fn listed(self) -> ListedSkills {
        let skills = self.skills.into_iter();
        ListedSkills {
            skills: skills.map(|skill| skill.fact).collect(),
            remarks: self.remarks,
            directories: self.directories,
        }
    }

    pub(super) fn load(self, name: &str) -> Result<LoadedSkill, ToolError> {
        let names: Vec<String> = self
            .skills
            .iter()
            .map(|skill| skill.fact.name.clone())
            .collect();
        let wanted = self
            .skills
            .into_iter()
            .find(|skill| skill.fact.name == name);
        let Some(FoundSkill {
            fact,
            content,
            body_at,
        }) = wanted
        else {
            return Err(unknown(name, &names, &self.remarks, &self.unread));
        };
        Ok(LoadedSkill {
            name: fact.name,
            path: fact.path,
            server: None,
            content,
            body_at,
        })
    }
}

fn unknown(name: &str, names: &[String], remarks: &[String], unread: &[String]) -> ToolError {
    const SHOWN: usize = 20;
    let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let known = match known.get(..SHOWN) {
        Some(first) => format!(
            "Some of the {} available: {}. Use `list` to see all.",
            names.len(),
            first.join(", ")
        ),
        None if known.is_empty() => "None is available.".to_owned(),
        None => format!("Available: {}.", known.join(", ")),
    };
    let names_it = |remark: &&String| {
        let mut parts = remark.split(['/', '`']);
        !unread.contains(remark) && parts.any(|part| part == name)
    };
    let own = remarks.iter().find(names_it);
    let said: String = unread
        .iter()
        .chain(own)
        .map(|remark| format!(" {remark}."))
        .collect();
    let message = format!("There is no skill `{name}`. {known}{said}");
    ToolError::new(ErrorCode::NotFound, message)
        .with("name", name)
        .with("skills", names)
}

/// A failure as a remark, without its last full stop.
fn reported(error: Error) -> String {
    let message = ToolError::from(error).message;
    message.trim_end_matches('.').to_owned()
}

#[cfg(test)]
#[path = "directories_tests.rs"]
mod tests;
