//! What bash evaluates a second time, by running it: texts that bring a command into a value and evaluate the value
//! run it, and none of these is allowed.
//!
//! The command is the stub `rm` of the directory in which the cases of the tables run; a deny rule is about it.

use proptest::prelude::*;

use crate::attempted::{self, jail, none_is_allowed, one_of, runs_rm};
use crate::table::{Case, Settings, cases};

fn settings() -> Settings {
    attempted::settings(&[
        "echo:*",
        "printf:*",
        "ls:*",
        "mapfile:*",
        "getopts:*",
        "seq:*",
    ])
}

/// Names of variables, some of which bash evaluates itself or the host may know.
fn name() -> impl Strategy<Value = &'static str> {
    one_of(&["v", "w", "n", "C", "COUNT", "OPTIND", "v1", "l"])
}

/// Gives `V` a value that holds a command, or one that does not. `%` stands for the value.
const SOURCES: &[&str] = &[
    "V=%",
    "V=%",
    "declare V=%",
    "export V=%",
    "read -r V <<< \"%\"",
    "printf -v V '%s' \"%\"",
    "V=$(echo \"%\")",
    "for V in \"%\"; do :; done",
    "V=(\"%\")",
    "mapfile -t V <<< \"%\"",
    ": ${V:=%}",
    "V=; V+=%",
    "set -- \"%\"; V=$1",
    "V=\"-v %\"",
    "declare -n V=W; W=%",
    "V[0]=%",
    "command export V=\"%\"",
    "V=0",
    "V=$((1+2))",
    "V=5",
    "V=name",
    "declare -i V=3",
    "V=$#",
    "IFS=' ' read -ra V <<< \"%\"",
    "V=(1 \"%\")",
    "V=\"(%)\"",
];

/// Brings the value of `V` to `W`.
const WAYS: &[&str] = &[
    "W=$V",
    "W=V",
    "W=\"$V\"",
    "W=${V:0:60}",
    "W=${V%z}",
    "W=${V:-5}",
    "W=${X:-$V}",
    "W=(\"$V\")",
    "for W in $V; do :; done",
    "W=${!V}",
    "read -r W <<< \"$V\"",
    "W=$(echo $V)",
    "W=$(seq 1 3)",
    "W=${V/x/x}",
    "W=${V[0]}",
    "W=${V[@]}",
    "W=$((W+1))",
    "p=V q=; W=$p$q",
    "W=${V@Q}",
    "W=${#V}",
    "declare -n W=V",
    "typeset -n W; W=V",
    "declare -i W",
    "declare -a W",
    ":",
    ":",
    "W=1",
    "set -- \"$V\"; W=$@",
    "W+=$V",
    "echo x $V; W=$_",
];

/// Evaluates `V`.
const PLACES: &[&str] = &[
    "echo $((V))",
    "echo $((V+1))",
    "echo $(($V))",
    "((V))",
    "((V++))",
    "echo $[V]",
    "let V",
    "let \"i=V+1\"",
    "[[ $V -eq 1 ]]",
    "[[ V -eq 1 ]]",
    "[[ 1 -lt \"$V\" ]]",
    "[[ -v $V ]]",
    "[[ -v \"$V\" ]]",
    "test -v \"$V\"",
    "[ -v $V ]",
    "[ $V ]",
    "[ $V -eq 3 ]",
    "[ \"$V\" -eq 3 ]",
    "o=-v; [ $o \"$V\" ]",
    "s=abc; echo ${s:V}",
    "echo ${s:0:$V}",
    "a=(1); echo ${a[V]}",
    "echo ${a[$V]}",
    "a[V]=1",
    "a[$V]=1",
    "a=([V]=1)",
    "echo ${!V}",
    "declare -i z=V",
    "declare -i \"z=$V\"",
    "declare -i z; z=$V",
    "declare -a \"z=$V\"",
    "declare -a z=\"$V\"",
    "z=(1); declare \"z=$V\"",
    "export -a \"z=$V\"",
    "RANDOM=$V",
    "OPTIND=$V",
    "SRANDOM=$V",
    "for ((i=V;i<1;i++)); do break; done",
    "for OPTIND in \"$V\"; do :; done",
    "printf -v \"$V\" x",
    "read \"$V\" <<< 1",
    "read OPTIND <<< \"$V\"",
    "unset \"a[$V]\"",
    "declare -n r=$V; echo $r",
    "declare -n r; r=$V; echo $r",
    "wait -n -p \"$V\"",
    "getopts a \"$V\"",
    "echo $((LANG))",
    "x=$((V)); echo $x",
    "echo ${b[0]:-$((V))}",
    "case $((V)) in 1) ;; esac",
    "echo ${a[@]:V:1}",
    "echo \"${a[V]}\"",
    "[[ -v a[V] ]]",
    "while ((V)); do break; done",
    "if [[ V -gt 1 ]]; then ls; fi",
    "declare -A t; t[$V]=1",
    "echo ${#a[V]}",
    "mapfile -t -O 1 V <<< \"$V\"",
];

fn text() -> impl Strategy<Value = String> {
    let steps = (
        (one_of(SOURCES), name()),
        prop::collection::vec((one_of(WAYS), name(), name()), 0..3),
        (one_of(PLACES), name()),
        any::<bool>(),
    );
    steps.prop_map(|((source, first), ways, (place, last), straight)| {
        let put = |text: &str, from: &str, to: &str| {
            let letters = text.replace('V', "\u{1}").replace('W', "\u{2}");
            letters.replace('\u{1}', from).replace('\u{2}', to)
        };
        let mut text = "x='a[@(rm${IFS}x)]' d='$'".to_owned();
        let mut at = first;
        text += &format!("; {}", put(source, first, "w2").replace('%', "${x/@/$d}"));
        for (way, from, to) in ways {
            let from = if straight { at } else { from };
            text += &format!("; {}", put(way, from, to));
            at = to;
        }
        text + "; " + &put(place, if straight { at } else { last }, "w3")
    })
}

#[test]
fn no_text_that_evaluates_a_command_in_a_value_is_allowed() {
    let Some(jail) = jail(&["rm", "ls"]) else {
        return;
    };
    none_is_allowed(&jail, &settings(), 1500, text(), (40, 20));
}

#[test]
fn what_is_asked_because_of_a_value_can_really_run_it() {
    let Some(jail) = jail(&["rm", "ls"]) else {
        return;
    };
    let settings = settings();
    let attempts = |case: &Case| {
        case.file == "evaluated.md" && case.verdict == "ask" && case.call.contains("(rm${IFS}x)")
            || case.call.contains("x='a[@(rm x)]' d='$'")
    };
    let cases: Vec<Case> = cases().into_iter().filter(attempts).collect();
    let without: Vec<&str> = cases
        .iter()
        .map(|case| case.call.as_str())
        .filter(|call| !call.contains("LANG") && !runs_rm(&jail, &settings, call))
        .collect();
    assert_eq!(without, Vec::<&str>::new());
    assert!(cases.len() > 30, "{} cases", cases.len());
}
