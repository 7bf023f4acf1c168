//! What a canvas looks like.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use tenon_browser::{
    Browser, Browsers, CancellationToken, Decision, DocumentRequest, Guard, ImageFormat,
    JudgeFuture, LaunchOptions, NavigateOptions, ProxyAddress, Screenshot, ScreenshotOptions,
    Session, SessionOptions, Use,
};
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_process::Processes;
use tenon_web::{
    AllowedHosts, Guard as AddressGuard, HostProxy, ProxyCredentials, ReachableHosts, Resolver,
    Transport,
};
use tokio::net::TcpListener;

use crate::canvases::{CanvasFacts, Canvases, Subject};
use crate::page;
use crate::token::token;

/// Which browser takes pictures.
#[derive(Clone)]
pub struct BrowserChoice {
    /// The program. Default: the first that is found.
    pub executable: Option<PathBuf>,
    /// Whether its own sandbox is required.
    pub sandbox: bool,
    /// The browser that the host brings. One on another machine does not reach canvases: then one of our own is started.
    pub of_host: Option<Browsers>,
}

/// A picture of a canvas.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The canvas.
    pub facts: CanvasFacts,
    /// The file.
    pub bytes: Vec<u8>,
    /// Where it is.
    pub path: PathBuf,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Such as `image/png`.
    pub mime_type: &'static str,
    /// Errors of its scripts, and of what it could not load.
    pub console_errors: Vec<String>,
    /// How wide its content is, where that is more than there is room for.
    pub overflow: Option<u32>,
}

/// Only the content itself is opened.
struct Only(String);

impl Guard for Only {
    fn judge(&self, request: DocumentRequest) -> JudgeFuture {
        let decision = if request.url == self.0 && request.method == "GET" {
            Decision::Allow
        } else {
            Decision::Deny {
                reason: "a canvas opens no other page".to_owned(),
                rule: None,
            }
        };
        Box::pin(async move { decision })
    }
}

/// What the page says of itself.
#[derive(Deserialize)]
struct Measured {
    content: u32,
    room: u32,
}

const MEASURE: &str = "JSON.stringify({ content: Math.ceil(document.documentElement.scrollWidth), room: document.documentElement.clientWidth })";
/// Height of the window, in pixels, where the canvas has none; a higher page is pictured whole.
const HEIGHT: u32 = 600;
/// Most errors that are reported.
const ERRORS: usize = 20;

/// Opens a canvas in a browser of its own, or in a context of its own of that of the host, and takes a picture of all of it. The
/// browser reaches the page and the origins of the canvas, nothing else.
///
/// # Errors
/// When there is no such canvas, no browser, or it cannot show the page.
pub async fn picture(
    canvases: &Canvases,
    key: &str,
    width: Option<u32>,
    choice: &BrowserChoice,
    services: (&Processes, Arc<dyn Resolver>),
    abort: &CancellationToken,
) -> Result<Picture, ToolError> {
    let Subject {
        host,
        url,
        reached,
        facts,
        size,
    } = canvases.subject(key).await?;
    let (processes, resolver) = services;
    let over = CancellationToken::new();
    let _over = over.clone().drop_guard();
    let proxy = proxy(&host, reached, resolver, over).await?;
    let window = (
        width.or(size.0).unwrap_or(limits::CANVAS_SNAPSHOT_WIDTH),
        size.1.unwrap_or(HEIGHT),
    );
    let (shot, measured, errors) = match of_host(choice, &proxy, &url, window, abort).await? {
        Some((session, _in_use)) => open_and_shoot(&session, &url, abort).await?,
        None => {
            let options = LaunchOptions {
                executable: choice.executable.clone(),
                sandbox: choice.sandbox,
                window,
                ..LaunchOptions::new(proxy)
            };
            in_own_browser(&options, &url, processes, abort).await?
        }
    };
    let console_errors = errors.iter().map(|error| placed(error, &url)).collect();
    let extension = if shot.mime_type == ImageFormat::Png.mime_type() {
        "png"
    } else {
        "jpg"
    };
    let path = canvases.keep(
        &format!("{}-{}.{extension}", facts.id, facts.version),
        &shot.bytes,
    )?;
    Ok(Picture {
        facts,
        path,
        width: shot.width,
        height: shot.height,
        mime_type: shot.mime_type,
        bytes: shot.bytes,
        console_errors,
        overflow: (measured.content > measured.room).then_some(measured.content),
    })
}

