//! One call, done in a session of the browser.

use std::path::PathBuf;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_browser::{
    ActionOptions, Click, Field, ImageFormat, LookMode, LookOptions, NavigateOptions, Screenshot,
    ScreenshotOptions, Session, TabInfo, Target, Upload, WaitFor,
};
use tenon_contract::{CancellationToken, ChangeKind, ErrorCode, ToolContext, ToolError, limits};
use tenon_web::boundary;
use tenon_workspace::{ChangeSet, Error, Located, image_facts, read_bytes};

use super::output::{BrowserOutput, BrowserResult, SavedFile, ShownPicture};
use super::params::{BrowserAction as Action, BrowserView, MouseButton, PictureFormat};
use super::{BrowserParams, BrowserPlan};
use crate::blocking::{blocking, off_thread};
use crate::commit::commit;
use crate::freshness::Note;
use crate::session::FileSession;

/// How far is scrolled where nothing is said, in pixels.
const SCROLL: f64 = 600.0;
/// Entries of a log where nothing is said.
const ENTRIES: usize = 50;

type Done = (BrowserResult, Option<SavedFile>);

/// One call.
struct Doing<'a> {
    session: &'a Session,
    plan: &'a BrowserPlan,
    params: &'a BrowserParams,
    files: &'a FileSession,
    context: &'a ToolContext,
}

pub(super) async fn run(
    session: &Session,
    plan: &BrowserPlan,
    files: &FileSession,
    context: &ToolContext,
) -> Result<BrowserOutput, ToolError> {
    let params = &plan.params;
    let doing = Doing {
        session,
        plan,
        params,
        files,
        context,
    };
    let mut page = None;
    let (result, saved) = match params.action {
        Action::Open | Action::Navigate | Action::Back | Action::Reload => {
            Box::pin(doing.travel()).await
        }
        Action::Tabs | Action::Focus | Action::Close => Box::pin(doing.tabs()).await,
        Action::Snapshot => Box::pin(doing.snapshot()).await.map(|(looked, of_page)| {
            page = Some(of_page);
            looked
        }),
        Action::Text | Action::Screenshot => {
            // What only looks changes nothing, so its page is asked for in the same way there and back.
            let (looked, of_page) = tokio::join!(Box::pin(doing.look()), Box::pin(doing.page()));
            page = of_page;
            looked
        }
        Action::Upload | Action::Download => Box::pin(doing.transfer()).await,
        Action::Wait | Action::Evaluate | Action::Console | Action::Network => {
            Box::pin(doing.inspect()).await
        }
        _ => Box::pin(doing.act()).await,
    }?;
    let page = match &result {
        BrowserResult::Opened(_) | BrowserResult::Done(..) | BrowserResult::Tabs(_) => None,
        BrowserResult::Answered(..) | BrowserResult::Downloaded(..) => None,
        _ if page.is_some() => page,
        _ => Box::pin(doing.page()).await,
    };
    Ok(BrowserOutput {
        action: params.action,
        result,
        page,
        boundary: boundary(),
        saved,
        uploaded: plan
            .uploads
            .iter()
            .map(|file| file.name().to_owned())
            .collect(),
        is_proxied: session.is_proxied(),
    })
}

