//! The whole outputs of commands, which are read and searched by their address like files.

use tenon_contract::{Access, ErrorCode, ToolError};
use tenon_process::{OUTPUT_SCHEME, Processes};
use tenon_workspace::{Located, Workspace};

/// Most addresses that an error lists.
const LISTED: usize = 10;

/// The whole outputs of the commands of one toolkit. They go when it is closed.
#[derive(Debug, Clone)]
pub struct Outputs {
    processes: Processes,
}

impl Outputs {
    /// Of the commands of `processes`.
    #[must_use]
    pub const fn new(processes: Processes) -> Self {
        Self { processes }
    }

    /// The file of the output with this address, named by the address; nothing when the text is a path.
    pub(crate) fn find(&self, address: &str) -> Option<Result<Located, ToolError>> {
        let number = address.strip_prefix(OUTPUT_SCHEME)?;
        let file = number
            .parse()
            .ok()
            .and_then(|number| self.processes.output(number));
        Some(match file {
            Some(file) => open(&file).map(|located| located.named(address)),
            None => Err(self.unknown(address)),
        })
    }

    fn unknown(&self, address: &str) -> ToolError {
        let numbers = self.processes.outputs();
        let known: Vec<String> = numbers
            .iter()
            .rev()
            .take(LISTED)
            .map(|number| format!("{OUTPUT_SCHEME}{number}"))
            .collect();
        let advice = if known.is_empty() {
            "No output was cut so far.".to_owned()
        } else {
            format!("Available: `{}`.", known.join("`, `"))
        };
        let shown: String = address.chars().take(80).collect();
        ToolError::new(
            ErrorCode::NotFound,
            format!("There is no output `{shown}`. {advice}"),
        )
        .with("path", shown)
        .with("outputs", known)
    }
}

/// What a call touches that only looks at an output: nothing but a command that was judged before it ran.
pub(crate) fn access_to(output: &Located) -> Access {
    Access {
        sessions: vec![output.name().to_owned()],
        ..Access::default()
    }
}

fn open(file: &std::path::Path) -> Result<Located, ToolError> {
    let folder = file.parent().unwrap_or(file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(Workspace::open::<&str>(folder, &[])?.locate_existing(&name)?)
}
