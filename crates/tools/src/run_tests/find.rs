//! Which project is tested: that of a file, that of the workspace, or the only one below it.

use tenon_contract::{ErrorCode, NextStep, ToolError};
use tenon_process::Processes;
use tenon_workspace::{Located, Workspace};

use super::frameworks::Framework;
use super::project::{Project, Runner, names_of};

/// Directories at the top of a workspace that are looked into for projects.
const DIRECTORIES_MAX: usize = 100;

/// The runner for a file, for the project of a file, or for the workspace.
pub(super) fn runner(
    workspace: &Workspace,
    file: Option<&Located>,
    is_tested: bool,
    processes: &Processes,
) -> Result<Runner, ToolError> {
    let Some(file) = file else {
        let directory = workspace.locate(".")?;
        let project = Project {
            directory: &directory,
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
    let directories = above(file);
    let projects = directories.iter().map(|directory| Project {
        directory,
        processes,
    });
    // What only looks like a project is none of a file: its directories hold other tests.
    let found = projects
        .flat_map(Project::runners)
        .find(|runner| !runner.is_guess && is_fit(runner));
    found
        .or_else(|| bare(file, &directories, processes))
        .ok_or_else(|| nothing_for(file))
}

/// The file as its project names it.
pub(super) fn inside(file: &Located, directory: &Located) -> String {
    let path = file.target().strip_prefix(directory.target());
    let path = path.unwrap_or(file.target()).to_string_lossy();
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.into_owned()
    }
}

/// The directories above a file, nearest first, inside of the workspace.
fn above(file: &Located) -> Vec<Located> {
    let workspace = file.workspace();
    let directories = file.target().ancestors().skip(1);
    directories
        .map_while(|directory| workspace.locate(&directory.to_string_lossy()).ok())
        .collect()
}

/// For a test file of a project that says nothing about tests: the runner that needs no set-up, where the project begins.
fn bare(file: &Located, directories: &[Located], processes: &Processes) -> Option<Runner> {
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
    let begins = |directory: &&Located| {
        let project = Project {
            directory,
            processes,
        };
        signs.iter().any(|sign| project.has(sign))
    };
    let directory = directories.iter().find(begins).or(directories.last())?;
    Some(
        Project {
            directory,
            processes,
        }
        .bare(framework),
    )
}

/// The project in the only directory of the workspace that has one.
fn only_one_below(workspace: &Workspace, processes: &Processes) -> Result<Runner, ToolError> {
    let root = workspace.locate(".")?;
    let directories = names_of(&root).into_iter();
    let directories = directories.filter(|(name, is_directory)| {
        *is_directory && !name.starts_with('.') && name != "node_modules"
    });
    let mut found: Vec<Runner> = directories
        .take(DIRECTORIES_MAX)
        .filter_map(|(name, _)| {
            let directory = root.child(&name).ok()?;
            let project = Project {
                directory: &directory,
                processes,
            };
            project.runners().into_iter().next()
        })
        .collect();
    if found.len() > 1 {
        let places: Vec<String> = found
            .iter()
            .map(|runner| {
                format!(
                    "`{}` ({})",
                    runner.directory.name(),
                    runner.framework.name()
                )
            })
            .collect();
        let message = format!(
            "The workspace itself has no tests, but several projects in it do: {}. Pass one of their files as `file`, with `scope: all` for all tests of its project.",
            places.join(", ")
        );
        return Err(ToolError::new(ErrorCode::NotFound, message));
    }
    found.pop().ok_or_else(|| {
        let message = "No test runner was found in the workspace: no `package.json` with vitest, jest, mocha or `node --test`, no `Cargo.toml` or `go.mod`, and no pytest configuration or tests. If a subdirectory has tests, pass one of its test files as `file`.";
        ToolError::new(ErrorCode::NotFound, message).then(NextStep::run_command("run the tests"))
    })
}

fn nothing_for(file: &Located) -> ToolError {
    let name = file.name();
    let message = format!(
        "No test runner was found for `{name}`: no directory above it has a `package.json` with vitest, jest, mocha or `node --test`, a `Cargo.toml`, a `go.mod`, or anything of pytest that fits."
    );
    ToolError::new(ErrorCode::NotFound, message).with("path", name)
}