impl Doing<'_> {
    fn abort(&self) -> &CancellationToken {
        self.context.cancellation()
    }

    fn tab(&self) -> Option<&str> {
        self.params.tab.as_deref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.params.timeout.map(Duration::from_millis)
    }

    fn options(&self) -> ActionOptions {
        ActionOptions {
            tab: self.params.tab.clone(),
            timeout: self.timeout(),
        }
    }

    fn reference(&self) -> Result<&str, ToolError> {
        let reference = self.params.wanted(self.params.reference.as_ref(), "ref")?;
        Ok(reference.as_str())
    }

    fn target(&self) -> Result<Target, ToolError> {
        let params = self.params;
        let found = target_of(params.reference.as_ref(), params.x, params.y);
        found.ok_or_else(|| params.lacks("ref"))
    }

    /// Where it is dropped.
    fn drop_target(&self) -> Result<Target, ToolError> {
        let params = self.params;
        let found = target_of(params.to_ref.as_ref(), params.to_x, params.to_y);
        found.ok_or_else(|| params.lacks("toRef"))
    }

    /// The page that the result is about.
    async fn page(&self) -> Option<TabInfo> {
        Box::pin(self.session.page(self.tab(), self.abort())).await
    }

    fn look_options(&self) -> LookOptions {
        let params = self.params;
        LookOptions {
            mode: match params.mode {
                None | Some(BrowserView::Page) => LookMode::Page,
                Some(BrowserView::Controls) => LookMode::Controls,
                Some(BrowserView::Outline) => LookMode::Outline,
            },
            scope: params.scope.clone(),
            query: params.query.clone(),
            offset: number(params.offset).unwrap_or(0),
            max_characters: number(params.max_chars),
            timeout: self.timeout(),
        }
    }

    async fn travel(&self) -> Result<Done, ToolError> {
        let options = NavigateOptions {
            timeout: self.timeout(),
            look: LookOptions {
                scope: None,
                ..self.look_options()
            },
        };
        let (session, tab, abort) = (self.session, self.tab(), self.abort());
        let url = || self.params.wanted(self.params.url.as_ref(), "url");
        let opened = match self.params.action {
            Action::Open => Box::pin(session.open(url()?, &options, abort)).await,
            Action::Navigate => Box::pin(session.navigate(url()?, tab, &options, abort)).await,
            Action::Back => Box::pin(session.back(tab, &options, abort)).await,
            _ => Box::pin(session.reload(tab, &options, abort)).await,
        };
        Ok((BrowserResult::Opened(Box::new(opened?)), None))
    }

    async fn tabs(&self) -> Result<Done, ToolError> {
        let abort = self.abort();
        let tabs = match self.params.action {
            Action::Focus => {
                let tab = self.params.wanted(self.params.tab.as_ref(), "tab")?;
                Box::pin(self.session.focus(tab, abort)).await?;
                Box::pin(self.session.tabs(abort)).await?
            }
            Action::Close => Box::pin(self.session.close_tab(self.tab(), abort)).await?,
            _ => Box::pin(self.session.tabs(abort)).await?,
        };
        Ok((BrowserResult::Tabs(tabs), None))
    }

    async fn snapshot(&self) -> Result<(Done, TabInfo), ToolError> {
        let options = self.look_options();
        let looked = self
            .session
            .snapshot_with_page(self.tab(), &options, self.abort());
        let (snapshot, page) = Box::pin(looked).await?;
        Ok(((BrowserResult::Looked(snapshot), None), page))
    }

    async fn look(&self) -> Result<Done, ToolError> {
        let (params, abort) = (self.params, self.abort());
        let result = match params.action {
            Action::Text => {
                let offset = number(params.offset).unwrap_or(0);
                let most = number(params.max_chars);
                let scope = params.scope.as_deref().or(params.reference.as_deref());
                let text = Box::pin(self.session.text(
                    self.tab(),
                    scope,
                    offset,
                    most,
                    self.timeout(),
                    abort,
                ));
                BrowserResult::Read(text.await?)
            }
            _ => {
                let options = ScreenshotOptions {
                    scope: params.scope.clone().or_else(|| params.reference.clone()),
                    full_page: params.full_page.unwrap_or(false),
                    format: match picture_format(params)? {
                        PictureFormat::Png => ImageFormat::Png,
                        PictureFormat::Jpeg => ImageFormat::Jpeg,
                    },
                    labels: params.labels.unwrap_or(false),
                    timeout: self.timeout(),
                };
                let taken = Box::pin(self.session.screenshot(self.tab(), &options, abort)).await?;
                return self.pictured(taken).await;
            }
        };
        Ok((result, None))
    }

    async fn pictured(&self, taken: Screenshot) -> Result<Done, ToolError> {
        let picture = ShownPicture {
            data: STANDARD.encode(&taken.bytes),
            width: taken.width,
            height: taken.height,
            mime_type: taken.mime_type.to_owned(),
            scale: taken.scale,
        };
        let saved = match &self.plan.target {
            Some(target) => {
                let mime_type = taken.mime_type.to_owned();
                Some(self.save(target.clone(), taken.bytes, mime_type).await?)
            }
            None => None,
        };
        Ok((BrowserResult::Pictured(picture), saved))
    }

    async fn act(&self) -> Result<Done, ToolError> {
        let (params, session, abort) = (self.params, self.session, self.abort());
        let options = self.options();
        let result = match params.action {
            Action::Click => {
                let click = Click {
                    button: params.button.map(|button| button_name(button).to_owned()),
                    modifiers: params.modifiers.clone().unwrap_or_default(),
                    double: params.double_click.unwrap_or(false),
                };
                Box::pin(session.click(&self.target()?, &click, &options, abort)).await
            }
            Action::Hover => Box::pin(session.hover(&self.target()?, &options, abort)).await,
            Action::Type => {
                let text = params.wanted(params.text.as_ref(), "text")?;
                let submit = params.submit.unwrap_or(false);
                let reference = params.reference.as_deref();
                Box::pin(session.type_text(reference, text, submit, &options, abort)).await
            }
            Action::Fill => {
                let submit = params.submit.unwrap_or(false);
                Box::pin(session.fill(&self.fields()?, submit, &options, abort)).await
            }
            Action::Select => {
                let values = params.wanted(params.values.as_ref(), "values")?;
                Box::pin(session.select(self.reference()?, values, &options, abort)).await
            }
            Action::Press => {
                let key = params.wanted(params.key.as_ref(), "key")?;
                let reference = params.reference.as_deref();
                Box::pin(session.press(key, reference, &options, abort)).await
            }
            Action::Drag => {
                let (from, to) = (self.target()?, self.drop_target()?);
                Box::pin(session.drag(&from, &to, &options, abort)).await
            }
            Action::Scroll => {
                let across = params.delta_x.unwrap_or(0.0);
                let down = params.delta_y;
                let down = down.unwrap_or(if params.delta_x.is_some() {
                    0.0
                } else {
                    SCROLL
                });
                let reference = params.reference.as_deref();
                let scrolled = Box::pin(session.scroll(reference, across, down, &options, abort));
                let (moved, result) = scrolled.await?;
                return Ok((BrowserResult::Done(Box::new(result), Some(moved)), None));
            }
            _ => {
                let accept = *params.wanted(params.accept.as_ref(), "accept")?;
                let text = params.prompt_text.as_deref();
                let (info, result) =
                    Box::pin(session.dialog(self.tab(), accept, text, abort)).await?;
                return Ok((BrowserResult::Answered(info, Box::new(result)), None));
            }
        };
        Ok((BrowserResult::Done(Box::new(result?), None), None))
    }

    fn fields(&self) -> Result<Vec<Field>, ToolError> {
        let params = self.params;
        match (&params.fields, &params.reference, &params.text) {
            (Some(fields), None, None) => Ok(fields
                .iter()
                .map(|field| Field {
                    reference: field.reference.clone(),
                    value: field.value.clone(),
                })
                .collect()),
            (None, Some(reference), Some(text)) => Ok(vec![Field {
                reference: reference.clone(),
                value: text.clone(),
            }]),
            (Some(_), ..) => Err(ToolError::new(
                ErrorCode::InvalidParams,
                "`fill` takes `fields`, or `ref` and `text`, not both.",
            )),
            (None, None, _) => Err(params.lacks("fields")),
            (None, Some(_), None) => Err(params.lacks("text")),
        }
    }

    async fn inspect(&self) -> Result<Done, ToolError> {
        let (params, session, abort) = (self.params, self.session, self.abort());
        let limit = number(params.limit).unwrap_or(ENTRIES);
        let (tab, filter) = (self.tab(), params.filter.as_deref());
        let result = match params.action {
            Action::Wait => {
                let wanted = match (&params.text, &params.text_gone, &params.url, params.time) {
                    (Some(text), None, None, None) => WaitFor::Text(text.clone()),
                    (None, Some(text), None, None) => WaitFor::TextGone(text.clone()),
                    (None, None, Some(url), None) => WaitFor::Url(url.clone()),
                    (None, None, None, Some(time)) => WaitFor::Time(Duration::from_millis(time)),
                    _ => {
                        let message = "`wait` needs one of `text`, `textGone`, `url` and `time`.";
                        return Err(ToolError::new(ErrorCode::InvalidParams, message));
                    }
                };
                let waited = Box::pin(session.wait(tab, &wanted, self.timeout(), abort)).await?;
                match wanted {
                    WaitFor::Time(_) => BrowserResult::Paused,
                    _ => BrowserResult::Waited(waited.matched),
                }
            }
            Action::Evaluate => {
                let expression = params.wanted(params.expression.as_ref(), "expression")?;
                let reference = params.reference.as_deref();
                let timeout = self.timeout();
                let value = session.evaluate(tab, expression, reference, timeout, abort);
                let value = Box::pin(value).await?;
                BrowserResult::Evaluated(value)
            }
            Action::Console => {
                let entries = Box::pin(session.console(tab, filter, limit, abort)).await?;
                BrowserResult::Console(entries)
            }
            _ => {
                BrowserResult::Network(Box::pin(session.network(tab, filter, limit, abort)).await?)
            }
        };
        Ok((result, None))
    }

    async fn transfer(&self) -> Result<Done, ToolError> {
        let (session, abort, options) = (self.session, self.abort(), self.options());
        if self.params.action == Action::Upload {
            let reference = self.params.reference.as_deref();
            let files = self.uploads().await?;
            let result = Box::pin(session.upload(reference, &files, &options, abort)).await?;
            return Ok((BrowserResult::Done(Box::new(result), None), None));
        }
        let taken = Box::pin(session.download(self.reference()?, &options, abort)).await?;
        let Some(target) = self.plan.target.clone() else {
            return Err(self.params.lacks("path"));
        };
        let bytes = bytes_of(taken.path.clone()).await?;
        let mime_type = mime_type_of(&bytes);
        let saved = self.save(target, bytes, mime_type).await?;
        let url = taken.url.clone();
        let result = BrowserResult::Downloaded(url, Box::new(taken.result.clone()));
        Ok((result, Some(saved)))
    }

    async fn uploads(&self) -> Result<Vec<Upload>, ToolError> {
        let files = self.plan.uploads.clone();
        blocking(self.context.clone(), move |_| {
            let mut uploads = Vec::new();
            let mut left = limits::BROWSER_UPLOAD_MAX_BYTES;
            for file in files {
                let snapshot = read_bytes(&file, left)?;
                let bytes = snapshot.bytes().to_vec();
                left = left.saturating_sub(bytes.len() as u64);
                let name = file.target().file_name().unwrap_or_default();
                uploads.push(Upload {
                    name: name.to_string_lossy().into_owned(),
                    bytes,
                });
            }
            Ok(uploads)
        })
        .await
    }

    /// Writes a file as every change is made.
    async fn save(
        &self,
        target: Located,
        bytes: Vec<u8>,
        mime_type: String,
    ) -> Result<SavedFile, ToolError> {
        let files = self.files.clone();
        blocking(self.context.clone(), move |context| {
            let mut changes = ChangeSet::new();
            let size = bytes.len() as u64;
            let note = Note::whole(&target, &bytes, None);
            let kind = match read_bytes(&target, limits::EDIT_MAX_BYTES) {
                Ok(old) => {
                    if old.bytes() != bytes {
                        changes.update(&old, bytes)?;
                    }
                    ChangeKind::Update
                }
                Err(Error::NotFound { .. }) => {
                    changes.create(&target, bytes)?;
                    ChangeKind::Create
                }
                Err(error) => return Err(error.into()),
            };
            let warnings = commit(changes, vec![note], &files, context)?;
            Ok(SavedFile {
                path: target.name().to_owned(),
                absolute: target.target().to_string_lossy().into_owned(),
                kind,
                size,
                mime_type,
                warnings,
            })
        })
        .await
    }
}

