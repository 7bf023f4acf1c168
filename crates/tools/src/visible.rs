//! Files that rules keep back show in no search and no listing.

use std::sync::Arc;

use tenon_contract::{PathClaim, ToolContext};
use tenon_search::{Facts, PathFilter};
use tenon_workspace::Workspace;

/// The path_filter over a search of `workspace`; nothing when no rule keeps anything back. Searches follow
/// no links, so what a path names is what it leads to.
pub(crate) fn path_filter(context: &ToolContext, workspace: &Workspace) -> Option<PathFilter> {
    let visibility = Arc::clone(context.visibility()?);
    let root = workspace.root().to_owned();
    let rules = visibility.rules();
    let path_filter = PathFilter::by_rule(move |path| visibility.hidden_by(path, &root));
    Some(match rules {
        Some(rules) => path_filter.of_rules(rules),
        None => path_filter,
    })
}

/// What rules kept back from an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptBack {
    /// Files and directories that would have been looked at.
    pub entries: u64,
    /// The rules that deny them, as they were written.
    pub denied_by: Vec<String>,
    /// The rules that require approval for them.
    pub approval_by: Vec<String>,
}

impl KeptBack {
    /// What `facts` say of it; nothing when nothing was kept back.
    pub(crate) fn of(context: &ToolContext, facts: &Facts) -> Option<Self> {
        let numbers = (0..64_u8).filter(|number| facts.kept_back_by & (1 << number) != 0);
        Self::by(context, facts.kept_back, numbers)
    }

    /// So many entries, kept back by the rules of these numbers.
    pub(crate) fn by(
        context: &ToolContext,
        entries: u64,
        numbers: impl Iterator<Item = u8>,
    ) -> Option<Self> {
        let visibility = context.visibility().filter(|_| entries > 0)?;
        let mut kept = Self {
            entries,
            ..Self::default()
        };
        for (rule, denies) in numbers.filter_map(|number| visibility.rule(number)) {
            let list = if denies {
                &mut kept.denied_by
            } else {
                &mut kept.approval_by
            };
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
        Some(kept)
    }
}

/// Whether rules keep the content of this file from being reported, though the call may change it.
pub(crate) fn is_kept_back(context: &ToolContext, file: &PathClaim) -> bool {
    let visibility = context.visibility();
    visibility.is_some_and(|visibility| visibility.hides(file))
}
