//! Texts that multiply: what they make of each other is followed up to a bound, beyond which nothing is certain.

use tenon_policy::{Decision, Verdict};

use crate::table::{Settings, decide_with, engine};

fn decide(call: &str) -> Decision {
    let settings = Settings {
        deny: vec!["Read(.env)".to_owned(), "Edit(secrets/**)".to_owned()],
        allow: ["Bash", "Read(**)", "Edit(**)"].map(str::to_owned).into(),
        directories: vec!["build".to_owned()],
        ..Settings::default()
    };
    decide_with(&engine(&settings), &settings, call)
}

#[test]
fn what_is_moved_onto_itself_again_and_again_is_not_followed_through_every_order() {
    let text = "mv l/a l; ".repeat(15) + "cat l/x";
    assert_eq!(decide(&text).verdict, Verdict::Ask);
    let text = "mv l/a l; ".repeat(15) + "cat .env";
    assert_eq!(decide(&text).verdict, Verdict::Deny);
}

#[test]
fn a_path_behind_more_links_than_are_followed_is_asked_about() {
    let links: String = ["b", "c", "d"]
        .iter()
        .map(|name| format!("ln -s {name} a; ln -s a {name}; "))
        .collect();
    let paths: String = (0..400)
        .map(|number| format!("cat a/a/x{number}; "))
        .collect();
    assert_eq!(decide(&(links.clone() + &paths)).verdict, Verdict::Ask);
    assert_eq!(
        decide(&(links + &paths + "cat .env")).verdict,
        Verdict::Deny
    );
}

#[test]
fn values_of_a_loop_that_are_used_too_often_are_not_distinguished() {
    let values: String = (0..900).map(|number| format!(" w{number}")).collect();
    let uses = |count: usize| "cat \"$i\"; ".repeat(count);
    let text = |count| format!("for i in{values}; do {}done", uses(count));
    assert_eq!(decide(&text(3)).verdict, Verdict::Allow);
    assert_eq!(decide(&text(50)).verdict, Verdict::Ask);
    let denied = format!("for i in{values} .env; do {}done", uses(2));
    assert_eq!(decide(&denied).verdict, Verdict::Deny);
}

#[test]
fn long_lists_of_resources_are_asked_about_once_they_are_too_many_to_be_written_by_all_their_names()
{
    let settings = Settings {
        deny: vec!["Bash(kubectl delete pods:*)".to_owned()],
        allow: vec!["Bash(kubectl:*)".to_owned()],
        ..Settings::default()
    };
    let engine = engine(&settings);
    let verdict = |count: usize, last: &str| {
        let call = format!("kubectl delete {}{last}", "svc/a,".repeat(count));
        decide_with(&engine, &settings, &call).verdict
    };
    assert_eq!(verdict(100, "svc/b"), Verdict::Allow);
    assert_eq!(verdict(100, "po/b"), Verdict::Deny);
    assert_eq!(verdict(3000, "svc/b"), Verdict::Ask);
    assert_eq!(verdict(3000, "po/b"), Verdict::Ask);
}

#[test]
fn many_files_copied_into_many_directories_are_asked_about() {
    let copies = |count: usize| -> String {
        let words = (0..count).map(|number| format!(" -t build/d{number} f{number}"));
        format!("cp{}", words.collect::<String>())
    };
    assert_eq!(decide(&copies(5)).verdict, Verdict::Allow);
    assert_eq!(decide(&copies(90)).verdict, Verdict::Ask);
    assert_eq!(decide(&(copies(90) + " .env")).verdict, Verdict::Deny);
}