fn target_of(reference: Option<&String>, x: Option<f64>, y: Option<f64>) -> Option<Target> {
    match (reference, x, y) {
        (Some(reference), ..) => Some(Target::Ref(reference.clone())),
        (None, Some(x), Some(y)) => Some(Target::Point { x, y }),
        _ => None,
    }
}

/// What the endings of files say of the pictures in them.
const ENDINGS: &[(&str, PictureFormat)] = &[
    ("jpeg", PictureFormat::Jpeg),
    ("jpg", PictureFormat::Jpeg),
    ("png", PictureFormat::Png),
];

/// How a screenshot is coded: as is said, and as the file is called that it is written to.
pub(super) fn picture_format(params: &BrowserParams) -> Result<PictureFormat, ToolError> {
    let path = params.path.as_deref().unwrap_or_default();
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let named = ENDINGS
        .iter()
        .find(|(known, _)| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(known)));
    match (params.format, named) {
        (Some(format), Some((ending, other))) if format != *other => {
            let message = format!(
                "`{path}` ends in `.{ending}`, but `format` is another one. Leave `format` out, or write to a file with its ending."
            );
            Err(ToolError::new(ErrorCode::InvalidParams, message).with("param", "format"))
        }
        (Some(format), _) => Ok(format),
        (None, Some((_, format))) => Ok(*format),
        (None, None) => Ok(PictureFormat::Jpeg),
    }
}

