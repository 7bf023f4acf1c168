//! Files that rules keep back show in no search and no listing.

use std::sync::Arc;

use tenon_contract::{PathClaim, ToolContext};
use tenon_search::Veil;
use tenon_workspace::Workspace;

/// The veil over a search of `workspace`; nothing when no rule keeps anything back. Searches follow
/// no links, so what a path names is what it leads to.
pub(crate) fn veil(context: &ToolContext, workspace: &Workspace) -> Option<Veil> {
    let visibility = Arc::clone(context.visibility()?);
    let root = workspace.root().to_owned();
    let rules = visibility.rules();
    let veil = Veil::new(move |path| visibility.hides_listed(path, &root));
    Some(match rules {
        Some(rules) => veil.of_rules(rules),
        None => veil,
    })
}

/// Whether rules keep the content of this file from being told, though the call may change it.
pub(crate) fn is_kept_back(context: &ToolContext, file: &PathClaim) -> bool {
    let visibility = context.visibility();
    visibility.is_some_and(|visibility| visibility.hides(file))
}
