//! Sends an HTTP request of any method.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits};
use tenon_web::{Fetcher, RequestSpec, boundary, response_text};

/// What to send.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebRequestParams {
    /// `http` or `https` URL.
    #[schemars(length(min = 1))]
    pub url: String,
    /// GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS. Default: `GET`, or `POST` with a body.
    pub method: Option<String>,
    /// Headers by name. Connection headers such as `Host` cannot be set.
    pub headers: Option<BTreeMap<String, String>>,
    /// Request body. JSON is sent as `application/json` unless a header says otherwise.
    pub body: Option<String>,
}

/// What came back. Every status is a result.
#[derive(Debug)]
pub struct WebRequestOutput {
    /// The method.
    pub method: String,
    /// The address that was asked.
    pub url: String,
    /// The address that answered in the end.
    pub final_url: String,
    /// Its status.
    pub status: u16,
    /// Its headers, in the order in which they came.
    pub headers: Vec<(String, String)>,
    /// Its body, hidden characters written out.
    pub body: String,
    /// Whether the body is not whole.
    pub truncated: bool,
    /// What was removed from the body, without a full stop.
    pub removed: Option<String>,
    /// A word that the answer cannot know, for the frame around it.
    pub boundary: String,
}

impl Output for WebRequestOutput {}

/// The request operation.
pub struct WebRequest {
    fetcher: Arc<Fetcher>,
}

impl WebRequest {
    /// Sends with this fetcher.
    #[must_use]
    pub fn new(fetcher: Arc<Fetcher>) -> Self {
        Self { fetcher }
    }
}

/// A checked request.
#[derive(Debug)]
pub struct WebRequestPlan(RequestSpec);

impl Tool for WebRequest {
    const OPERATION: Operation = Operation::WebRequest;
    // Its clock stands still while a user is asked about a redirect.
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = WebRequestParams;
    type Plan = WebRequestPlan;
    type Output = WebRequestOutput;

    fn plan(&self, params: WebRequestParams) -> Result<(Access, WebRequestPlan), ToolError> {
        let url = self.fetcher.admit(&params.url)?;
        let access = Access::connecting(url.claim());
        let headers = params.headers.unwrap_or_default();
        let headers = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let spec = RequestSpec::new(url, params.method.as_deref(), headers, params.body)?;
        Ok((access, WebRequestPlan(spec)))
    }

    async fn run(
        &self,
        plan: WebRequestPlan,
        context: ToolContext,
    ) -> Result<WebRequestOutput, ToolError> {
        let WebRequestPlan(spec) = plan;
        let (method, url) = (spec.method().to_owned(), spec.url().to_string());
        let response = self.fetcher.request(spec, &context).await?;
        let (mut body, removed) = response_text(&response);
        let most = body
            .char_indices()
            .nth(limits::WEB_FETCH_MAX_CHARACTERS)
            .map(|(end, _)| end);
        let is_long = most.is_some();
        body.truncate(most.unwrap_or(body.len()));
        let headers = response.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), value)
        });
        Ok(WebRequestOutput {
            method,
            url,
            final_url: response.url.to_string(),
            status: response.status,
            headers: headers.collect(),
            body,
            truncated: is_long || response.missing.is_some(),
            removed: removed.sentence(),
            boundary: boundary(),
        })
    }
}
