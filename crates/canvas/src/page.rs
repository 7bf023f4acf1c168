//! The pages: content wrapped once, the page around it, and what is between them.

use serde_json::Value;

use crate::origins::Origins;
use crate::parts::escaped;

const STYLE: &str = include_str!("page/view.css");
const VIEW: &str = include_str!("page/view.js");
const RELAY: &str = include_str!("page/relay.html");
const HOST: &str = include_str!("page/host.html");
const HOST_SCRIPT: &str = include_str!("page/host.js");

/// What a page is made of.
pub(crate) struct Page<'p> {
    pub(crate) title: &'p str,
    pub(crate) origins: &'p Origins,
    /// What its script begins with.
    pub(crate) state: &'p Value,
    pub(crate) body: &'p str,
}

impl Page<'_> {
    /// The whole document. Its policy holds wherever it is opened.
    pub(crate) fn html(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\
             <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"referrer\" content=\"no-referrer\">\
             <title>{}</title><style>{STYLE}</style>\
             <script type=\"application/json\" id=\"tenon-state\">{}</script><script>{VIEW}</script></head><body>\n{}\n</body></html>\n",
            self.origins.policy(),
            escaped(self.title),
            in_script(self.state),
            self.body
        )
    }
}

/// How many lines of a page are before its content.
pub(crate) fn lines_before() -> usize {
    let own = |text: &str| text.matches('\n').count();
    // That of the document type, and the one before the content.
    own(STYLE) + own(VIEW) + 2
}

/// JSON that cannot end the script that it is in.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// The document between the page around and the content.
pub(crate) fn relay(view: &str, nonce: &str) -> String {
    RELAY.replace("{nonce}", nonce).replace("{view}", view)
}

/// The page around.
pub(crate) fn host(nonce: &str) -> String {
    let script = HOST_SCRIPT.replace("{version}", env!("CARGO_PKG_VERSION"));
    HOST.replace("{nonce}", nonce).replace("{script}", &script)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_and_titles_end_neither_script_nor_title() {
        let state = json!({ "data": "</script><script>alert(1)</script><!--" });
        let page = Page {
            title: "</title><script>alert(2)</script>",
            origins: &Origins::default(),
            state: &state,
            body: "<p>x</p>",
        };
        let html = page.html();
        assert!(
            !html.contains("alert(1)</script>") && !html.contains("<script>alert(2)"),
            "{html}"
        );
        let scripts = crate::scan::pieces(&html)
            .into_iter()
            .filter_map(|piece| match piece {
                crate::scan::Piece::Raw { tag, content, .. } if tag.name == "script" => {
                    Some(html[content].to_owned())
                }
                _ => None,
            });
        let scripts: Vec<String> = scripts.collect();
        assert_eq!(scripts.len(), 2);
        assert_eq!(serde_json::from_str::<Value>(&scripts[0]).unwrap(), state);
        assert_eq!(scripts[1], VIEW);
        assert_eq!(html.lines().nth(lines_before()), Some("<p>x</p>"));
    }
}
