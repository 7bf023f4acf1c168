//! The state of a repository.

use tenon_tools::{GitStatusOutput, shown_name};

use super::bounded_list;

/// The branch, then one path a line under what became of it.
pub(crate) fn git_status_text(output: &GitStatusOutput) -> String {
    let mut lines = vec![branch_line(output)];
    if output.is_clean() {
        lines.push("Nothing to commit, working tree clean".to_owned());
    }
    let lists = [
        ("Conflicted", &output.conflicted),
        ("Staged", &output.staged),
        ("Modified", &output.modified),
        ("Created", &output.created),
        ("Deleted", &output.deleted),
    ];
    for (title, paths) in lists.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        lines.push(format!("{title}:"));
        lines.extend(paths.iter().map(|path| format!("  {}", shown_name(path))));
    }
    let (text, cut) = bounded_list(lines);
    super::with_notices(text, &cut.into_iter().collect::<Vec<_>>())
}

fn branch_line(output: &GitStatusOutput) -> String {
    let branch = match &output.branch {
        Some(branch) => format!("On branch {branch}"),
        None => "On no branch (detached HEAD)".to_owned(),
    };
    match (&output.upstream, output.ahead, output.behind) {
        (None, ..) => branch,
        (Some(upstream), 0, 0) => format!("{branch}, level with {upstream}"),
        (Some(upstream), ahead, behind) => {
            format!("{branch}, {ahead} ahead of and {behind} behind {upstream}")
        }
    }
}
