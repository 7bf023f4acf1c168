//! Every row must give exactly the result in it.

use tenon_policy::Decision;

use crate::table::{cases, cases_in, decide};

/// What decides, as the tables name it: the list and the rule, else the setting.
fn named(decision: &Decision) -> String {
    let rule = decision.rule.clone().unwrap_or_default();
    match decision.list {
        Some(list) => format!("{}: {rule}", list.name()),
        None => rule,
    }
}

#[test]
fn every_case_is_decided_as_its_table_says() {
    let mut wrong = Vec::new();
    let all = cases();
    for case in &all {
        let decision = decide(case);
        let rule = named(&decision);
        if decision.verdict.name() != case.verdict || (!case.rule.is_empty() && rule != case.rule) {
            wrong.push(format!(
                "{}:{}: {:?}: wanted {} by {:?}, got {} by {:?}: {} ({})",
                case.file,
                case.line,
                case.call,
                case.verdict,
                case.rule,
                decision.verdict.name(),
                rule,
                decision.reason,
                case.why
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        all.len(),
        wrong.join("\n")
    );
}

#[test]
fn there_are_enough_cases_and_few_are_stricter_than_a_user() {
    let all = cases();
    let allowed = all.iter().filter(|case| case.verdict == "allow").count();
    let strict = all.iter().filter(|case| case.strict).count();
    assert!(all.len() >= 500, "{} cases", all.len());
    let share = 100.0 * strict as f64 / (allowed + strict) as f64;
    assert!(
        share <= 3.0,
        "{strict} of {} harmless cases are not allowed ({share:.1} %)",
        allowed + strict
    );
    let attacks = all.len() - allowed - strict;
    assert!(
        allowed * 10 >= attacks * 7,
        "{allowed} everyday cases against {attacks} others"
    );
}

/// Not a test of its own: prints what decides each row, of the tables in the directory that `DECISIONS` names if it is
/// set, for who writes tables.
#[test]
#[ignore = "a help for writing tables"]
fn print_rules() {
    let all = std::env::var_os("DECISIONS");
    let all = all.map_or_else(cases, |directory| cases_in(directory.as_ref()));
    for case in all {
        let decision = decide(&case);
        println!(
            "{}:{}\t{}\t{}\t{}\t{}\t{}",
            case.file,
            case.line,
            case.verdict,
            decision.verdict.name(),
            named(&decision),
            case.call,
            decision.reason,
        );
    }
}
