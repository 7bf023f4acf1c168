//! The findings of every text, compared whole with `texts/findings.txt`.
//!
//! After a deliberate change run with `TENON_BLESS=1` and read the difference.

use std::fmt::Write as _;

use tenon_shell::{ShellGrammar, read};

use crate::{support, texts};

const EXPECTED: &str = include_str!("../texts/findings.txt");

fn findings(text: &str, dialect: ShellGrammar) -> Vec<String> {
    match read(text, dialect) {
        Ok(script) => support::lines(&script, text),
        Err(error) => vec![format!("ERROR {error}")],
    }
}

fn report() -> String {
    let mut report = String::new();
    for text in texts::all() {
        let _ = writeln!(
            report,
            "$ {}",
            text.trim_end_matches('\n').replace('\n', "\n> ")
        );
        let bash = findings(text, ShellGrammar::Bash);
        let dash = findings(text, ShellGrammar::Dash);
        if bash == dash {
            bash.iter()
                .for_each(|line| report.push_str(&format!("    {}\n", line.replace('\n', "⏎"))));
        } else {
            bash.iter()
                .for_each(|line| report.push_str(&format!("  bash {}\n", line.replace('\n', "⏎"))));
            dash.iter()
                .for_each(|line| report.push_str(&format!("  dash {}\n", line.replace('\n', "⏎"))));
        }
    }
    report
}

#[test]
fn findings_of_all_texts() {
    let report = report();
    if std::env::var_os("TENON_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/texts/findings.txt");
        std::fs::write(path, &report).expect("the table is written");
        return;
    }
    for (number, (found, expected)) in report.lines().zip(EXPECTED.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of texts/findings.txt", number + 1);
    }
    assert_eq!(report.lines().count(), EXPECTED.lines().count());
}
