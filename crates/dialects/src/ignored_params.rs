//! Parameters that other vocabularies have and that ask for nothing which would not be done anyway. Models that learned
//! those send them, so they are left out and the answer says so. Whatever would change what is done stays and is refused.

use serde_json::{Map, Value};
use tenon_contract::Operation;

use crate::issue::Repair;
use tenon_contract::{has_normal_form, normalise};

/// A parameter that a call may carry though the tool has none of this name.
struct Row {
    operation: Operation,
    /// All its spellings, in the form of [`normalise`].
    names: &'static [&'static str],
    /// Whether this value, among these parameters, asks for nothing more.
    is_harmless: fn(&Value, &Map<String, Value>) -> bool,
    /// Why it is left out.
    because: &'static str,
}

const DESCRIBES: &str = "which only describes the call";
const HOLDS_ANYWAY: &str = "which holds anyway";
const READ_ON: &str = "as a long file is read in parts";

const ROWS: &[Row] = &[
    // Of `Bash` in Claude Code, `bash` in opencode and `run_shell_command` in gemini-cli.
    Row {
        operation: Operation::Execute,
        names: &["description"],
        is_harmless: |value, _| value.is_string(),
        because: DESCRIBES,
    },
    // Of `exec` in OpenClaw; `shell_command` of Codex gives reasons for what is asked of its sandbox.
    Row {
        operation: Operation::Execute,
        names: &["title", "justification"],
        is_harmless: |value, _| value.is_string(),
        because: DESCRIBES,
    },
    // Of `Bash` in Claude Code, `shell_command` in Codex and `exec` in OpenClaw: no way around the sandbox.
    Row {
        operation: Operation::Execute,
        names: &[
            "dangerouslydisablesandbox",
            "withescalatedpermissions",
            "elevated",
        ],
        is_harmless: |value, _| value == false,
        because: HOLDS_ANYWAY,
    },
    Row {
        operation: Operation::Execute,
        names: &["sandboxpermissions"],
        is_harmless: |value, _| value == "use_default",
        because: HOLDS_ANYWAY,
    },
    // Of `exec` in OpenClaw: where commands run is up to the host.
    Row {
        operation: Operation::Execute,
        names: &["host"],
        is_harmless: |value, _| value == "auto",
        because: HOLDS_ANYWAY,
    },
    // Of `exec_command` in Codex. Nothing is lost: the answer says where all of the output is.
    Row {
        operation: Operation::Execute,
        names: &["maxoutputtokens"],
        is_harmless: |value, _| value.is_number(),
        because: "as long output is shortened anyway",
    },
    // Where a tool neither runs in the background nor in a terminal.
    Row {
        operation: Operation::Execute,
        names: &[
            "runinbackground",
            "background",
            "isbackground",
            "pty",
            "tty",
        ],
        is_harmless: |value, _| value == false,
        because: HOLDS_ANYWAY,
    },
    // Of `bash` in opencode, where a tool always runs at the root of the workspace.
    Row {
        operation: Operation::Execute,
        names: &["workdir", "cwd", "workingdirectory", "directory"],
        is_harmless: |value, _| value == "." || value == "./",
        because: HOLDS_ANYWAY,
    },
    // Of `TaskOutput` in Claude Code: how long to wait says nothing where there is no waiting.
    Row {
        operation: Operation::Process,
        names: &["timeout"],
        is_harmless: |value, call| value.is_number() && !waits(call),
        because: "as nothing is waited for",
    },
    Row {
        operation: Operation::Process,
        names: &["block"],
        is_harmless: |value, _| value == false,
        because: HOLDS_ANYWAY,
    },
    // Of `Task` in Claude Code and `task` in opencode.
    Row {
        operation: Operation::Task,
        names: &["description"],
        is_harmless: |value, _| value.is_string(),
        because: DESCRIBES,
    },
    // Of `cron` in OpenClaw: each run has a session of its own.
    Row {
        operation: Operation::Cron,
        names: &["sessiontarget"],
        is_harmless: |value, _| value == "isolated",
        because: HOLDS_ANYWAY,
    },
    Row {
        operation: Operation::Cron,
        names: &["includedisabled"],
        is_harmless: |value, _| value == true,
        because: HOLDS_ANYWAY,
    },
    // Of `Read` in Claude Code. Nothing is lost: the answer says what it does not show.
    Row {
        operation: Operation::Read,
        names: &["allowlarge"],
        is_harmless: |value, _| value.is_boolean(),
        because: READ_ON,
    },
    // Of `AskUserQuestion` in Claude Code: what asks, for statistics, and what only its interface fills in.
    Row {
        operation: Operation::AskUser,
        names: &["metadata"],
        is_harmless: |value, _| value.is_object(),
        because: DESCRIBES,
    },
    Row {
        operation: Operation::AskUser,
        names: &["answers", "annotations"],
        is_harmless: |value, _| value.as_object().is_some_and(Map::is_empty),
        because: "as the user answers",
    },
    // Of `Grep` in Claude Code, where a tool shows whole lines.
    Row {
        operation: Operation::Grep,
        names: &["o", "onlymatching"],
        is_harmless: |value, _| value == false,
        because: HOLDS_ANYWAY,
    },
    // Of `replace` in gemini-cli.
    Row {
        operation: Operation::Edit,
        names: &["instruction"],
        is_harmless: |value, _| value.is_string(),
        because: DESCRIBES,
    },
    // Of `replace` in gemini-cli: one place is what an edit has to match unless it replaces all.
    Row {
        operation: Operation::Edit,
        names: &["expectedreplacements"],
        is_harmless: |value, call| value == 1 && !replaces_all(call),
        because: HOLDS_ANYWAY,
    },
];

