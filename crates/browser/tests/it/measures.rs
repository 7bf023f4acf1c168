//! How large and how quick snapshots are, for a page such as agents work with.

use std::time::Instant;

use crate::web::{Stage, never};

/// Form, select of 200, table of 200 rows, shadow root, frame.
fn app() -> String {
    let options: String = (0..200)
        .map(|i| format!("<option value=c{i}>Country {i}</option>"))
        .collect();
    let rows: String = (0..200)
        .map(|i| format!("<tr><td>{}<td><a href=/customers/{i}>Customer {i}</a><td>${i}.00<td>{}<td><button>Edit</button><button>Delete</button>", 1000 + i, if i % 2 == 0 { "closed" } else { "open" }))
        .collect();
    format!(
        "<title>Orders</title><nav aria-label=Main>{}</nav><main><h1>Orders</h1>
         <form aria-label=Filter><label>Name <input name=n></label><label>Password <input type=password value=x></label><label>Country <select>{options}</select></label>
         <label><input type=checkbox> Open only</label><button>Search</button></form>
         <table><thead><tr><th>No<th>Customer<th>Total<th>State<th>Actions<tbody>{rows}</table><x-card></x-card><iframe src=/inner title=Help width=300 height=100></iframe></main>
         <script>document.querySelector('x-card').attachShadow({{ mode: 'open' }}).innerHTML = '<h2>Card</h2><p>In the shadow</p><button>Shadow button</button>'</script>",
        (0..12).map(|i| format!("<a href=/s{i}>Section {i}</a> ")).collect::<String>()
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_of_200_rows_is_two_thousand_characters() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage
        .web
        .page("app.test/inner", "<p>Help text <a href=/more>more</a></p>");
    let started = Instant::now();
    let page = stage.open(&app()).await;
    let opened = started.elapsed();
    let mut times: Vec<u128> = Vec::new();
    for _ in 0..10 {
        let started = Instant::now();
        stage
            .session
            .snapshot(None, &Default::default(), &never())
            .await
            .unwrap();
        times.push(started.elapsed().as_micros());
    }
    times.sort_unstable();
    let text = stage.look().await.text;
    println!(
        "{text}\n--- {} characters of {} of HTML; opened and shown in {} ms; snapshot {} µs (best), {} µs (median)",
        text.chars().count(),
        app().len(),
        opened.as_millis(),
        times[0],
        times[5]
    );
    assert!(text.chars().count() < 3_000);
    assert_eq!(
        (page.snapshot.omitted_rows, page.snapshot.omitted_options),
        (196, 200)
    );
    assert!(text.contains("… 192 more rows like these [r"), "{text}");
    assert!(
        text.contains("Shadow button") && text.contains("Help text"),
        "{text}"
    );
}
