//! Answers of people and agents, task lists and skills.

use tenon_state::{Todo, TodoStatus};
use tenon_tools::{
    AskUserOutput, ListedSkills, LoadedSkill, SkillFact, SkillOutput, TaskOutput, TodoOutput,
};

use super::{bounded_list, size, with_notices};

/// Each question with its answer.
pub(crate) fn answers_text(output: &AskUserOutput) -> String {
    match output.answers.as_slice() {
        [(_, answer)] => format!("The user answered: {answer}"),
        answers => {
            let lines: Vec<String> = answers
                .iter()
                .map(|(question, answer)| format!("{question}\n-> {answer}"))
                .collect();
            format!("The user answered:\n{}", lines.join("\n"))
        }
    }
}

fn entry(todo: &Todo) -> String {
    let mark = match todo.status {
        TodoStatus::Pending => "[ ]",
        TodoStatus::InProgress => "[>]",
        TodoStatus::Completed => "[x]",
        TodoStatus::Cancelled => "[-]",
    };
    match &todo.id {
        Some(id) => format!("{mark} {id}: {}", todo.content),
        None => format!("{mark} {}", todo.content),
    }
}

/// The list, an entry a line.
pub(crate) fn todos_text(output: &TodoOutput) -> String {
    if output.todos.is_empty() {
        return "The task list is empty.".to_owned();
    }
    let (text, cut) = bounded_list(output.todos.iter().map(entry));
    with_notices(text, &cut.into_iter().collect::<Vec<_>>())
}

/// How many entries a list has that was written, and where it stands.
pub(crate) fn written_todos_text(output: &TodoOutput) -> String {
    if output.todos.is_empty() {
        return "The task list was cleared.".to_owned();
    }
    let statuses = [
        (TodoStatus::Completed, "done"),
        (TodoStatus::InProgress, "in progress"),
        (TodoStatus::Pending, "to do"),
        (TodoStatus::Cancelled, "cancelled"),
    ];
    let counts = statuses
        .map(|(status, words)| (output.count(status), words))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"));
    format!(
        "The task list was updated: {}.",
        counts.collect::<Vec<_>>().join(", ")
    )
}

/// Skills, one a line, or the instructions of one.
pub(crate) fn skill_text(output: &SkillOutput) -> String {
    match output {
        SkillOutput::List(listed) => listed_skills_text(listed),
        SkillOutput::Load(loaded) => loaded_skill_text(loaded),
    }
}

fn listed_skills_text(listed: &ListedSkills) -> String {
    let mut notices = listed.remarks.clone();
    if listed.skills.is_empty() {
        let text = match listed.directories.as_slice() {
            [] => "No skills: no skills directory is configured.".to_owned(),
            directories => format!("No skills in {}.", directories.join(", ")),
        };
        return with_notices(text, &notices);
    }
    let line = |skill: &SkillFact| {
        let purpose = match skill.description.as_str() {
            "" => String::new(),
            purpose => format!(": {purpose}"),
        };
        format!("{}{purpose} ({})", skill.name, skill.path)
    };
    let (text, cut) = bounded_list(listed.skills.iter().map(line));
    notices.extend(cut);
    with_notices(text, &notices)
}

fn loaded_skill_text(loaded: &LoadedSkill) -> String {
    let directory = loaded
        .path
        .rsplit_once('/')
        .map_or(".", |(directory, _)| directory);
    let files = match &loaded.server {
        Some(server) => format!(
            "The files that they name are resources of the MCP server `{server}` beneath `{directory}`: use `read_mcp_resource`"
        ),
        None => format!("The files that they name are in `{directory}`"),
    };
    let body = loaded.content.get(loaded.body_at..).unwrap_or_default();
    format!(
        "Instructions of the skill `{}`. {files}.\n\n{}",
        loaded.name,
        body.trim_matches('\n')
    )
}

/// What an agent says.
pub(crate) fn task_text(output: &TaskOutput) -> String {
    let agent = &output.agent;
    if output.is_partial {
        return format!("`{agent}` is working: {}", output.summary);
    }
    let text = match (output.ok, output.summary.as_str()) {
        (true, "") => format!("`{agent}` finished without a summary."),
        (false, "") => format!("`{agent}` failed without a reason."),
        (true, summary) => summary.to_owned(),
        (false, summary) => format!("`{agent}` failed: {summary}"),
    };
    let mut notices = Vec::new();
    if output.omitted_bytes > 0 {
        notices.push(format!(
            "{} more was cut off. Ask for a shorter summary",
            size(output.omitted_bytes as u64)
        ));
    }
    with_notices(text, &notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(id: Option<&str>, status: TodoStatus) -> Todo {
        Todo {
            id: id.map(str::to_owned),
            content: "do it".to_owned(),
            status,
            priority: None,
            active_form: None,
        }
    }

    #[test]
    fn a_list_is_reported_in_marks_and_a_change_in_numbers() {
        let output = TodoOutput {
            session: "s".to_owned(),
            todos: vec![
                todo(None, TodoStatus::Completed),
                todo(Some("2"), TodoStatus::InProgress),
                todo(None, TodoStatus::Pending),
                todo(None, TodoStatus::Pending),
                todo(None, TodoStatus::Cancelled),
            ],
        };
        assert_eq!(
            todos_text(&output),
            "[x] do it\n[>] 2: do it\n[ ] do it\n[ ] do it\n[-] do it"
        );
        assert_eq!(
            written_todos_text(&output),
            "The task list was updated: 1 done, 1 in progress, 2 to do, 1 cancelled."
        );
    }

    #[test]
    fn what_an_agent_says_is_reported_as_it_is() {
        let reported = |ok, summary: &str, omitted_bytes| {
            task_text(&TaskOutput {
                ok,
                agent: "tester".to_owned(),
                summary: summary.to_owned(),
                omitted_bytes,
                is_partial: false,
                session: "s_1".to_owned(),
                run: "r_1".to_owned(),
                status: tenon_sessions::Status::Completed,
                usage: None,
                changes: Vec::new(),
            })
        };
        assert_eq!(reported(true, "all green", 0), "all green");
        assert_eq!(reported(false, "two fail", 0), "`tester` failed: two fail");
        assert_eq!(
            reported(true, "long", 2048),
            "long\n\n[2.0KB more was cut off. Ask for a shorter summary]"
        );
    }
}
