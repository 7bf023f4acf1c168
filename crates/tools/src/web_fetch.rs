//! Fetches a page and reads it.

mod cut;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::{
    Access, ErrorCode, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits,
};
use tenon_web::{
    Accept, Content, Document, Fetched, Fetcher, WebUrl, boundary, escaped as visible, failure,
    passages,
};

use crate::blocking::blocking;
use crate::host::{HostCallback, kind_of, odd, request};
use crate::read::image::shown;
use cut::{characters, cut, length, rest, skipped};

/// What to fetch.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebFetchParams {
    /// `http` or `https` URL.
    #[schemars(length(min = 1))]
    pub url: String,
    /// Question about the page. Default: return the whole page.
    pub prompt: Option<String>,
    /// Maximum number of characters. Default: 20000.
    #[schemars(range(min = 1))]
    pub max_chars: Option<u64>,
    /// First character, to continue a long page. Default: 0.
    pub offset: Option<u64>,
    /// Output format. Default: `markdown`.
    pub format: Option<PageFormat>,
}

/// Form of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageFormat {
    /// Markdown of the main content.
    #[default]
    Markdown,
    /// Plain text.
    Text,
    /// The source of the page.
    Html,
}

/// What was fetched.
#[derive(Debug)]
pub enum WebFetchOutput {
    /// A part of a page.
    Page(FetchedPage),
    /// An image.
    Image(FetchedImage),
}

/// A part of a page.
#[derive(Debug)]
pub struct FetchedPage {
    /// The address that was asked.
    pub url: String,
    /// The address that answered in the end.
    pub final_url: String,
    /// Its status.
    pub status: u16,
    /// Its type, such as `text/html`.
    pub content_type: String,
    /// The title of the page.
    pub title: Option<String>,
    /// What it says, hidden characters written out.
    pub content: String,
    /// Where `content` begins, in UTF-16 units, as JavaScript counts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// How long the whole is.
    pub total: usize,
    /// Sections chosen for the question, of all there are. None chosen: nothing fits it, and `content` is the beginning.
    pub passages: Option<(usize, usize)>,
    /// Why the page itself is not whole.
    pub incomplete: Option<&'static str>,
    /// Whether anything of the page is not in `content`.
    pub truncated: bool,
    /// A word that the page cannot know, for the frame around it.
    pub boundary: String,
    /// What was removed from the page, without a full stop.
    pub removed: Option<String>,
    /// Bytes that have come, in a partial answer.
    pub progress: Option<u64>,
}

/// An image.
#[derive(Debug)]
pub struct FetchedImage {
    /// The address that was asked.
    pub url: String,
    /// The address that answered in the end.
    pub final_url: String,
    /// Its status.
    pub status: u16,
    /// The bytes, base64.
    pub data: String,
    /// Such as `image/png`.
    pub mime_type: String,
}

impl Output for WebFetchOutput {}

/// The fetch operation.
pub struct WebFetch {
    fetcher: Arc<Fetcher>,
    summariser: Option<Summariser>,
}

/// The part of the host that answers questions about pages.
#[derive(Clone)]
pub struct Summariser {
    /// Takes `{prompt, content, url, toolCallId, ticket}`, `content` being the text of the page, and answers a text.
    pub host: Arc<dyn HostCallback>,
    /// Longest time that it may take.
    pub timeout: Duration,
}

impl WebFetch {
    /// Fetches with this fetcher. Questions are answered by the host, or else by the passages of the page.
    #[must_use]
    pub fn new(fetcher: Arc<Fetcher>, summariser: Option<Summariser>) -> Self {
        Self {
            fetcher,
            summariser,
        }
    }
}

/// A checked address and what is wanted of it.
#[derive(Debug)]
pub struct WebFetchPlan {
    url: WebUrl,
    params: WebFetchParams,
}

impl Tool for WebFetch {
    const OPERATION: Operation = Operation::WebFetch;
    // Its clock stands still while a user is asked about a redirect.
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = WebFetchParams;
    type Plan = WebFetchPlan;
    type Output = WebFetchOutput;

    fn plan(&self, params: WebFetchParams) -> Result<(Access, WebFetchPlan), ToolError> {
        let url = self.fetcher.admit(&params.url)?;
        Ok((
            Access::connecting(url.claim()),
            WebFetchPlan { url, params },
        ))
    }

    async fn run(
        &self,
        plan: WebFetchPlan,
        context: ToolContext,
    ) -> Result<WebFetchOutput, ToolError> {
        let WebFetchPlan { url, params } = plan;
        let format = params.format.unwrap_or_default();
        let accept = match format {
            PageFormat::Markdown | PageFormat::Text => Accept::Text,
            PageFormat::Html => Accept::Html,
        };
        let report = |at: &WebUrl, bytes: u64| {
            context.publish(|| WebFetchOutput::Page(partial(&url, at, bytes)));
        };
        let fetched = self.fetcher.fetch(&url, accept, &context, &report).await?;
        if let Some(error) = failure(fetched.response()) {
            return Err(error);
        }
        let (document, text) = match read(&fetched, format, &context).await? {
            Reading::Image(image) => return Ok(WebFetchOutput::Image(image)),
            Reading::Text(document, text) => (document, text),
        };
        let most = characters(params.max_chars);
        let offset = params.offset.unwrap_or(0);
        let mut page = frame(&fetched, &document);
        page.removed = document.removed.sentence();
        if page.incomplete.is_none() && !document.whole {
            page.incomplete = unread(page.status, format);
        }
        match params
            .prompt
            .as_deref()
            .map(str::trim)
            .filter(|prompt| !prompt.is_empty())
        {
            Some(prompt) => {
                let prompt = Prompt { prompt, offset };
                self.answer(prompt, &text, most, &mut page, &context)
                    .await?;
            }
            None => cut(&text, offset, most, &mut page)?,
        }
        page.truncated |= page.incomplete.is_some();
        Ok(WebFetchOutput::Page(page))
    }
}

