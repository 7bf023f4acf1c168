//! Which project is tested: that of a file, that of the workspace, or the only one below it.

use tenon_contract::{ErrorCode, ToolError};
use tenon_process::Processes;
use tenon_workspace::{Located, Workspace};

use super::frameworks::Framework;
use super::project::{Project, Runner, names_of};

/// Folders at the top of a workspace that are looked into for projects.
const FOLDERS_MAX: usize = 100;

/// The runner for a file, for the project of a file, or for the workspace.
pub(super) fn runner(
    workspace: &Workspace,
    file: Option<&Located>,
    is_tested: bool,
    processes: &Processes,
) -> Result<Runner, ToolError> {
    let Some(file) = file else {
        let folder = workspace.locate(".")?;
        let project = Project {
            folder: &folder,
            processes,
        };
        let found = project.runners().into_iter().next();
        return match found {
            Some(runner) => Ok(runner),
            None => only_one_below(workspace, processes),
        };
    };
    let fits = Framework::of_language(file.target());
    let is_fit = |runner: &Runner| match fits {
        Some(fits) => fits.contains(&runner.framework),
        None => !is_tested,
    };
    let folders = above(file);
    let projects = folders.iter().map(|folder| Project { folder, processes });
    // What only looks like a project is none of a file: its folders hold other tests.
    let found = projects
        .flat_map(Project::runners)
        .find(|runner| !runner.is_guess && is_fit(runner));
    found
        .or_else(|| bare(file, &folders, processes))
        .ok_or_else(|| nothing_for(file))
}

/// The file as its project names it.
pub(super) fn inside(file: &Located, folder: &Located) -> String {
    let path = file.target().strip_prefix(folder.target());
    let path = path.unwrap_or(file.target()).to_string_lossy();
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.into_owned()
    }
}

/// The folders above a file, nearest first, inside of the workspace.
fn above(file: &Located) -> Vec<Located> {
    let workspace = file.workspace();
    let folders = file.target().ancestors().skip(1);
    folders
        .map_while(|folder| workspace.locate(&folder.to_string_lossy()).ok())
        .collect()
}

/// For a test file of a project that says nothing about tests: the runner that needs no set-up, where the project begins.
fn bare(file: &Located, folders: &[Located], processes: &Processes) -> Option<Runner> {
    let fits = Framework::of_language(file.target())?;
    let beginnings: [(Framework, &[&str]); 2] = [
        (Framework::Node, &["package.json"]),
        (
            Framework::Pytest,
            &["pyproject.toml", "setup.py", "setup.cfg"],
        ),
    ];
    let (framework, signs) = beginnings
        .into_iter()
        .find(|(framework, _)| fits.contains(framework))?;
    let begins = |folder: &&Located| {
        let project = Project { folder, processes };
        signs.iter().any(|sign| project.has(sign))
    };
    let folder = folders.iter().find(begins).or(folders.last())?;
    Some(Project { folder, processes }.bare(framework))
}

/// The project in the only folder of the workspace that has one.
fn only_one_below(workspace: &Workspace, processes: &Processes) -> Result<Runner, ToolError> {
    let root = workspace.locate(".")?;
    let folders = names_of(&root).into_iter();
    let folders = folders
        .filter(|(name, is_folder)| *is_folder && !name.starts_with('.') && name != "node_modules");
    let mut found: Vec<Runner> = folders
        .take(FOLDERS_MAX)
        .filter_map(|(name, _)| {
            let folder = root.child(&name).ok()?;
            let project = Project {
                folder: &folder,
                processes,
            };
            project.runners().into_iter().next()
        })
        .collect();
    if found.len() > 1 {
        let places: Vec<String> = found
            .iter()
            .map(|runner| format!("`{}` ({})", runner.folder.name(), runner.framework.name()))
            .collect();
        let message = format!(
            "The workspace itself has no tests, but several projects in it do: {}. Pass one of their files as `file`, with `scope: all` for all tests of its project.",
            places.join(", ")
        );
        return Err(ToolError::new(ErrorCode::NotFound, message));
    }
    found.pop().ok_or_else(|| {
        let message = "No test runner was found in the workspace: neither vitest, jest, mocha or `node --test` in a `package.json`, nor a `Cargo.toml`, a `go.mod`, or a configuration or tests of pytest. Name a test file in `file`, or run the tests with a command.";
        ToolError::new(ErrorCode::NotFound, message)
    })
}

fn nothing_for(file: &Located) -> ToolError {
    let name = file.name();
    let message = format!(
        "No test runner was found for `{name}`: no directory above it has a `package.json` with vitest, jest, mocha or `node --test`, a `Cargo.toml`, a `go.mod`, or anything of pytest that fits."
    );
    ToolError::new(ErrorCode::NotFound, message).with("path", name)
}
