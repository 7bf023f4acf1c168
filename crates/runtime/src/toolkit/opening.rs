//! What a toolkit is opened with: its directories and its lists of tools.

use std::path::Path;

use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::Exposure;
use tenon_workspace::Workspace;

use crate::options::{Options, ToolOptions};

/// Opens the directories that calls work in. The developer reads what is wrong with them, not a model.
pub(super) fn open(options: &Options) -> Result<Workspace, ToolError> {
    let fault = |error: tenon_workspace::Error, what: &str, directory: &Path, option: &str| {
        let error = ToolError::from(error);
        let directory = directory.display();
        let message = match error.code {
            ErrorCode::NotFound => format!("The {what} `{directory}` does not exist."),
            ErrorCode::NotADirectory => format!("The {what} `{directory}` is not a directory."),
            _ => format!(
                "The {what} `{directory}` cannot be opened: {}",
                error.message
            ),
        };
        ToolError::new(error.code, message).with("option", option)
    };
    let none: &[&Path] = &[];
    let (root, more) = (&options.workspace, &options.additional_directories);
    Workspace::open(root, more).map_err(|error| {
        let opens = |directory: &Path| Workspace::open(directory, none).is_ok();
        let mut others = more.iter().enumerate();
        let other = others.find(|(_, directory)| opens(root) && !opens(directory));
        match other {
            Some((place, directory)) => {
                let option = format!("options.additionalDirectories[{place}]");
                fault(error, "additional directory", directory, &option)
            }
            None => fault(error, "workspace", root, "options.workspace"),
        }
    })
}

/// Compiles the lists of tools: those of the host, without what others take away.
pub(super) fn exposure(options: &Options, narrower: &[ToolOptions]) -> Result<Exposure, ToolError> {
    let meaning = options.meaning();
    let compile = |tools: &ToolOptions| {
        Exposure::new(&tools.lists(), &meaning).map_err(|error| {
            ToolError::new(ErrorCode::InvalidParams, error.to_string())
                .with("option", "options.tools")
        })
    };
    let own = &options.tools;
    let on_behalf = options.narrowed_by.iter().flat_map(|rights| &rights.tools);
    narrower
        .iter()
        .chain(on_behalf)
        .try_fold(compile(own)?, |exposure, tools| {
            let mut tools = tools.clone();
            for (name, members) in &own.groups {
                let group = tools.groups.entry(name.clone());
                group.or_insert_with(|| members.clone());
            }
            Ok(exposure.narrowed_by(compile(&tools)?))
        })
}

/// Only these tools, or groups.
pub(super) fn only(options: &Options, names: &[String]) -> Result<Exposure, ToolError> {
    let lists = ToolOptions {
        groups: options.tools.groups.clone(),
        ..ToolOptions::only(names)
    };
    let fault = |error: tenon_policy::ExposureError| {
        ToolError::new(ErrorCode::InvalidParams, error.to_string())
            .with("option", "options.host.agents")
    };
    Exposure::new(&lists.lists(), &options.meaning()).map_err(fault)
}
