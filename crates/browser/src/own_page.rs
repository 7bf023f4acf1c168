//! A page of a server of our own, looked at without a question to anybody: what it looks like, what it complains of, and
//! whether it fits.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenon_contract::limits;
use tenon_web::{AllowedHosts, HostProxy, ReachableHosts, SystemResolver, Transport, WebUrl};

use crate::pool::serve;
use crate::{
    BrowserError, Browsers, CancellationToken, Decision, DocumentKind, DocumentRequest, Guard,
    ImageFormat, JudgeFuture, NavigateOptions, Screenshot, ScreenshotOptions, SessionOptions,
    is_opened,
};

/// How a page of our own is looked at.
#[derive(Debug, Clone, Default)]
pub struct OwnPageOptions {
    /// Width and height of the view, in pixels. Default: that of the browser.
    pub view: Option<(u32, u32)>,
    /// How the picture is coded.
    pub format: ImageFormat,
    /// All of the page instead of what is in view.
    pub full_page: bool,
    /// How long scripts get after the page was loaded. Default: 200 ms.
    pub settle: Option<Duration>,
}

/// A page of our own, looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnPage {
    /// The picture.
    pub picture: Screenshot,
    /// Its title.
    pub title: String,
    /// Errors that it wrote to its console, and those that nobody caught.
    pub console_errors: Vec<String>,
    /// How much wider the page is than the view, in pixels; 0 where it fits.
    pub overflow: u32,
    /// Its height, in pixels.
    pub height: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    width: f64,
    view_width: f64,
    height: f64,
}

/// Only documents of this server, and what a page makes itself.
struct OnlyFrom(WebUrl);

impl Guard for OnlyFrom {
    fn judge(&self, request: DocumentRequest) -> JudgeFuture {
        let is_own = WebUrl::parse(&request.url).is_ok_and(|url| url.same_origin(&self.0));
        let decision = match is_own || request.kind == DocumentKind::Data {
            true => Decision::Allow,
            false => Decision::Deny {
                reason: "only the page itself is opened".to_owned(),
                rule: None,
            },
        };
        Box::pin(std::future::ready(decision))
    }
}

impl Browsers {
    /// Opens a page of a server of our own on this machine, and takes its picture. Nothing but that server is reached,
    /// no policy is asked, and its session is gone afterwards.
    ///
    /// # Errors
    /// When the address is not `http` on this machine by its literal address and port, there is no browser, or the page
    /// does not load.
    pub async fn look_at_own(
        &self,
        url: &str,
        options: &OwnPageOptions,
        abort: &CancellationToken,
    ) -> Result<OwnPage, BrowserError> {
        is_opened(url)?;
        let foreign = || {
            BrowserError::Invalid(format!(
                "`{url}` is not a server on this machine. Give `http://127.0.0.1:PORT/…`."
            ))
        };
        let address = WebUrl::parse(url).map_err(|_| foreign())?;
        if !address
            .literal()
            .is_some_and(|literal| literal.is_loopback())
        {
            return Err(foreign());
        }
        let server = format!("{}:{}", address.host(), address.port());
        let allowed = AllowedHosts::new([server.as_str()]).map_err(|_| foreign())?;
        let hosts = ReachableHosts::new(&[address.host().to_owned()]).map_err(|_| foreign())?;
        let transport = Transport::new(tenon_web::Guard::new(allowed), Arc::new(SystemResolver));
        let (proxy, _serving) = serve(HostProxy::new(hosts, transport)).await?;
        let session = SessionOptions {
            proxy: Some(proxy),
            ..SessionOptions::default()
        };
        let _use = self.using();
        let session = self
            .session(session, Arc::new(OnlyFrom(address)), abort)
            .await?;
        session.own_page(url, options, abort).await
    }
}

impl crate::Session {
    async fn own_page(
        &self,
        url: &str,
        options: &OwnPageOptions,
        abort: &CancellationToken,
    ) -> Result<OwnPage, BrowserError> {
        if let Some(view) = options.view {
            self.run(abort, async {
                let tab = self.new_tab().await?;
                tab.resize(view).await
            })
            .await?;
        }
        let opened = self
            .navigate(url, None, &NavigateOptions::default(), abort)
            .await?;
        let settle = options.settle.unwrap_or(Duration::from_millis(200));
        let wait = crate::WaitFor::Time(settle.min(limits::BROWSER_WAIT_MAX));
        self.wait(None, &wait, None, abort).await?;
        let picture = ScreenshotOptions {
            full_page: options.full_page,
            format: options.format,
            ..ScreenshotOptions::default()
        };
        let picture = self.screenshot(None, &picture, abort).await?;
        let (measured, console_errors) = self
            .run(abort, async {
                let tab = self.tab(None)?;
                let frame = tab.main_frame().await?;
                let measured: Measured = tab.ask(&frame, "size", &[]).await?;
                let state = tab.state();
                let errors = state.console.iter().filter(|entry| entry.level == "error");
                let errors: Vec<String> = errors.map(|entry| entry.text.clone()).collect();
                drop(state);
                Ok((measured, errors))
            })
            .await?;
        // Pixels of a page: whole and never negative.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to what fits"
        )]
        let pixels = |number: f64| number.clamp(0.0, 1e9).ceil() as u32;
        Ok(OwnPage {
            picture,
            title: opened.tab.title,
            console_errors,
            overflow: pixels(measured.width - measured.view_width),
            height: pixels(measured.height),
        })
    }
}