/// Whether a look at a background command is to wait for its end: `TaskOutput` does unless it says otherwise.
fn waits(call: &Map<String, Value>) -> bool {
    let block = call.iter().find(|(key, _)| has_normal_form(key, "block"));
    block.is_none_or(|(_, value)| *value != false)
}

fn replaces_all(call: &Map<String, Value>) -> bool {
    let named = |key: &str| {
        ["replaceall", "allowmultiple"]
            .iter()
            .any(|name| has_normal_form(key, name))
    };
    call.iter()
        .any(|(key, value)| named(key) && *value != false)
}

/// Leaves out of repaired parameters what is superfluous, and shows what.
pub(crate) fn leave_out(operation: Operation, schema: &Value, wire: &mut Value) -> Vec<Repair> {
    let Value::Object(call) = wire else {
        return Vec::new();
    };
    let mut repairs = if operation == Operation::Edit {
        raise_replace_all(call, schema)
    } else {
        Vec::new()
    };
    // Nearly all calls have no other parameters than those of the tool.
    if call
        .keys()
        .all(|key| properties(schema).any(|name| name == key))
    {
        return repairs;
    }
    for row in ROWS.iter().filter(|row| row.operation == operation) {
        let is_own = |key: &str| properties(schema).any(|name| normalise(name) == normalise(key));
        let superfluous: Vec<String> = call
            .iter()
            .filter(|(key, value)| {
                row.names.contains(&normalise(key).as_str())
                    && !is_own(key)
                    && (row.is_harmless)(value, call)
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in superfluous {
            call.shift_remove(&key);
            repairs.push(Repair {
                message: format!("ignored `{key}`, {}", row.because),
                param: key,
            });
        }
    }
    repairs
}

/// `replaceAll` in every entry of `edits` is that of the call; `false` in some says nothing. Where only some entries
/// ask for it, it stays in them and is refused, as there is only one for all of them.
fn raise_replace_all(call: &mut Map<String, Value>, schema: &Value) -> Vec<Repair> {
    const WANTED: &str = "replaceall";
    let own = properties(schema).find(|name| has_normal_form(name, WANTED));
    let taken_by_entries = schema
        .pointer("/properties/edits/items")
        .is_some_and(|entry| properties(entry).any(|name| has_normal_form(name, WANTED)));
    let given = own.and_then(|own| call.get(own)).cloned();
    let Some(Value::Array(edits)) = call.get_mut("edits").filter(|_| !taken_by_entries) else {
        return Vec::new();
    };
    let key_in = |edit: &Value| {
        let entry = edit.as_object()?;
        entry
            .keys()
            .find(|key| has_normal_form(key, WANTED))
            .cloned()
    };
    let asked: Vec<Option<bool>> = edits
        .iter()
        .map(|edit| edit.get(key_in(edit)?)?.as_bool())
        .collect();
    let all_ask = asked.iter().all(|asked| *asked == Some(true));
    let none_asks = asked.iter().all(|asked| *asked != Some(true));
    let fits = match &given {
        _ if none_asks => true,
        None => all_ask && own.is_some(),
        Some(given) => all_ask && *given == true,
    };
    if !fits {
        return Vec::new();
    }
    let mut repairs = Vec::new();
    for (index, (edit, asked)) in edits.iter_mut().zip(asked).enumerate() {
        let Some(key) = key_in(edit).filter(|_| asked.is_some()) else {
            continue;
        };
        if let Value::Object(entry) = edit {
            entry.shift_remove(&key);
        }
        let message = match (own, asked) {
            (Some(own), Some(true)) => format!("took `{key}` for `{own}` of the call"),
            _ => format!("ignored `{key}`, {HOLDS_ANYWAY}"),
        };
        repairs.push(Repair {
            param: format!("edits[{index}].{key}"),
            message,
        });
    }
    if let Some(own) = own.filter(|_| all_ask && !repairs.is_empty()) {
        call.insert(own.clone(), Value::Bool(true));
    }
    repairs
}

pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = &String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{DialectId, IssueCode};
    use serde_json::Value;

    /// The parameters as the operation takes them and what was reported.
    type Taken = (Value, Vec<String>);

    /// What a call is read as, or its faults: parameter and code.
    fn decoded(
        dialect: DialectId,
        tool: &str,
        call: Value,
    ) -> Result<Taken, Vec<(String, IssueCode)>> {
        let decoded = dialect.dialect().tool(tool).unwrap().decode(call);
        decoded
            .map(|decoded| {
                let reported = decoded
                    .repairs
                    .into_iter()
                    .map(|repair| format!("{}: {}", repair.param, repair.message));
                (decoded.params.into_json(), reported.collect())
            })
            .map_err(|issues| {
                issues
                    .into_iter()
                    .map(|issue| (issue.param, issue.code))
                    .collect()
            })
    }

    #[test]
    fn what_only_describes_a_command_is_left_out_and_reported() {
        let rows = [
            (DialectId::Canonical, "Bash", "description"),
            (DialectId::Coder, "bash", "description"),
            (DialectId::Agent, "exec", "title"),
            (DialectId::Acp, "run_command", "Description"),
        ];
        for (dialect, tool, name) in rows {
            let (params, reported) =
                decoded(dialect, tool, json!({"command": "ls", name: "Lists files"})).unwrap();
            assert_eq!(params["command"], "ls");
            assert_eq!(params.get(name), None);
            assert_eq!(
                reported,
                [format!(
                    "{name}: ignored `{name}`, which only describes the call"
                )]
            );
        }
    }

    #[test]
    fn a_wish_to_read_all_of_a_file_is_left_out_as_reads_say_how_to_continue() {
        let call = json!({"file_path": "a.txt", "allow_large": true});
        let (params, reported) = decoded(DialectId::Canonical, "Read", call).unwrap();
        assert_eq!(params["path"], "a.txt");
        assert_eq!(
            reported,
            ["allow_large: ignored `allow_large`, as a long file is read in parts"]
        );
    }

    #[test]
    fn a_command_is_taken_as_codex_and_openclaw_send_it() {
        let call =
            json!({"cmd": "ls", "yield_time_ms": 500, "max_output_tokens": 100, "host": "auto"});
        let (params, reported) = decoded(DialectId::Agent, "exec", call).unwrap();
        assert_eq!(params["yield_after"], 500);
        assert_eq!(
            reported,
            [
                "command: took `cmd` for `command`",
                "yieldMs: took `yield_time_ms` for `yieldMs`",
                "host: ignored `host`, which holds anyway",
                "max_output_tokens: ignored `max_output_tokens`, as long output is shortened anyway",
            ]
        );
        // Another machine is no detail.
        let call = json!({"command": "ls", "host": "node"});
        let refused = decoded(DialectId::Agent, "exec", call);
        assert_eq!(
            refused,
            Err(vec![("host".to_owned(), IssueCode::UnknownParam)])
        );
    }

    #[test]
    fn matches_alone_are_refused_where_a_tool_shows_whole_lines() {
        let call = |only: bool| json!({"pattern": "a", "only_matching": only});
        assert!(decoded(DialectId::Agent, "grep", call(false)).is_ok());
        assert!(decoded(DialectId::Agent, "grep", call(true)).is_err());
        let (params, reported) = decoded(DialectId::Canonical, "Grep", call(true)).unwrap();
        assert_eq!(params["only_matching"], true);
        assert_eq!(reported, ["-o: took `only_matching` for `-o`"]);
    }

    #[test]
    fn answers_of_a_model_to_its_own_questions_are_refused() {
        let options = json!([{"label": "a", "description": "b", "preview": "1 | 2"}, {"label": "c", "description": "d"}]);
        let questions = json!([{"question": "Which?", "header": "h", "options": options, "multiSelect": false}]);
        let call = |answers: Value| json!({"questions": questions.clone(), "metadata": {"source": "x"}, "answers": answers});
        let (params, reported) =
            decoded(DialectId::Canonical, "AskUserQuestion", call(json!({}))).unwrap();
        assert_eq!(params["questions"], questions);
        assert_eq!(
            reported,
            [
                "metadata: ignored `metadata`, which only describes the call",
                "answers: ignored `answers`, as the user answers",
            ]
        );
        let forged = call(json!({"Which?": "a"}));
        let refused = decoded(DialectId::Canonical, "AskUserQuestion", forged);
        assert_eq!(
            refused,
            Err(vec![("answers".to_owned(), IssueCode::UnknownParam)])
        );
    }

    #[test]
    fn what_would_change_a_command_is_refused() {
        let refused = decoded(
            DialectId::Canonical,
            "Bash",
            json!({"command": "ls", "dangerouslyDisableSandbox": true}),
        );
        assert_eq!(
            refused.unwrap_err(),
            [(
                "dangerouslyDisableSandbox".to_owned(),
                IssueCode::UnknownParam
            )]
        );
        let refused = decoded(
            DialectId::Canonical,
            "Bash",
            json!({"command": "ls", "description": {"a": 1}}),
        );
        assert_eq!(
            refused.unwrap_err(),
            [("description".to_owned(), IssueCode::UnknownParam)]
        );
    }

    #[test]
    fn what_asks_for_what_holds_anyway_is_left_out_and_any_other_value_is_refused() {
        use DialectId::{Acp, Canonical, Coder};
        let rows = [
            (
                Canonical,
                "Bash",
                "dangerouslyDisableSandbox",
                json!(false),
                json!(true),
            ),
            (
                Coder,
                "bash",
                "with_escalated_permissions",
                json!(false),
                json!(true),
            ),
            (
                Coder,
                "bash",
                "sandbox_permissions",
                json!("use_default"),
                json!("require_escalated"),
            ),
            (
                Coder,
                "bash",
                "run_in_background",
                json!(false),
                json!(true),
            ),
            (Coder, "bash", "workdir", json!("."), json!("src")),
            (
                Acp,
                "run_command",
                "is_background",
                json!(false),
                json!(true),
            ),
            (Canonical, "BashOutput", "block", json!(false), json!(true)),
        ];
        for (dialect, tool, name, holds, changes) in rows {
            let call = |value: &Value| match tool {
                "BashOutput" => json!({"bash_id": "a", name: value}),
                _ => json!({"command": "ls", name: value}),
            };
            let (params, reported) = decoded(dialect, tool, call(&holds)).unwrap();
            assert_eq!(params.get(name), None);
            assert_eq!(
                reported,
                [format!("{name}: ignored `{name}`, which holds anyway")]
            );
            assert_eq!(
                decoded(dialect, tool, call(&changes)).unwrap_err(),
                [(name.to_owned(), IssueCode::UnknownParam)]
            );
        }
    }

    #[test]
    fn a_time_to_wait_is_left_out_only_where_nothing_is_waited_for() {
        let look = |more: Value| {
            let mut call = json!({"task_id": "a", "timeout": 5000});
            call.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            decoded(DialectId::Canonical, "BashOutput", call)
        };
        let (_, reported) = look(json!({"block": false})).unwrap();
        assert_eq!(
            reported,
            [
                "bash_id: took `task_id` for `bash_id`",
                "timeout: ignored `timeout`, as nothing is waited for",
                "block: ignored `block`, which holds anyway",
            ]
        );
        assert_eq!(
            look(json!({})).unwrap_err(),
            [("timeout".to_owned(), IssueCode::UnknownParam)]
        );
        assert_eq!(
            decoded(
                DialectId::Coder,
                "bash",
                json!({"command": "ls", "timeout": 5000})
            )
            .unwrap_err(),
            [("timeout".to_owned(), IssueCode::UnknownParam)]
        );
    }

    #[test]
    fn one_expected_replacement_is_what_holds_and_any_other_number_is_refused() {
        let call = |more: Value| {
            let mut call = json!({"file_path": "a", "old_string": "x", "new_string": "y"});
            call.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            decoded(DialectId::Canonical, "Edit", call)
        };
        let (params, reported) =
            call(json!({"expected_replacements": 1, "instruction": "Rename it."})).unwrap();
        assert_eq!(
            params,
            json!({"path": "a", "edits": [{"old_text": "x", "new_text": "y"}], "replace_all": false})
        );
        assert_eq!(
            reported,
            [
                "instruction: ignored `instruction`, which only describes the call",
                "expected_replacements: ignored `expected_replacements`, which holds anyway",
            ]
        );
        for more in [
            json!({"expected_replacements": 2}),
            json!({"expected_replacements": 1, "replace_all": true}),
        ] {
            assert_eq!(
                call(more).unwrap_err(),
                [("expected_replacements".to_owned(), IssueCode::UnknownParam)]
            );
        }
    }

    #[test]
    fn replace_all_in_every_edit_is_that_of_the_call() {
        let pair = |more: Value| {
            let mut pair = json!({"oldText": "x", "newText": "y"});
            pair.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            pair
        };
        let edit = |edits: Value, more: Value| {
            let mut call = json!({"file_path": "a", "edits": edits});
            call.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            decoded(DialectId::Agent, "edit", call)
        };
        let yes = || pair(json!({"replaceAll": true}));
        let (params, reported) = edit(
            json!([yes(), pair(json!({"replace_all": true}))]),
            json!({}),
        )
        .unwrap();
        assert_eq!(params["replace_all"], true);
        assert_eq!(
            reported,
            [
                "edits[0].replaceAll: took `replaceAll` for `replaceAll` of the call",
                "edits[1].replace_all: took `replace_all` for `replaceAll` of the call",
            ]
        );
        let (params, reported) = edit(
            json!([pair(json!({"replaceAll": false})), pair(json!({}))]),
            json!({}),
        )
        .unwrap();
        assert_eq!(params.get("replace_all"), None);
        assert_eq!(
            reported,
            ["edits[0].replaceAll: ignored `replaceAll`, which holds anyway"]
        );
        // One for all of them is all there is.
        for (edits, more) in [
            (json!([yes(), pair(json!({}))]), json!({})),
            (json!([yes()]), json!({"replaceAll": false})),
        ] {
            assert_eq!(
                edit(edits, more).unwrap_err(),
                [("edits[0].replaceAll".to_owned(), IssueCode::UnknownParam)]
            );
        }
        let text = json!([{"oldText": "x", "newText": "y", "replaceAll": "often"}]);
        assert_eq!(
            edit(text, json!({})).unwrap_err(),
            [("edits[0].replaceAll".to_owned(), IssueCode::UnknownParam)]
        );
    }
}
