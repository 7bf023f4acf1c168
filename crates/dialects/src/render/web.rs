//! Pages, search results and answers of servers, in a frame that distinguishes them from instructions.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{FetchedImage, FetchedPage, WebRequestOutput, WebSearchOutput};
use tenon_web::{SearchResult, enclosed, escaped};

use super::with_notices;
use crate::words::Words;

/// A part of a page.
pub(crate) fn page_content(page: &FetchedPage, words: &Words<'_>) -> String {
    if let Some(bytes) = page.progress {
        return format!("Fetching {}: {bytes} bytes so far", page.final_url);
    }
    let title = page
        .title
        .as_ref()
        .map_or_else(String::new, |title| format!("# {title}\n\n"));
    // A page that begins with its title needs no second one.
    let begins_with_title = page.content.starts_with(title.trim_end()) || page.start > 0;
    let title = if begins_with_title { "" } else { &title };
    let content = if page.content.is_empty() {
        "(the page has no text)"
    } else {
        &page.content
    };
    let text = enclosed(
        &format!("{title}{content}"),
        &page.final_url,
        &page.boundary,
    );
    with_notices(text, &notices(page, words))
}

/// Nothing of a page fits the prompt: that is no word about what else the page says.
fn unmatched(page: &FetchedPage, words: &Words<'_>) -> String {
    let shown = if page.start > 0 || page.end < page.total {
        format!(
            "Showing characters {}-{} of {}",
            page.start, page.end, page.total
        )
    } else {
        "Showing the whole page".to_owned()
    };
    let more = match words.parameter("offset") {
        Some(name) if page.end < page.total => {
            format!(". Use {name}={} to continue", page.end)
        }
        _ => String::new(),
    };
    format!("No section matches your prompt. {shown}{more}")
}

fn notices(page: &FetchedPage, words: &Words<'_>) -> Vec<String> {
    let mut notices = Vec::new();
    if page.url != page.final_url {
        notices.push(format!("{} redirected to {}", page.url, page.final_url));
    }
    match page.passages {
        Some((0, of)) if of > 0 => notices.push(unmatched(page, words)),
        Some((taken, of)) if taken < of => notices.push(format!(
            "{taken} of {of} sections shown, chosen for your prompt"
        )),
        Some(_) => {}
        None if page.end < page.total => {
            let more = match words.parameter("offset") {
                Some(name) => format!("Use {name}={} to continue", page.end),
                None => "Use another prompt for the rest".to_owned(),
            };
            notices.push(format!(
                "Showing characters {}-{} of {}. {more}",
                page.start, page.end, page.total
            ));
        }
        None if page.start > 0 => notices.push(format!(
            "Showing characters {}-{}, the end of the page",
            page.start, page.end
        )),
        None => {}
    }
    if let Some(why) = page.incomplete {
        notices.push(format!("The page is incomplete: {why}"));
    }
    notices.extend(page.removed.clone());
    notices
}

/// An image with a line about it.
pub(crate) fn fetched_image(image: FetchedImage) -> Vec<Content> {
    let text = format!("Image {} from {}", image.mime_type, image.final_url);
    vec![
        Content::Text(text),
        Content::Image {
            data: image.data,
            mime_type: image.mime_type,
        },
    ]
}

/// One page.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchResultDetails {
    /// Its title.
    title: String,
    /// Its address.
    url: String,
    /// What the provider shows of it.
    snippet: String,
}

/// What was found, as details report it.
pub(crate) fn search_results(found: Vec<SearchResult>) -> Vec<SearchResultDetails> {
    let reported = found.into_iter().map(|result| SearchResultDetails {
        title: result.title,
        url: result.url,
        snippet: result.snippet,
    });
    reported.collect()
}

/// A numbered list of results.
pub(crate) fn results_text(output: &WebSearchOutput) -> String {
    let answer = &output.answer;
    let mut notices = Vec::new();
    if answer.left_out > 0 {
        let (number, verb) = match answer.left_out {
            1 => ("1 result".to_owned(), "was"),
            many => (format!("{many} results"), "were"),
        };
        notices.push(format!("{number} from other domains {verb} removed"));
    }
    if answer.results.is_empty() {
        let text = format!("No results for `{}`.", escaped(&output.query));
        return with_notices(text, &notices);
    }
    let results: Vec<String> = answer
        .results
        .iter()
        .enumerate()
        .map(|(index, result)| {
            let snippet = if result.snippet.is_empty() {
                String::new()
            } else {
                format!("\n   {}", result.snippet)
            };
            format!(
                "{}. {}\n   {}{snippet}",
                index + 1,
                result.title,
                result.url
            )
        })
        .collect();
    let text = enclosed(&results.join("\n"), &answer.provider, &output.boundary);
    with_notices(text, &notices)
}

/// Status, headers and body.
pub(crate) fn web_response_text(output: &WebRequestOutput) -> String {
    let name = |name: &str, value: &str| format!("{name}: {}", escaped(&value.replace('\n', " ")));
    let headers: Vec<String> = output
        .headers
        .iter()
        .map(|(header, value)| name(header, value))
        .collect();
    let whole = format!("{}\n\n{}", headers.join("\n"), output.body);
    let text = format!(
        "{} {} returned status {}\n{}",
        output.method,
        output.url,
        output.status,
        enclosed(whole.trim_end(), &output.final_url, &output.boundary)
    );
    let mut notices = Vec::new();
    if output.url != output.final_url {
        notices.push(format!("Redirected to {}", output.final_url));
    }
    if output.truncated {
        notices.push("The body is incomplete".to_owned());
    }
    notices.extend(output.removed.clone());
    with_notices(text, &notices)
}