/// Starts a browser for this picture alone.
async fn in_own_browser(
    options: &LaunchOptions,
    url: &str,
    processes: &Processes,
    abort: &CancellationToken,
) -> Result<(Screenshot, Measured, Vec<String>), ToolError> {
    let browser = Browser::launch(options, processes, abort).await?;
    let shot = async {
        let session = browser.session(reading(), only(url), abort).await?;
        open_and_shoot(&session, url, abort).await
    };
    let shot = shot.await;
    browser.close().await;
    shot
}

fn only(url: &str) -> Arc<dyn Guard> {
    Arc::new(Only(url.to_owned()))
}

fn reading() -> SessionOptions {
    SessionOptions {
        evaluate: true,
        ..SessionOptions::default()
    }
}

/// A session in the browser that the host brings, behind this proxy, where that reaches a page of this machine.
async fn of_host(
    choice: &BrowserChoice,
    proxy: &ProxyAddress,
    url: &str,
    view: (u32, u32),
    abort: &CancellationToken,
) -> Result<Option<(Session, Use)>, ToolError> {
    let Some(browsers) = &choice.of_host else {
        return Ok(None);
    };
    let in_use = browsers.using();
    let options = SessionOptions {
        proxy: Some(proxy.clone()),
        view: Some(view),
        ..reading()
    };
    let session = browsers.session(options, only(url), abort).await?;
    Ok(session.is_proxied().then_some((session, in_use)))
}

async fn open_and_shoot(
    session: &Session,
    url: &str,
    abort: &CancellationToken,
) -> Result<(Screenshot, Measured, Vec<String>), ToolError> {
    let usual = NavigateOptions::default();
    session.open(url, &usual, abort).await?;
    tokio::time::sleep(limits::CANVAS_SETTLE).await;
    shoot(session, abort).await
}

async fn shoot(
    session: &Session,
    abort: &CancellationToken,
) -> Result<(Screenshot, Measured, Vec<String>), ToolError> {
    let said = session.evaluate(None, MEASURE, None, None, abort).await?;
    let text: String = serde_json::from_str(&said.value).map_err(ToolError::internal)?;
    let measured = serde_json::from_str(&text).map_err(ToolError::internal)?;
    let mut options = ScreenshotOptions {
        full_page: true,
        format: ImageFormat::Png,
        ..ScreenshotOptions::default()
    };
    let mut shot = session.screenshot(None, &options, abort).await?;
    if shot.bytes.len() > limits::IMAGE_MAX_BASE64_BYTES / 4 * 3 {
        options.format = ImageFormat::Jpeg;
        shot = session.screenshot(None, &options, abort).await?;
    }
    let console = session
        .console(None, None, limits::BROWSER_LOG_MAX_ENTRIES, abort)
        .await?;
    let errors = console
        .entries
        .into_iter()
        .filter(|entry| entry.level == "error");
    Ok((
        shot,
        measured,
        errors.map(|entry| entry.text).take(ERRORS).collect(),
    ))
}

/// An error with lines of the content, and without the address of the page, which is nobody's business.
fn placed(error: &str, url: &str) -> String {
    let mut text = String::new();
    let mut rest = error;
    while let Some((before, behind)) = rest.split_once(url) {
        text.push_str(before);
        let place = behind.strip_prefix(':').unwrap_or(behind);
        let digits = place
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(place.len());
        let line: Option<usize> = place.get(..digits).and_then(|line| line.parse().ok());
        match line
            .and_then(|line| line.checked_sub(page::lines_before()))
            .filter(|line| *line > 0)
        {
            Some(line) => {
                text.push_str(&format!("line {line}"));
                rest = place.get(digits..).unwrap_or_default();
            }
            None => {
                text.push_str("the page");
                rest = behind;
            }
        }
    }
    text.push_str(rest);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A proxy to the page and to the origins of the canvas, for the browser alone.
async fn proxy(
    own: &str,
    mut hosts: Vec<String>,
    resolver: Arc<dyn Resolver>,
    over: CancellationToken,
) -> Result<ProxyAddress, ToolError> {
    let failed = |error: std::io::Error| {
        ToolError::new(
            ErrorCode::Unavailable,
            format!("The browser cannot reach the page: {error}."),
        )
    };
    hosts.push("127.0.0.1".to_owned());
    let hosts = ReachableHosts::new(&hosts).map_err(ToolError::internal)?;
    let transport = Transport::new(AddressGuard::new(AllowedHosts::new([own])?), resolver);
    let password = token()?;
    let credentials = ProxyCredentials::new("tenon", &password)
        .ok_or_else(|| ToolError::internal("the credentials of the proxy are not valid"))?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let proxy = HostProxy::new(hosts, transport).for_holders_of(credentials);
    tokio::spawn(proxy.serve(listener, over));
    Ok(ProxyAddress {
        address,
        credentials: Some(("tenon".to_owned(), password)),
    })
}
