//! Pictures of a page.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_contract::limits;

use crate::actions::aim::Located;
use crate::actions::navigate::page_limit;
use crate::actions::picture::{self, ImageFormat};
use crate::page::tab::{Shot, Tab};
use crate::session::Session;
use crate::{BrowserError, CancellationToken};

/// What is to be pictured.
#[derive(Debug, Clone, Default)]
pub struct ScreenshotOptions {
    /// Only this element.
    pub scope: Option<String>,
    /// All of the page instead of what is in view.
    pub full_page: bool,
    /// How it is coded.
    pub format: ImageFormat,
    /// Whether the references that were shown are written on it.
    pub labels: bool,
    /// Time limit. Default: 20 s, at most 120 s.
    pub timeout: Option<Duration>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screenshot {
    /// The file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Such as `image/jpeg`.
    #[serde(rename = "mimeType")]
    pub mime_type: &'static str,
    /// Pixels of it for one of the page.
    pub scale: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Size {
    width: f64,
    height: f64,
    view_width: f64,
    view_height: f64,
    x: f64,
    y: f64,
}

/// Highest page that is pictured, in pixels.
const PAGE_MAX: f64 = 20_000.0;

impl Session {
    /// A picture of what is in view, of an element, or of all of the page: at most 2000 pixels on a side.
    ///
    /// # Errors
    /// When the element is gone or cannot be seen.
    pub async fn screenshot(
        &self,
        tab: Option<&str>,
        options: &ScreenshotOptions,
        abort: &CancellationToken,
    ) -> Result<Screenshot, BrowserError> {
        self.run(abort, async {
            let (tab, located) = match &options.scope {
                None => (self.tab(tab)?, None),
                Some(scope) => {
                    let limit = page_limit(options.timeout);
                    let located = self.locate(tab, scope, limit).await?;
                    (Arc::clone(&located.tab), Some(located))
                }
            };
            let taking = self.take(&tab, located.as_ref(), options);
            tab.within(page_limit(options.timeout), "The screenshot", taking)
                .await
        })
        .await
    }

    async fn take(
        &self,
        tab: &Tab,
        located: Option<&Located<'_>>,
        options: &ScreenshotOptions,
    ) -> Result<Screenshot, BrowserError> {
        let area = self.area(tab, located, options).await?;
        let wanted = json!({
            "format": options.format.name(),
            "quality": if options.format == ImageFormat::Jpeg { json!(80) } else { Value::Null },
            "clip": { "x": area.left, "y": area.top, "width": area.width, "height": area.height, "scale": area.scale },
            "captureBeyondViewport": options.full_page || options.scope.is_some(),
        });
        let wanted = without_nulls(wanted);
        let taken: Value = tab
            .call(&tab.session, "Page.captureScreenshot", wanted)
            .await?;
        let failed = |fault: String| BrowserError::Protocol {
            method: "Page.captureScreenshot".to_owned(),
            fault,
        };
        let bytes = STANDARD
            .decode(crate::protocol::message::text(&taken, "/data"))
            .map_err(|fault| failed(fault.to_string()))?;
        let bytes = if options.labels {
            let boxes = self.labelled(tab, &area).await?;
            picture::draw(&bytes, options.format, &boxes).map_err(failed)?
        } else {
            bytes
        };
        let (width, height) = picture::size(&bytes).map_err(failed)?;
        let scale = f64::from(width) / area.width;
        tab.state().shot = Some(Shot { scale, ..area });
        Ok(Screenshot {
            bytes,
            width,
            height,
            mime_type: options.format.mime_type(),
            scale,
        })
    }

    async fn area(
        &self,
        tab: &Tab,
        located: Option<&Located<'_>>,
        options: &ScreenshotOptions,
    ) -> Result<Shot, BrowserError> {
        let element = match located {
            None => None,
            Some(located) => {
                let frame = located.frame()?;
                let id = [json!([located.shown.place.id])];
                let boxes: Vec<Option<[f64; 4]>> = tab.ask(frame, "boxes", &id).await?;
                let Some(Some([x, y, width, height])) = boxes.into_iter().next() else {
                    return Err(BrowserError::NotVisible(located.reference.to_owned()));
                };
                let (x, y) = self.offset(located, x, y).await?;
                Some((x, y, width, height))
            }
        };
        if let Some(obstacle) = tab.obstacle() {
            return Err(obstacle);
        }
        let frame = tab.main_frame().await?;
        let size: Size = tab.ask(&frame, "size", &[]).await?;
        let (left, top, width, height) = match element {
            Some((x, y, width, height)) => (size.x + x, size.y + y, width, height),
            None if options.full_page => (0.0, 0.0, size.width, size.height),
            None => (size.x, size.y, size.view_width, size.view_height),
        };
        let (width, height) = (width.clamp(1.0, PAGE_MAX), height.clamp(1.0, PAGE_MAX));
        let most = f64::from(limits::IMAGE_MAX_SIDE);
        let scale = (most / width.max(height)).min(1.0);
        Ok(Shot {
            left,
            top,
            scale,
            width,
            height,
        })
    }

    /// From a frame to the page, without asking what lies above.
    async fn offset(
        &self,
        located: &Located<'_>,
        x: f64,
        y: f64,
    ) -> Result<(f64, f64), BrowserError> {
        let (mut x, mut y) = (x, y);
        let mut frame = located.frame()?;
        while let Some(parent) = frame.parent.as_ref() {
            let Some(around) = located.frames.iter().find(|known| known.id == *parent) else {
                break;
            };
            let owner = located.tab.owner(around, frame).await?;
            let arguments = [
                json!({ "objectId": owner }),
                json!({ "value": x }),
                json!({ "value": y }),
            ];
            let point: Value = located.tab.ask_with(around, "place", &arguments).await?;
            let number = |name: &str| point.get(name).and_then(Value::as_f64);
            (x, y) = (number("x").unwrap_or(x), number("y").unwrap_or(y));
            frame = around;
        }
        Ok((x, y))
    }

    /// The references of the main frame that are in the picture, and where.
    async fn labelled(
        &self,
        tab: &Tab,
        area: &Shot,
    ) -> Result<Vec<(String, [f64; 4])>, BrowserError> {
        let frame = tab.main_frame().await?;
        let size: Size = tab.ask(&frame, "size", &[]).await?;
        let shown = self
            .shared
            .refs()
            .of_document(&tab.name, &frame.id, &frame.loader);
        let ids: Vec<u32> = shown.iter().map(|(_, id)| *id).collect();
        let boxes: Vec<Option<[f64; 4]>> = tab.ask(&frame, "boxes", &[json!(ids)]).await?;
        let mut placed = Vec::new();
        for ((number, _), place) in shown.into_iter().zip(boxes) {
            let Some([x, y, width, height]) = place else {
                continue;
            };
            let x = (x + size.x - area.left) * area.scale;
            let y = (y + size.y - area.top) * area.scale;
            placed.push((
                format!("e{number}"),
                [x, y, width * area.scale, height * area.scale],
            ));
        }
        Ok(placed)
    }

    /// The point of the page, as it is in view now, that a point of the last picture means.
    pub(crate) async fn pointed(
        &self,
        tab: &Tab,
        x: f64,
        y: f64,
    ) -> Result<(f64, f64), BrowserError> {
        if let Some(obstacle) = tab.obstacle() {
            return Err(obstacle);
        }
        let shot = tab.state().shot.ok_or_else(|| {
            BrowserError::Invalid(
                "`x` and `y` refer to the last screenshot, but this tab has no screenshot yet. Take one, or use `ref`.".to_owned(),
            )
        })?;
        let frame = tab.main_frame().await?;
        let size: Size = tab.ask(&frame, "size", &[]).await?;
        let (x, y) = (
            shot.left + x / shot.scale - size.x,
            shot.top + y / shot.scale - size.y,
        );
        let is_inside = (0.0..size.view_width).contains(&x) && (0.0..size.view_height).contains(&y);
        if !is_inside {
            return Err(BrowserError::Invalid(
                "That point is not in view now. Scroll there and take a new screenshot, or use `ref`.".to_owned(),
            ));
        }
        Ok((x, y))
    }
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    value
}
