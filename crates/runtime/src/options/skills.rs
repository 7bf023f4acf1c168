//! Where skills are.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::{ErrorCode, ToolError};
use tenon_tools::{SkillDirectories, SkillDirectory};
use tenon_workspace::{Workspace, home_directory};

/// Where skills are when nothing else is said, best first. What begins with `~/` is the user's.
const DIRECTORIES: &[&str] = &[
    ".tenon/skills",
    ".agents/skills",
    ".claude/skills",
    "~/.tenon/skills",
    "~/.agents/skills",
    "~/.claude/skills",
];

/// Where skills are: instructions for kinds of work, each a directory with a `SKILL.md`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillOptions {
    /// Directories that hold skills, best first: relative to the workspace, beneath the user's own directory (`~/…`), or
    /// absolute. What lies outside of the workspace is only read. Default: `.tenon/skills`, `.agents/skills` and
    /// `.claude/skills` of the workspace, then of the user. Empty: no skills.
    pub directories: Option<Vec<String>>,
}

impl SkillOptions {
    /// The directories, placed.
    pub(crate) fn directories(&self, workspace: &Workspace) -> Result<SkillDirectories, ToolError> {
        let directories = match &self.directories {
            Some(own) => own
                .iter()
                .enumerate()
                .map(|(index, directory)| {
                    place(directory, workspace).map_err(|problem| {
                        let option = format!("skills.directories[{index}]");
                        let message = format!("`{option}` is not valid: `{directory}` {problem}.");
                        ToolError::new(ErrorCode::InvalidParams, message)
                            .with("option", format!("options.{option}"))
                    })
                })
                .collect::<Result<Vec<_>, _>>()?,
            // Without a directory of the user there is nothing of the user.
            None => DIRECTORIES
                .iter()
                .filter_map(|directory| place(directory, workspace).ok())
                .collect(),
        };
        Ok(SkillDirectories::new(workspace.clone(), directories))
    }
}

fn place(directory: &str, workspace: &Workspace) -> Result<SkillDirectory, &'static str> {
    let path = match directory.strip_prefix("~/") {
        Some(rest) => home_directory()
            .ok_or("needs the home directory, which is not known")?
            .join(rest),
        None => directory.into(),
    };
    if path.is_absolute() {
        let inside = workspace.roots().any(|root| path.starts_with(root));
        return Ok(match path.to_str() {
            Some(text) if inside => SkillDirectory::Inside(text.to_owned()),
            _ => SkillDirectory::OfUser(path),
        });
    }
    match workspace.locate(directory) {
        Ok(_) => Ok(SkillDirectory::Inside(directory.to_owned())),
        Err(_) => Err("is not in the workspace. Use an absolute path for a directory outside it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(workspace: &Workspace, directory: &str) -> String {
        let options = SkillOptions {
            directories: Some(vec![directory.to_owned()]),
        };
        options.directories(workspace).unwrap_err().message
    }

    #[test]
    fn directories_are_placed_inside_or_outside_and_a_climbing_one_is_an_error() {
        let scene = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(scene.path(), &[] as &[&str]).unwrap();
        assert_eq!(
            place("a/skills", &workspace),
            Ok(SkillDirectory::Inside("a/skills".to_owned()))
        );
        let inside = workspace.root().join("x").display().to_string();
        assert_eq!(
            place(&inside, &workspace),
            Ok(SkillDirectory::Inside(inside.clone()))
        );
        assert_eq!(
            place("/elsewhere", &workspace),
            Ok(SkillDirectory::OfUser("/elsewhere".into()))
        );
        assert_eq!(
            problem(&workspace, "../skills"),
            "`skills.directories[0]` is not valid: `../skills` is not in the workspace. Use an absolute path for a directory outside it."
        );
        assert!(problem(&workspace, "").contains("is not in the workspace"));
    }
}
