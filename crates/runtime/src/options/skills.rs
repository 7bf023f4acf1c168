//! Where skills are.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::{ErrorCode, ToolError};
use tenon_tools::{SkillFolder, SkillFolders};
use tenon_workspace::{Workspace, home_folder};

/// Where skills are when nothing else is said, best first. What begins with `~/` is the user's.
const FOLDERS: &[&str] = &[
    ".tenon/skills",
    ".agents/skills",
    ".claude/skills",
    "~/.tenon/skills",
    "~/.agents/skills",
    "~/.claude/skills",
];

/// Where skills are: instructions for kinds of work, each a folder with a `SKILL.md`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillOptions {
    /// Folders that hold skills, best first: relative to the workspace, beneath the user's own folder (`~/…`), or
    /// absolute. What lies outside of the workspace is only read. Default: `.tenon/skills`, `.agents/skills` and
    /// `.claude/skills` of the workspace, then of the user. Empty: no skills.
    pub folders: Option<Vec<String>>,
}

impl SkillOptions {
    /// The folders, placed.
    pub(crate) fn folders(&self, workspace: &Workspace) -> Result<SkillFolders, ToolError> {
        let folders = match &self.folders {
            Some(own) => own
                .iter()
                .enumerate()
                .map(|(index, folder)| {
                    place(folder, workspace).map_err(|problem| {
                        let option = format!("options.skills.folders[{index}]");
                        let message = format!("`{option}` is not valid: `{folder}` {problem}.");
                        ToolError::new(ErrorCode::InvalidParams, message).with("option", option)
                    })
                })
                .collect::<Result<Vec<_>, _>>()?,
            // Without a folder of the user there is nothing of the user.
            None => FOLDERS
                .iter()
                .filter_map(|folder| place(folder, workspace).ok())
                .collect(),
        };
        Ok(SkillFolders::new(workspace.clone(), folders))
    }
}

fn place(folder: &str, workspace: &Workspace) -> Result<SkillFolder, &'static str> {
    let path = match folder.strip_prefix("~/") {
        Some(rest) => home_folder()
            .ok_or("needs the home directory, which is not known")?
            .join(rest),
        None => folder.into(),
    };
    if path.is_absolute() {
        let inside = workspace.roots().any(|root| path.starts_with(root));
        return Ok(match path.to_str() {
            Some(text) if inside => SkillFolder::Inside(text.to_owned()),
            _ => SkillFolder::OfUser(path),
        });
    }
    match workspace.locate(folder) {
        Ok(_) => Ok(SkillFolder::Inside(folder.to_owned())),
        Err(_) => Err("is not in the workspace. Use an absolute path for a directory outside it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(workspace: &Workspace, folder: &str) -> String {
        let options = SkillOptions {
            folders: Some(vec![folder.to_owned()]),
        };
        options.folders(workspace).unwrap_err().message
    }

    #[test]
    fn folders_are_placed_inside_or_outside_and_a_climbing_one_is_an_error() {
        let scene = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(scene.path(), &[] as &[&str]).unwrap();
        assert_eq!(
            place("a/skills", &workspace),
            Ok(SkillFolder::Inside("a/skills".to_owned()))
        );
        let inside = workspace.root().join("x").display().to_string();
        assert_eq!(
            place(&inside, &workspace),
            Ok(SkillFolder::Inside(inside.clone()))
        );
        assert_eq!(
            place("/elsewhere", &workspace),
            Ok(SkillFolder::OfUser("/elsewhere".into()))
        );
        assert_eq!(
            problem(&workspace, "../skills"),
            "`options.skills.folders[0]` is not valid: `../skills` is not in the workspace. Use an absolute path for a directory outside it."
        );
        assert!(problem(&workspace, "").contains("is not in the workspace"));
    }
}
