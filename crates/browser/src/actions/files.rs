//! Files in and out: private copies go in, single downloads come out when they were asked for.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_contract::limits;

use crate::actions::aim::Located;
use crate::actions::deliver::Before;
use crate::events::shared::Shared;
use crate::events::transfers::Current;
use crate::page::input::Press;
use crate::page::tab::{Chooser, Tab};
use crate::protocol::message::text;
use crate::session::Session;
use crate::{ActionOptions, ActionResult, BrowserError, CancellationToken, FileChooser};

/// A file that is uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Its name, as the page sees it.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// A file that was downloaded. It is removed when this is dropped.
#[derive(Debug)]
pub struct Downloaded {
    /// Where it lies.
    pub path: PathBuf,
    /// The name that the page gives it, which may be anything.
    pub suggested_name: String,
    /// Where it came from.
    pub url: String,
    /// Its bytes.
    pub size: u64,
    /// What else the click did.
    pub result: ActionResult,
    _directory: TempDir,
}

/// A field that files are given to.
struct Field {
    session: String,
    /// Which one it is: the name of a parameter of the browser, and its value.
    node: (&'static str, Value),
    takes: FileChooser,
}

impl From<Chooser> for Field {
    fn from(chooser: Chooser) -> Self {
        Self {
            session: chooser.session,
            node: ("backendNodeId", json!(chooser.node)),
            takes: chooser.takes,
        }
    }
}

/// How long a click gets to open a file chooser.
const CHOOSING: Duration = Duration::from_millis(1_500);
/// Uploads whose copies are kept.
const UPLOADS_KEPT: usize = 10;

impl Session {
    /// Gives files to a field for files; to the chooser that a click on another element opens; without a reference to the one
    /// that is open. The page gets private copies.
    ///
    /// # Errors
    /// When there is no such field or chooser, and as for a click.
    pub async fn upload(
        &self,
        reference: Option<&str>,
        files: &[Upload],
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<ActionResult, BrowserError> {
        let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
        if u64::try_from(bytes).unwrap_or(u64::MAX) > limits::BROWSER_UPLOAD_MAX_BYTES {
            return Err(BrowserError::Invalid(format!(
                "The files have {bytes} bytes together, at most {} are uploaded.",
                limits::BROWSER_UPLOAD_MAX_BYTES
            )));
        }
        self.run(abort, async {
            let (tab, before, field) = match reference {
                Some(reference) => self.field(reference, options).await?,
                None => self.open_chooser(options).await?,
            };
            if files.len() > 1 && field.takes == FileChooser::Single {
                return Err(BrowserError::NotEditable {
                    reference: reference.unwrap_or("the file chooser").to_owned(),
                    why: "it takes one file".to_owned(),
                });
            }
            let paths = self.hand_over(files)?;
            let (name, number) = field.node;
            let given = json!({ "files": paths, name: number });
            let _: Value = tab
                .call(&field.session, "DOM.setFileInputFiles", given)
                .await?;
            tab.update(|state| state.chooser = None);
            self.after(&tab, before).await
        })
        .await
    }

    /// The field for files that a reference leads to: by itself, or by the chooser that a click on it opens.
    async fn field(
        &self,
        reference: &str,
        options: &ActionOptions,
    ) -> Result<(Arc<Tab>, Before, Field), BrowserError> {
        let located = self
            .locate(options.tab.as_deref(), reference, options.limit())
            .await?;
        let frame = located.frame()?;
        let arguments = located.arguments(&[]);
        let inspected: Value = located.tab.ask(frame, "find", &arguments).await?;
        match (text(&inspected, "/state"), text(&inspected, "/kind")) {
            ("ok", "file") => {}
            ("ok", _) => return self.chosen(located, options).await,
            _ => {
                return Err(self
                    .stale(&located.tab, frame, reference, &located.shown)
                    .await);
            }
        }
        let several = inspected.get("multiple") == Some(&Value::Bool(true));
        let before = self.before(&located.tab).await;
        let element = located.tab.element(frame, located.shown.place.id).await?;
        let field = Field {
            session: frame.session.clone(),
            node: ("objectId", json!(element)),
            takes: match several {
                true => FileChooser::Multiple,
                false => FileChooser::Single,
            },
        };
        Ok((located.tab, before, field))
    }

    /// Clicks an element and takes the field whose file chooser opens then.
    async fn chosen(
        &self,
        located: Located<'_>,
        options: &ActionOptions,
    ) -> Result<(Arc<Tab>, Before, Field), BrowserError> {
        let before = self.before(&located.tab).await;
        self.click_on(&located, Press::LEFT, options).await?;
        let tab = &located.tab;
        let opened = async { Ok(tab.until(|state| state.chooser.clone()).await) };
        let opened = tab.within(CHOOSING, "Choosing files", tab.unless_broken(opened));
        match opened.await {
            Ok(chooser) => Ok((located.tab, before, chooser.into())),
            Err(BrowserError::Timeout { .. }) => Err(BrowserError::NotEditable {
                reference: located.reference.to_owned(),
                why: "it is no field for files, and a click on it opened no file chooser"
                    .to_owned(),
            }),
            Err(error) => Err(error),
        }
    }

    /// The file chooser that the last action opened.
    async fn open_chooser(
        &self,
        options: &ActionOptions,
    ) -> Result<(Arc<Tab>, Before, Field), BrowserError> {
        let tab = self.tab(options.tab.as_deref())?;
        let chooser = tab.state().chooser.clone().ok_or_else(|| {
            BrowserError::Invalid("No file chooser is open. Upload with the reference of the field for files, or of what opens the chooser.".to_owned())
        })?;
        let before = self.before(&tab).await;
        Ok((tab, before, chooser.into()))
    }

    fn hand_over(&self, files: &[Upload]) -> Result<Vec<PathBuf>, BrowserError> {
        let failed = || BrowserError::file("The copy for the upload could not be made");
        let directory = self.directory.transfer().map_err(failed())?;
        let mut paths = Vec::new();
        for (number, file) in files.iter().enumerate() {
            // Two may have one name.
            let own = directory.path().join(number.to_string());
            std::fs::create_dir(&own).map_err(failed())?;
            self.directory.give_away(&own).map_err(failed())?;
            let name = plain_name(&file.name);
            let path = self.directory.hand_over(&own, &name, &file.bytes);
            paths.push(path.map_err(failed())?);
        }
        let mut state = self.shared.transfers.state();
        state.uploads.push(directory);
        if state.uploads.len() > UPLOADS_KEPT {
            state.uploads.remove(0);
        }
        Ok(paths)
    }

    /// Clicks an element and takes the file that the page offers then.
    ///
    /// # Errors
    /// When none is offered, it is larger than 50 MB, or it breaks off.
    pub async fn download(
        &self,
        reference: &str,
        options: &ActionOptions,
        abort: &CancellationToken,
    ) -> Result<Downloaded, BrowserError> {
        self.run(abort, async {
            let failed = BrowserError::file("The directory for the download could not be made");
            let directory = self.directory.transfer().map_err(failed)?;
            let allow = json!({
                "behavior": "allowAndName", "downloadPath": directory.path(), "eventsEnabled": true,
            });
            {
                let mut state = self.shared.transfers.state();
                state.is_wanted = true;
                state.current = None;
            }
            let _wanted = Wanted {
                shared: &self.shared,
            };
            let allow = self.shared.behave(allow);
            self.shared
                .call("Browser.setDownloadBehavior", allow)
                .await?;
            let located = self
                .locate(options.tab.as_deref(), reference, options.limit())
                .await?;
            let before = self.before(&located.tab).await;
            self.click_on(&located, Press::LEFT, options).await?;
            let what = format!("The download behind `{reference}`");
            let came = self.downloaded();
            let current = located.tab.within(options.limit(), &what, came).await?;
            let result = self.after(&located.tab, before).await?;
            Ok(Downloaded {
                path: directory.path().join(&current.number),
                suggested_name: current.name,
                url: current.url,
                size: current.received,
                result,
                _directory: directory,
            })
        })
        .await
    }

    async fn downloaded(&self) -> Result<Current, BrowserError> {
        let transfers = &self.shared.transfers;
        let mut changes = transfers.changed.subscribe();
        loop {
            let current = transfers.state().current.clone();
            if let Some(current) = current {
                if current.received > limits::BROWSER_DOWNLOAD_MAX_BYTES {
                    return Err(BrowserError::File {
                        what: format!("`{}` was not downloaded", current.url),
                        fault: format!(
                            "it is larger than {} bytes",
                            limits::BROWSER_DOWNLOAD_MAX_BYTES
                        ),
                    });
                }
                match current.end {
                    Some(true) => return Ok(current),
                    Some(false) => {
                        return Err(BrowserError::File {
                            what: format!("`{}` was not downloaded", current.url),
                            // The browser does not say with which status a server refused it.
                            fault: match current.received {
                                0 => "nothing of it came, as where the server answers with an error such as 404".to_owned(),
                                received => format!("it broke off after {received} bytes"),
                            },
                        });
                    }
                    None => {}
                }
            }
            // The sender lives as long as this session.
            let _ = changes.changed().await;
        }
    }
}

/// A download that is wanted. However its call ends, no other one is taken.
struct Wanted<'a> {
    shared: &'a Shared,
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.transfers.state();
        state.is_wanted = false;
        if let Some(current) = state.current.take()
            && current.end.is_none()
        {
            let cancel = json!({ "guid": current.number });
            self.shared
                .connection
                .send(None, "Browser.cancelDownload", cancel);
        }
        drop(state);
        let deny = json!({ "behavior": "deny", "eventsEnabled": true });
        let deny = self.shared.behave(deny);
        self.shared
            .connection
            .send(None, "Browser.setDownloadBehavior", deny);
    }
}

/// A name without directories and signs that some system gives a meaning.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last
        .chars()
        .map(|letter| if letter.is_control() { '_' } else { letter })
        .take(100)
        .collect();
    match plain.as_str() {
        "" | "." | ".." => "file".to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere() {
        let names = [
            "a.txt",
            "../../etc/passwd",
            "..",
            "",
            "C:\\x\\y.txt",
            "a\0b\nc",
        ];
        let plain: Vec<String> = names.iter().map(|name| plain_name(name)).collect();
        assert_eq!(plain, ["a.txt", "passwd", "file", "file", "y.txt", "a_b_c"]);
    }
}
