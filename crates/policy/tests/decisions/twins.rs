//! Every other name of a program is decided as the program itself.

use tenon_policy::Decision;
use tenon_shell::{facts_name, known_aliases, program_name};

use crate::table::{Settings, decide_with, engine};

/// Commands of programs, of which the first word is the name.
const COMMANDS: &[&str] = &[
    "rm -rf .",
    "rm -rf secret",
    "rm a",
    "rmdir secret/x",
    "mkdir secret/x",
    "touch secret/x",
    "tee secret/x",
    "dd of=secret/x",
    "truncate -s0 secret/a",
    "shred secret/a",
    "chmod -R 777 .",
    "chown -R me .",
    "chgrp -R me .",
    "chmod +x secret/a",
    "ls -R",
    "ls secret",
    "du -a .",
    "cp -r . build",
    "cp secret/a build",
    "mv secret build",
    "ln -s secret x",
    "install a secret/b",
    "cat secret/a",
    "head secret/a",
    "tail secret/a",
    "wc secret/a",
    "sort -o secret/a b",
    "uniq a secret/b",
    "split a secret/x",
    "csplit -f secret/x a 1",
    "stat secret/a",
    "od secret/a",
    "base64 secret/a",
    "sha256sum secret/a",
    "cut -c1 secret/a",
    "paste a secret/a",
    "join a secret/a",
    "tac secret/a",
    "nl secret/a",
    "shuf -o secret/a b",
    "env rm a",
    "env cat secret/a",
    "timeout 5 rm a",
    "nice rm a",
    "nohup rm a",
    "stdbuf -o0 rm a",
    "time rm a",
    "xargs rm",
    "chroot . rm a",
    "install -d secret/x",
    "tar cf a .",
    "tar xf a -C secret",
    "tar -I ./x -cf a b",
    "tar --to-command=x -xf a",
    "find . -delete",
    "find . -name a",
    "find secret",
    "find . -exec rm {} +",
    "find . -fprint secret/a",
    "sed -i s/a/b/ secret/a",
    "sed -n p secret/a",
    "sed 'w secret/a' b",
    "awk 1 secret/a",
    "awk 'BEGIN{system(\"rm a\")}'",
    "awk '{print > \"secret/a\"}' b",
    "make -f secret/a",
    "make x",
    "make -C ..",
    "grep -r x .",
    "grep x secret/a",
    "diff -r . build",
    "patch secret/a",
    "python secret/a.py",
    "python -c 'open(\"secret/a\")'",
    "python -m pip install x",
    "python a.py",
    "pip install -r secret/a",
    "pip install x",
    "node secret/a.js",
    "node -e 'open(\"secret/a\")'",
    "node -r ./x a.js",
    "yarn deploy",
    "yarn exec rm a",
    "lua secret/a",
    "perl -pi -e 1 secret/a",
    "ruby secret/a",
    "php secret/a",
    "fd x . -x rm",
    "fd x secret",
    "bat secret/a",
    "bat --pager x a",
    "7z a x.7z secret",
    "7z x a.7z -osecret",
    "nc -e sh h 1",
    "vim -c '!rm a'",
    "vim secret/a",
    "sudo rm a",
    "pytest -c secret/a",
    "pytest tests",
    "docker run -v .:/x img",
    "docker run -v ./secret:/x img",
    "docker build .",
    "docker cp c:/x secret/a",
    "docker rm x",
    "docker exec c rm -rf /",
    "docker-compose -f ../x up",
    "docker-compose up",
    "eza -R",
    "eza secret",
    "ed secret/a",
    "ar r secret/a b",
    "objcopy a secret/b",
    "strip secret/a",
    "ld --plugin ./x a",
    "m4 secret/a",
    "cpio -o",
    "which a",
];

fn decide(text: &str, allows_all: bool) -> Decision {
    let allow = if allows_all {
        vec!["Bash(*)"]
    } else {
        Vec::new()
    };
    let settings = Settings {
        deny: [
            "Read(secret/**)",
            "Edit(secret/**)",
            "Bash(rm:*)",
            "Bash(python -m pip:*)",
        ]
        .map(Into::into)
        .to_vec(),
        allow: allow.into_iter().map(Into::into).collect(),
        directories: vec!["secret".into(), "build".into()],
        files: vec!["secret/a".into(), "a".into(), "b".into()],
        looks: true,
        ..Settings::default()
    };
    decide_with(&engine(&settings), &settings, text)
}

#[test]
fn every_name_of_a_program_is_decided_as_the_program_is() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (alias, name) in known_aliases() {
        for command in COMMANDS {
            let (first, rest) = command.split_once(' ').unwrap_or((command, ""));
            if facts_name(first) != facts_name(name) {
                continue;
            }
            let twin = format!("{alias} {rest}");
            // Rules on commands are about the program, not about others that take its arguments.
            let is_same = program_name(&alias) == program_name(first);
            for allows_all in [true, false] {
                let (own, other) = (decide(command, allows_all), decide(&twin, allows_all));
                compared += 1;
                let differ =
                    own.verdict != other.verdict && (is_same || other.verdict < own.verdict);
                if differ {
                    wrong.push(format!(
                        "{command}: {:?}, {twin}: {:?}",
                        own.verdict, other.verdict
                    ));
                }
            }
        }
    }
    assert!(compared > 400, "{compared}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
