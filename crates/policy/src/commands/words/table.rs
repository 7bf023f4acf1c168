//! The tables of `fixtures/commands.md`.

use tenon_shell::{ShellGrammar, Word, read};

const TEXT: &str = include_str!("../../../../../fixtures/commands.md");

/// Compares each row of the section with this title with what is found of the words of its command.
pub(super) fn each_row(title: &str, find: impl Fn(&[Word]) -> String) {
    let mut sections = TEXT.split("\n## ").filter_map(|part| part.split_once('\n'));
    let (_, section) = sections.find(|(own, _)| *own == title).unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<&str> = rows.collect();
    assert!(!rows.is_empty(), "{title}");
    for row in rows {
        let (command, expected) = row.rsplit_once("` | ").unwrap();
        let command = command.replace("\\|", "|");
        let script = read(&command, ShellGrammar::Bash).unwrap();
        let found = find(&script.commands().next().unwrap().words);
        assert_eq!(Some(&*found), expected.split(" |").next(), "{command}");
    }
}
