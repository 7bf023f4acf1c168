//! What an edit, a patch and a diff cost on files of 10 KB, 1 MB and 20 MB.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "criterion's macros make public items"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tenon_edit::{Options, Replacement, TextDiff, parse_patch, plan};

/// Source text of about `size` bytes, with one line of its own in the middle.
fn source(size: usize) -> String {
    let mut text = String::with_capacity(size + 200);
    let mut line = 0_usize;
    let mut has_target = false;
    while text.len() < size {
        if !has_target && text.len() * 2 >= size {
            text.push_str("    let target = “the” one_and_only();  \n    after_the_target();\n");
            has_target = true;
        }
        text.push_str("    let value_");
        text.push_str(&line.to_string());
        text.push_str(" = compute(&input, index + 1)?;\n");
        if line.is_multiple_of(7) {
            text.push_str("}\n\n");
        }
        line += 1;
    }
    text
}

const LEVELS: [(&str, &str, &str); 6] = [
    ("exact", "    after_the_target();", "    after();"),
    (
        "trailing-blanks",
        "    let target = “the” one_and_only();\n    after_the_target();\n",
        "    after();\n",
    ),
    (
        "typography",
        "    let target = \"the\" one_and_only();\n    after_the_target();\n",
        "    after();\n",
    ),
    (
        "indentation",
        "let target = \"the\" one_and_only();\nafter_the_target();\n",
        "after_the_target();\n",
    ),
    (
        "missing",
        "    let target = nowhere_at_all();\n    after_the_target();\n",
        "x",
    ),
    ("several", "compute(&input, index + 1)", "x"),
];

fn edits(criterion: &mut Criterion) {
    for size in [10_000, 1_000_000, 20_000_000] {
        let text = source(size);
        let mut group = criterion.benchmark_group(format!("edit/{size}"));
        group.sample_size(10);
        for (name, old, new) in LEVELS {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    plan(
                        black_box(&text),
                        &[Replacement { old, new }],
                        Options::default(),
                    )
                });
            });
        }
        let edit = [Replacement {
            old: "    after_the_target();",
            new: "    after();",
        }];
        group.bench_function("apply", |bencher| {
            let plan = plan(&text, &edit, Options::default()).unwrap();
            bencher.iter(|| plan.apply(black_box(&text)));
        });
        group.finish();
    }
}

fn patches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("patch");
    group.sample_size(10);
    for size in [10_000, 1_000_000, 20_000_000] {
        let before = source(size);
        let after = before.replace("after_the_target", "after");
        group.bench_with_input(BenchmarkId::new("diff", size), &size, |bencher, _| {
            bencher
                .iter(|| TextDiff::new(black_box(&before), black_box(&after)).unified("a", "b", 3));
        });
        let patch = TextDiff::new(&before, &after).unified("a/x", "b/x", 3);
        group.bench_with_input(BenchmarkId::new("place", size), &size, |bencher, _| {
            bencher.iter(|| {
                parse_patch(black_box(&patch))
                    .unwrap()
                    .files
                    .first()
                    .unwrap()
                    .place(&before)
                    .unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, edits, patches);
criterion_main!(benches);
