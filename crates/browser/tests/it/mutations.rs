//! Whatever a page does between a look and a click, no other element is hit.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tenon_browser::{ActionOptions, Target};

use crate::web::{Stage, allow, never, scripting};

/// What a page can do to its rows; `n` and `m` are rows.
const MUTATIONS: [&str; 14] = [
    "rows[n].remove()",
    "rows[n].after(rows[m])",
    "document.body.append(rows[n])",
    "rows[n].querySelector('button').textContent = 'Other ' + m",
    "rows[n].querySelector('b').textContent = 'Renamed ' + m",
    "rows[n].replaceWith(rows[n].cloneNode(true))",
    "rows[n].querySelector('button').replaceWith(make('Button ' + m))",
    "[...list.children].reverse().forEach((row) => list.append(row))",
    "rows[n].style.display = 'none'",
    "rows[n].style.transform = 'translateY(40px)'",
    "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0\"></div>')",
    "list.prepend(row(90 + m))",
    "rows[n].querySelector('button').setAttribute('aria-label', 'Label ' + m)",
    "const [a, b] = [rows[n], rows[m]].map((it) => it.querySelector('b')); [a.textContent, b.textContent] = [b.textContent, a.textContent]",
];

const PAGE: &str = "<style>li { height: 24px }</style><ul id=list></ul><script>
  const hits = []; let shown = new Map();
  const make = (text) => { const it = document.createElement('button'); it.textContent = text; return it };
  const row = (i) => { const it = document.createElement('li'); const b = document.createElement('b'); b.textContent = 'Row ' + i; it.append(b, ' ', make('Button ' + i)); return it };
  for (let i = 0; i < 8; i++) list.append(row(i));
  const rows = [...list.children];
  // What each button says when it is hit, and whose row it is in.
  for (const type of ['mousedown', 'mouseup', 'click']) document.addEventListener(type, (event) => {
    const button = event.target.closest('button');
    hits.push([type, button ? button.getAttribute('aria-label') ?? button.textContent : event.target.tagName, button?.closest('li')?.querySelector('b')?.textContent ?? '', shown.get(button) ?? -1].join('|'));
  });
  const remember = () => { shown = new Map([...document.querySelectorAll('button')].map((it, i) => [it, i])) };
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn no_wrong_element_is_ever_hit() {
    mutated(60, 7).await;
}

/// `cargo test -p tenon-browser --test it -- --ignored a_thousand`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn over_a_thousand_mutations_no_wrong_element_is_ever_hit() {
    mutated(1_000, 22).await;
}

/// So many pages that change in one to three ways between a look and a click.
async fn mutated(cases: usize, seed: u8) {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]),
    );
    let strategy = (
        0usize..8,
        any::<bool>(),
        prop::collection::vec((0usize..MUTATIONS.len(), 0usize..8, 0usize..8), 1..4),
    );
    let short = ActionOptions {
        timeout: Some(std::time::Duration::from_millis(250)),
        ..ActionOptions::default()
    };
    let (mut hit, mut refused) = (0, 0);
    for _ in 0..cases {
        let (target, is_late, mutations) = strategy.new_tree(&mut runner).unwrap().current();
        let text = stage.open(PAGE).await.snapshot.text;
        stage.script("remember(); 1").await;
        let line = text
            .lines()
            .find(|line| line.contains(&format!("\"Button {target}\"")))
            .unwrap();
        let reference = line
            .rsplit_once('[')
            .unwrap()
            .1
            .trim_end_matches(']')
            .to_owned();
        let script: Vec<String> = mutations
            .iter()
            .map(|(which, n, m)| {
                format!(
                    "try {{ const n = {n}, m = {m}; {} }} catch {{}}",
                    MUTATIONS[*which]
                )
            })
            .collect();
        // Before the click, or at any moment in it.
        let script = match is_late {
            true => format!(
                "let left = 200; const go = () => {{ if (left-- === Math.floor(Math.random() * 200)) {{ {} }} else if (left > 0) setTimeout(go, 1) }}; go(); 1",
                script.join(";")
            ),
            false => format!("{}; 1", script.join(";")),
        };
        stage
            .script(&format!(
                "(() => {{ {} }})(); 1",
                script.trim_end_matches("; 1")
            ))
            .await;
        let target_ref = Target::Ref(reference);
        let result = stage
            .session
            .click(&target_ref, &Default::default(), &short, &never())
            .await;
        let hits = stage.script("hits.join(',')").await;
        let hits = hits.trim_matches('"');
        let wanted = format!("|Button {target}|Row {target}|{target}");
        for one in hits.split(',').filter(|one| !one.is_empty()) {
            assert!(
                one.ends_with(&wanted),
                "{mutations:?} late {is_late}: {one} for {wanted}: {result:?}"
            );
        }
        match result {
            Ok(_) => {
                assert!(
                    hits.contains("click|"),
                    "{mutations:?} late {is_late}: {hits}"
                );
                hit += 1;
            }
            Err(error) => {
                let kinds = [
                    "stale_ref",
                    "changed_ref",
                    "covered",
                    "not_visible",
                    "timeout",
                ];
                assert!(kinds.contains(&error.kind()), "{error}");
                refused += 1;
            }
        }
    }
    println!(
        "{hit} clicks hit what they were meant for, {refused} were refused, none hit anything else"
    );
    assert!(hit > 0 && refused > 0);
}
