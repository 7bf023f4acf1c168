//! Servers that know a whole project only where a file names it, and the open files else.

use tenon_workspace::Located;

use crate::queries::query::Query;
use crate::server::session::ServerSession;

impl Query {
    /// Whether what is missing could be in any file.
    pub(crate) const fn is_about_project(&self) -> bool {
        matches!(
            self,
            Self::References
                | Self::Implementation
                | Self::WorkspaceSymbols(_)
                | Self::IncomingCalls
                | Self::OutgoingCalls
                | Self::Supertypes
                | Self::Subtypes
        )
    }
}

impl ServerSession {
    /// That the server knows no more than the files which are open in it, where that is so.
    pub(crate) async fn partial_view(&self, file: &Located) -> Option<String> {
        let index = self.spec.quirks.index_file?;
        let place = file.clone();
        let is_there = tokio::task::spawn_blocking(move || is_above(&place, index)).await;
        // What cannot determine this says nothing.
        if is_there.unwrap_or(true) {
            return None;
        }
        Some(format!(
            "There is no `{index}`, so {} only knows the files that were opened. Results in other files are missing.",
            self.name()
        ))
    }
}

/// Whether a directory above the file, or `build` in it, holds a file of this name.
fn is_above(file: &Located, name: &str) -> bool {
    let workspace = file.workspace();
    let is_inside =
        |directory: &&std::path::Path| workspace.roots().any(|root| directory.starts_with(root));
    let directories = file.target().ancestors().skip(1).take_while(is_inside);
    directories
        .flat_map(|directory| [directory.join(name), directory.join("build").join(name)])
        .any(|path| {
            let located = workspace.locate(&path.to_string_lossy());
            // What leads out of the workspace is there as well.
            located.map_or(true, |located| located.exists().unwrap_or(true))
        })
}
