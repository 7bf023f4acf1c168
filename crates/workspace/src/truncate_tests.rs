use super::*;
use proptest::prelude::*;

/// What pi's truncate answers, reported as: content, by, lines, bytes of the output, partial, first.
type Summary = (String, Option<TruncatedBy>, u64, u64, bool, bool);

fn reported(result: &TruncationResult) -> Summary {
    (
        result.content.clone(),
        result.truncated_by,
        result.output_lines,
        result.output_bytes,
        result.last_line_partial,
        result.first_line_exceeds_limit,
    )
}

fn expect(
    content: &str,
    by: Option<TruncatedBy>,
    lines: u64,
    partial: bool,
    first: bool,
) -> Summary {
    let bytes = wide(content.len());
    (content.into(), by, lines, bytes, partial, first)
}

#[test]
fn text_within_the_limits_comes_back_unchanged_with_its_last_newline() {
    for text in ["", "a", "a\n", "a\nb\n", "\n", "a\r\nb\r\n"] {
        for result in [truncate_head(text, 3, 100), truncate_tail(text, 3, 100)] {
            let lines = wide(text.lines().count());
            assert_eq!(reported(&result), expect(text, None, lines, false, false));
            assert!(!result.truncated);
        }
    }
}

#[test]
fn the_head_keeps_whole_first_lines() {
    let result = truncate_head("one\ntwo\nthree\n", 2, 100);
    assert_eq!(
        reported(&result),
        expect("one\ntwo", Some(TruncatedBy::Lines), 2, false, false)
    );
    assert_eq!((result.total_lines, result.total_bytes), (3, 14));

    let result = truncate_head("one\ntwo\nthree\n", 10, 12);
    assert_eq!(
        reported(&result),
        expect("one\ntwo", Some(TruncatedBy::Bytes), 2, false, false)
    );
}

#[test]
fn a_first_line_over_the_limit_leaves_nothing_and_says_so() {
    assert_eq!(
        reported(&truncate_head("äöü\nb", 10, 5)),
        expect("", Some(TruncatedBy::Bytes), 0, false, true)
    );
}

#[test]
fn the_tail_keeps_whole_last_lines_without_the_last_newline() {
    assert_eq!(
        reported(&truncate_tail("one\ntwo\nthree\n", 2, 100)),
        expect("two\nthree", Some(TruncatedBy::Lines), 2, false, false)
    );
    assert_eq!(
        reported(&truncate_tail("one\ntwo\nthree\n", 10, 9)),
        expect("two\nthree", Some(TruncatedBy::Bytes), 2, false, false)
    );
}

#[test]
fn a_last_line_over_the_limit_is_cut_at_its_front_between_characters() {
    assert_eq!(
        reported(&truncate_tail("a\näöü", 10, 5)),
        expect("öü", Some(TruncatedBy::Bytes), 1, true, false)
    );
}

#[test]
fn the_facts_have_pis_names() {
    let value = serde_json::to_value(truncate_head("a\nb", 1, 10)).unwrap();
    assert_eq!(
        value,
        serde_json::json!({
            "content": "a", "truncated": true, "truncatedBy": "lines", "totalLines": 2,
            "totalBytes": 3, "outputLines": 1, "outputBytes": 1, "lastLinePartial": false,
            "firstLineExceedsLimit": false, "maxLines": 1, "maxBytes": 10,
        })
    );
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof!["[a-cä€😀]{0,6}", Just("\n".into()), Just("\r\n".into())],
        0..20,
    )
    .prop_map(|parts: Vec<String>| parts.concat())
}

proptest! {
    #[test]
    fn head_and_tail_are_whole_lines_within_the_limits(
        text in texts(),
        max_lines in 0_usize..8,
        max_bytes in 0_usize..30,
    ) {
        let body = text.strip_suffix('\n').unwrap_or(&text);
        let lines: Vec<&str> = if text.is_empty() { vec![] } else { body.split('\n').collect() };
        let fits = lines.len() <= max_lines && text.len() <= max_bytes;
        for (result, is_head) in [
            (truncate_head(&text, max_lines, max_bytes), true),
            (truncate_tail(&text, max_lines, max_bytes), false),
        ] {
            prop_assert_eq!(result.truncated, !fits);
            prop_assert_eq!(result.total_lines, wide(lines.len()));
            prop_assert_eq!(result.total_bytes, wide(text.len()));
            prop_assert_eq!(result.output_bytes, wide(result.content.len()));
            if fits {
                prop_assert_eq!(&result.content, &text);
                continue;
            }
            prop_assert!(result.content.len() <= max_bytes);
            let kept = usize::try_from(result.output_lines).unwrap();
            prop_assert!(kept <= max_lines);
            let joined = if is_head { lines[..kept].join("\n") } else { lines[lines.len() - kept..].join("\n") };
            if result.last_line_partial {
                prop_assert!(lines[lines.len() - 1].ends_with(&result.content));
            } else {
                prop_assert_eq!(&result.content, &joined);
                // One more line would not have fitted.
                if kept < lines.len() && kept < max_lines {
                    let next = if is_head { lines[kept] } else { lines[lines.len() - kept - 1] };
                    prop_assert!(joined.len() + next.len() + usize::from(kept > 0) > max_bytes);
                }
            }
        }
    }
}