/// A question about what follows the first characters of a page.
struct Prompt<'a> {
    prompt: &'a str,
    offset: u64,
}

impl WebFetch {
    /// What a page says to a question.
    async fn answer(
        &self,
        Prompt { prompt, offset }: Prompt<'_>,
        text: &str,
        most: usize,
        page: &mut FetchedPage,
        context: &ToolContext,
    ) -> Result<(), ToolError> {
        page.total = length(text);
        let asked = rest(text, skipped(text, offset, page)?);
        if let Some(summariser) = &self.summariser {
            let answer = summariser
                .answer(prompt, asked, &page.final_url, context)
                .await?;
            return cut(&visible(&answer), 0, most, page);
        }
        let room = most.min(limits::WEB_PASSAGES_MAX_CHARACTERS);
        let found = passages(asked, prompt, room);
        page.passages = Some((found.taken, found.of));
        if found.taken == 0 {
            return cut(text, offset, most, page);
        }
        page.truncated = offset > 0 || found.taken < found.of;
        page.end = length(&found.text);
        page.content = found.text;
        Ok(())
    }
}

impl Summariser {
    async fn answer(
        &self,
        prompt: &str,
        content: &str,
        url: &str,
        context: &ToolContext,
    ) -> Result<String, ToolError> {
        const MEMBER: &str = "summarise";
        const ADVICE: &str = "Call without a prompt to read the page itself.";
        let asked = json!({ "prompt": prompt, "content": content, "url": url });
        let answer = self.host.ask(request(context, asked), None);
        let Ok(answer) = tokio::time::timeout(self.timeout, answer).await else {
            let limit = u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX);
            let message = format!("`host.summarise` did not return within {limit} ms. {ADVICE}");
            return Err(ToolError::new(ErrorCode::Timeout, message)
                .with("host", MEMBER)
                .with("timeout_ms", limit));
        };
        match answer {
            Ok(Value::String(answer)) => Ok(answer),
            Ok(other) => {
                let problem = format!("it returned {} instead of a string", kind_of(&other));
                Err(odd(MEMBER, &problem))
            }
            Err(mut error) => {
                if error.code != ErrorCode::Cancelled {
                    error.message = format!("{} {ADVICE}", error.message);
                }
                Err(error)
            }
        }
    }
}

/// Why a page of which all was received is not whole all the same. The source is shown as it came.
fn unread(status: u16, format: PageFormat) -> Option<&'static str> {
    match (status, format) {
        (206, _) => Some("the server sent only a part of it"),
        (_, PageFormat::Html) => None,
        (_, PageFormat::Markdown | PageFormat::Text) => Some("it could not be read to its end"),
    }
}

enum Reading {
    Text(Arc<Document>, String),
    Image(FetchedImage),
}

async fn read(
    fetched: &Fetched,
    format: PageFormat,
    context: &ToolContext,
) -> Result<Reading, ToolError> {
    let document = fetched.document().await?;
    match &document.content {
        Content::Image { bytes, mime_type } => {
            if bytes.len() as u64 > limits::READ_IMAGE_MAX_BYTES {
                let message = format!(
                    "The image `{}` has {} bytes; the limit is {}.",
                    fetched.final_url(),
                    bytes.len(),
                    limits::READ_IMAGE_MAX_BYTES
                );
                return Err(ToolError::new(ErrorCode::TooLarge, message));
            }
            let bytes = bytes.clone();
            let made = blocking(context.clone(), move |context| shown(&bytes, context)).await?;
            let url = fetched.final_url().to_string();
            let image = made.map_err(|fault| {
                let damaged = |reason: &str| {
                    let message = format!(
                        "`{url}` came as `{mime_type}` but is no image that can be shown: {reason}."
                    );
                    ToolError::new(ErrorCode::BinaryFile, message)
                };
                fault.of(&url, damaged)
            })?;
            Ok(Reading::Image(FetchedImage {
                url: fetched.url.to_string(),
                final_url: url,
                status: fetched.response().status,
                data: image.data,
                mime_type: image.mime_type.to_owned(),
            }))
        }
        Content::Text { markdown, plain } => {
            let text = match format {
                PageFormat::Markdown => markdown.clone(),
                PageFormat::Text => plain.clone(),
                PageFormat::Html => fetched.source().await?,
            };
            Ok(Reading::Text(document.clone(), text))
        }
    }
}

fn frame(fetched: &Fetched, document: &Document) -> FetchedPage {
    use tenon_web::Missing;
    let response = fetched.response();
    FetchedPage {
        url: fetched.url.to_string(),
        final_url: fetched.final_url().to_string(),
        status: response.status,
        content_type: document.media_type.clone(),
        title: document.title.clone(),
        content: String::new(),
        start: 0,
        end: 0,
        total: 0,
        passages: None,
        incomplete: response.missing.as_ref().map(|missing| match missing {
            Missing::Limit => "it exceeds the size limit for one page",
            Missing::Lost(_) => "the connection was lost",
            Missing::Unread => "it was not read",
        }),
        truncated: false,
        boundary: boundary(),
        removed: None,
        progress: None,
    }
}

fn partial(url: &WebUrl, at: &WebUrl, bytes: u64) -> FetchedPage {
    FetchedPage {
        url: url.to_string(),
        final_url: at.to_string(),
        status: 0,
        content_type: String::new(),
        title: None,
        content: String::new(),
        start: 0,
        end: 0,
        total: 0,
        passages: None,
        incomplete: None,
        truncated: true,
        boundary: boundary(),
        removed: None,
        progress: Some(bytes),
    }
}
