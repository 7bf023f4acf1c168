//! Decisions: a plain path, a plain command, a long pipeline, and 10 kB of shell text of many shapes.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tenon_contract::{Access, CommandClaim, Operation, PathClaim};
use tenon_policy::{Engine, LexicalPaths, Permissions, Question, RuleSet};

#[path = "decide/shapes.rs"]
mod shapes;

/// The addon's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn engine() -> Engine {
    let permissions = Permissions {
        deny: [
            "Bash(rm:*)",
            "Bash(git push:*)",
            "Read(.env)",
            "Edit(secrets/**)",
        ]
        .map(Into::into)
        .to_vec(),
        ask: vec!["Bash(git commit:*)".into()],
        allow: [
            "Bash(ls:*)",
            "Bash(cat:*)",
            "Bash(echo:*)",
            "Bash(git:*)",
            "Bash(grep:*)",
            "Bash(sort:*)",
            "Read(**)",
            "Edit(**)",
        ]
        .map(Into::into)
        .to_vec(),
        default_mode: None,
    };
    let resolve = |name: &str| match name {
        "Bash" => Some(Operation::Execute),
        _ => Operation::from_name(&name.to_lowercase()),
    };
    #[expect(clippy::unwrap_used, reason = "the rules are those above")]
    let rules = RuleSet::new(&permissions, &resolve).unwrap();
    Engine::new(rules, permissions.mode(false), "/w")
}

fn claim(name: &str) -> PathClaim {
    PathClaim {
        name: name.into(),
        target: std::path::Path::new("/w").join(name),
    }
}

fn decide(criterion: &mut Criterion) {
    let engine = engine();
    let paths = LexicalPaths::new("/w");
    let mut group = criterion.benchmark_group("decide");
    group.throughput(Throughput::Elements(1));
    let access = Access::reading(claim("src/deep/module.rs"));
    let question = Question {
        operation: Operation::Read,
        effect: Operation::Read.effect(),
        tool: "read",
        access: &access,
    };
    group.bench_function("path", |bencher| {
        bencher.iter(|| engine.decide(black_box(&question), &paths))
    });
    let texts = [
        ("command".to_owned(), "git status --short".to_owned()),
        ("pipeline".to_owned(), "cd src && cat a.txt b.txt | grep -v '^#' | sort -u | grep foo > build/out 2>/dev/null && git diff --stat".to_owned()),
    ]
    .into_iter()
    .chain(shapes::texts(shapes::LENGTH).into_iter().map(|(name, text)| (format!("10kB/{name}"), text)));
    for (name, text) in texts {
        let command = CommandClaim {
            text,
            directory: claim("."),
            environment: Vec::new(),
        };
        let access = Access {
            commands: vec![command],
            ..Access::default()
        };
        let question = Question {
            operation: Operation::Execute,
            effect: Operation::Execute.effect(),
            tool: "exec",
            access: &access,
        };
        group.bench_function(name, |bencher| {
            bencher.iter(|| engine.decide(black_box(&question), &paths))
        });
    }
    group.finish();
}

criterion_group!(benches, decide);
criterion_main!(benches);