fn number(given: Option<u64>) -> Option<usize> {
    given.map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

const fn button_name(button: MouseButton) -> &'static str {
    match button {
        MouseButton::Left => "left",
        MouseButton::Right => "right",
        MouseButton::Middle => "middle",
    }
}

/// What a file that came from a page is, by its first bytes; what a server says of it may be anything.
fn mime_type_of(bytes: &[u8]) -> String {
    let known = image_facts(bytes).map(|facts| facts.format.mime_type());
    let pdf = bytes.starts_with(b"%PDF-").then_some("application/pdf");
    let zip = bytes
        .starts_with(b"PK\x03\x04")
        .then_some("application/zip");
    let text = || match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => "text/plain",
        _ => "application/octet-stream",
    };
    known.or(pdf).or(zip).unwrap_or_else(text).to_owned()
}

async fn bytes_of(path: PathBuf) -> Result<Vec<u8>, ToolError> {
    let directory = path.parent().map(ToOwned::to_owned).unwrap_or_default();
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let read = off_thread(move || {
        let workspace = tenon_workspace::Workspace::open::<&str>(&directory, &[])?;
        let file = workspace.locate_existing(&name)?;
        let snapshot = read_bytes(&file, limits::BROWSER_DOWNLOAD_MAX_BYTES)?;
        Ok(snapshot.bytes().to_vec())
    });
    let read: Result<Vec<u8>, Error> = read.await?;
    Ok(read?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_screenshot_is_coded_as_its_file_is_called() {
        let format = |path: &str, format: Option<&str>| {
            let given =
                serde_json::json!({ "action": "screenshot", "path": path, "format": format });
            let params: BrowserParams = serde_json::from_value(given).unwrap();
            picture_format(&params).map_err(|error| error.message)
        };
        assert_eq!(format("a/b.png", None), Ok(PictureFormat::Png));
        assert_eq!(format("a.JPG", None), Ok(PictureFormat::Jpeg));
        assert_eq!(format("a.jpeg", Some("jpeg")), Ok(PictureFormat::Jpeg));
        assert_eq!(format("png", None), Ok(PictureFormat::Jpeg));
        assert_eq!(format("picture", Some("png")), Ok(PictureFormat::Png));
        assert_eq!(
            format("a.png", Some("jpeg")),
            Err("`a.png` ends in `.png`, but `format` is another one. Leave `format` out, or write to a file with its ending.".to_owned())
        );
    }
}
