//! Reads the HTML files that are named on standard input, one path a line, and prints a JSON line for each:
//! `{"path", "title", "markdown", "ms"}`. For `npm run bench -- web`.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use serde_json::json;
use tenon_web::{Content, WebUrl, read_html};

fn main() -> Result<(), Box<dyn Error>> {
    let url = WebUrl::parse("http://fakehost/test/page.html")?;
    let mut out = std::io::stdout().lock();
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let html = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        let started = Instant::now();
        let document = read_html(&html, &url);
        let ms = started.elapsed().as_secs_f64() * 1000.0;
        let Content::Text { markdown, .. } = document.content else {
            continue;
        };
        let line = json!({"path": path, "title": document.title, "markdown": markdown, "ms": ms});
        writeln!(out, "{line}")?;
    }
    Ok(())
}
