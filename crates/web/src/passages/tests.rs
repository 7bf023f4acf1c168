//! Which passages a question gets.

use proptest::prelude::*;

use super::*;

fn page() -> String {
    let filler = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor.";
    let mut page = String::from("# Manual\n\nWelcome to the manual.\n");
    for (title, sentence) in [
        ("Installation", "Run the installer and follow it."),
        (
            "Timeouts",
            "The request timeout is set by `timeoutMs` and defaults to 30 seconds.",
        ),
        (
            "Retries",
            "A failed call is retried three times with growing pauses.",
        ),
        ("Colours", "Output is coloured on a terminal."),
    ] {
        page.push_str(&format!(
            "\n## {title}\n\n{sentence}\n\n{}\n",
            [filler; 30].join(" ")
        ));
    }
    page
}

#[test]
fn the_section_in_question_is_taken_with_its_headings() {
    let found = passages(&page(), "How are requests retried?", 4000);
    assert!(
        found
            .text
            .contains("## Retries\n\nA failed call is retried"),
        "{}",
        found.text
    );
    assert!(found.text.contains("(under: Manual)"), "{}", found.text);
    assert!(!found.text.contains("coloured"), "{}", found.text);
    assert!(found.taken < found.of);
}

#[test]
fn names_in_code_are_found_by_their_words() {
    let found = passages(&page(), "timeout ms", 4000);
    assert!(found.text.contains("`timeoutMs`"));
}

#[test]
fn passages_keep_the_order_of_the_text_and_mark_what_is_between() {
    let found = passages(&page(), "colour installation", 20_000);
    let at = |text: &str| found.text.find(text).unwrap();
    assert!(at("Run the installer") < at("coloured"));
    assert!(found.text.contains("\n\n[…]\n\n"));
}

#[test]
fn without_a_match_no_passage_is_taken() {
    let found = passages(&page(), "zebra", 500);
    let nothing = Passages {
        text: String::new(),
        taken: 0,
        of: sections(&page()).len(),
    };
    assert_eq!(found, nothing);
}

#[test]
fn code_is_not_torn_and_its_comments_are_no_headings() {
    let code = format!(
        "```sh\n# not a heading\n\n{}\n```",
        "echo word\n".repeat(300)
    );
    let sections = sections(&format!("# A\n\n{code}\n\nafter"));
    assert!(
        sections
            .iter()
            .any(|section| section.text.contains("# not a heading")
                && section.text.contains("```\n\nafter")
                || section.text.ends_with("```"))
    );
    assert!(sections.iter().all(|section| section.path == ["A"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_the_text_the_answer_is_bounded_and_made_of_the_text(
        text in "([#`a-z \n]{0,12}|[a-zé日]{1,9} ){0,80}", question in "[a-z日 ]{0,20}", most in 0_usize..400,
    ) {
        let found = passages(&text, &question, most);
        // Marks of gaps and paths come on top, bounded by the number of sections.
        prop_assert!(found.text.chars().count() <= most + 40 * (found.taken + 2) + 200);
        prop_assert!(found.taken <= found.of);
        for line in found.text.lines().filter(|line| !line.contains("[…]") && !line.starts_with("(under: ")) {
            prop_assert!(text.contains(line));
        }
    }
}
