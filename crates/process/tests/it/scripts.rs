//! Scripts longer than one argument can be behave like short ones.

use std::fs;

use crate::support::{Place, shells, text};

/// Fills a script up to a length with a remark.
fn padded(script: &str, bytes: usize) -> String {
    let line = "# filling, filling, filling, filling\n";
    let mut padded = String::new();
    while padded.len() + line.len() + script.len() < bytes {
        padded.push_str(line);
    }
    padded.push_str(&"#".repeat(bytes - padded.len() - script.len() - 1));
    padded.push('\n');
    padded + script
}

#[tokio::test(flavor = "multi_thread")]
async fn length_changes_nothing() {
    const ARGUMENT: usize = 128 * 1024 - 1;
    let place = Place::new();
    for shell in shells() {
        for script in [
            "echo $0 $#; cat; exit 3",
            "echo \"it's\" \\\\ '$x' `echo y`; false",
            "trap 'echo bye' EXIT; exit 5",
            "f() { return 4; }; f",
            "echo before\nfi",
            "kill -TERM $$; sleep 5",
            "sleep 100 & echo $$ | grep -c .",
            "set -e; false; echo not reached",
        ] {
            let mut answers = Vec::new();
            for bytes in [0, ARGUMENT, ARGUMENT + 1, 3_000_000] {
                let mut spec = place.spec("");
                spec.script = if bytes == 0 {
                    script.to_owned()
                } else {
                    padded(script, bytes)
                };
                spec.shell = shell.clone();
                assert!(bytes == 0 || spec.script.len() == bytes);
                let result = place.run(spec).await;
                // A syntax error names its line, which the filling moves.
                let said: String = text(&result)
                    .lines()
                    .filter(|line| !line.contains(": "))
                    .collect();
                answers.push((
                    result.exit_code,
                    result.signal,
                    said,
                    result.ended.survivors,
                ));
            }
            assert!(
                answers.iter().all(|answer| *answer == answers[0]),
                "{shell:?} {script}: {answers:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_a_long_script_is_private_and_goes_with_the_command() {
    let place = Place::new();
    let directory = place.spilled();
    let script = padded(
        &format!(
            "stat -c '%a %n' {0}/*/ {0}/*/* | sed 's| .*| |'",
            directory.display()
        ),
        200_000,
    );
    let mut spec = place.spec("");
    spec.script = script;
    let result = place.run(spec).await;
    assert_eq!(text(&result), "700 \n600 \n");
    let private = place.processes.spill_directory().unwrap();
    let left = fs::read_dir(private).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    // What says that the directory is in use.
    assert_eq!(left, [".owner"]);
}
