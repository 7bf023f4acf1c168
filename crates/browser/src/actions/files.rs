//! Files in and out: private copies go in, single downloads come out when they were asked for.

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_contract::limits;

use crate::events::shared::Shared;
use crate::events::transfers::Current;
use crate::protocol::message::text;
use crate::session::Session;
use crate::{ActionOptions, ActionResult, BrowserError, CancellationToken};

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

/// Uploads whose copies are kept.
const UPLOADS_KEPT: usize = 10;

impl Session {
    /// Gives files to a field for files. The page gets private copies.
    ///
    /// # Errors
    /// When it is no such field, and as for a click.
    pub async fn upload(
        &self,
        reference: &str,
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
            let located = self
                .locate(options.tab.as_deref(), reference, options.limit())
                .await?;
            let frame = located.frame()?;
            let arguments = located.arguments(&[]);
            let inspected: Value = located.tab.ask(frame, "find", &arguments).await?;
            match (text(&inspected, "/state"), text(&inspected, "/kind")) {
                ("ok", "file") => {}
                ("ok", _) => {
                    return Err(BrowserError::NotEditable {
                        reference: reference.to_owned(),
                        why: "it is no field for files".to_owned(),
                    });
                }
                _ => {
                    return Err(self
                        .stale(&located.tab, frame, reference, &located.shown)
                        .await);
                }
            }
            let several = inspected.get("multiple") == Some(&Value::Bool(true));
            if files.len() > 1 && !several {
                return Err(BrowserError::NotEditable {
                    reference: reference.to_owned(),
                    why: "it takes one file".to_owned(),
                });
            }
            let before = self.before(&located.tab).await;
            let paths = self.hand_over(files)?;
            let element = located.tab.element(frame, located.shown.place.id).await?;
            let given = json!({ "files": paths, "objectId": element });
            let _: Value = located
                .tab
                .call(&frame.session, "DOM.setFileInputFiles", given)
                .await?;
            self.after(&located.tab, before).await
        })
        .await
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
            let press = crate::page::input::Press {
                button: "left",
                modifiers: 0,
                is_double: false,
            };
            self.click_on(&located, press, options).await?;
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
                            fault: "it broke off".to_owned(),
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
