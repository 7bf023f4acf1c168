//! Files that rules keep back show in no search and no listing.

use std::sync::Arc;

use tenon_contract::ToolContext;
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
