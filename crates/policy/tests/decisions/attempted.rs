//! Generated texts that try to run the stub `rm` of the directory in which the cases of the tables run; a deny rule is about
//! it, so that no text which runs it may be allowed.

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tenon_policy::Verdict;

use crate::shells::Jail;
use crate::table::{Case, Settings, decide_with, engine};

/// Settings that deny `rm` and allow these.
pub(crate) fn settings(allow: &[&str]) -> Settings {
    Settings {
        deny: vec!["Bash(rm:*)".to_owned()],
        allow: allow.iter().map(|rule| format!("Bash({rule})")).collect(),
        ..Settings::default()
    }
}

/// Whether bash runs the stub.
pub(crate) fn runs_rm(jail: &Jail, settings: &Settings, call: &str) -> bool {
    let case = Case {
        file: "generated".to_owned(),
        line: 0,
        settings: settings.clone(),
        call: call.to_owned(),
        verdict: String::new(),
        strict: false,
        rule: String::new(),
        why: String::new(),
    };
    let commands = jail.run("bash", &case);
    commands
        .iter()
        .any(|words| words.first().is_some_and(|name| name == "rm"))
}

/// A directory with stubs of these programs, if one can be made here.
pub(crate) fn jail(programs: &[&str]) -> Option<Jail> {
    let programs: BTreeSet<String> = programs.iter().map(|name| (*name).to_owned()).collect();
    let jail = Jail::new(&programs);
    if jail.is_none() {
        println!("no directory of its own could be made; nothing was run");
    }
    jail
}

pub(crate) fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts)
}

/// Checks that of this many texts none is allowed that runs the stub, and that more than so many are allowed, and run it
/// though they are not.
pub(crate) fn none_is_allowed(
    jail: &Jail,
    settings: &Settings,
    cases: u32,
    texts: impl Strategy<Value = String>,
    (least_allowed, least_ran): (u32, u32),
) {
    let (allowed, asked, ran) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let engine = engine(settings);
    let result = runner.run(&texts, |text| {
        if decide_with(&engine, settings, &text).verdict == Verdict::Allow {
            allowed.set(allowed.get() + 1);
            prop_assert!(
                !runs_rm(jail, settings, &text),
                "{text:?} is allowed and runs the command"
            );
        } else {
            asked.set(asked.get() + 1);
            // Some of the others show that the texts are not without effect.
            let runs = asked.get() % 8 == 0 && runs_rm(jail, settings, &text);
            ran.set(ran.get() + u32::from(runs));
        }
        Ok(())
    });
    result.unwrap();
    let (allowed, asked, ran) = (allowed.get(), asked.get(), ran.get());
    println!("{allowed} allowed, {asked} not; of an eighth of these {ran} ran the command");
    assert!(
        allowed > least_allowed && ran > least_ran,
        "{allowed} allowed, {asked} not, {ran} ran"
    );
}
