//! An answer while it comes, whichever way it takes.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use reqwest::header::HeaderMap;
use tokio::task::JoinSet;

use super::transport::reason;
use crate::error::deepest;

/// An answer whose head is there.
pub(super) enum OpenAnswer {
    /// Straight from the server.
    Direct(reqwest::Response),
    /// Through the host's proxy.
    Through {
        answer: hyper::Response<Incoming>,
        /// Drives the connection; ends when it is dropped.
        _driver: JoinSet<()>,
    },
}

impl OpenAnswer {
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Direct(answer) => answer.status().as_u16(),
            Self::Through { answer, .. } => answer.status().as_u16(),
        }
    }

    pub(super) fn take_headers(&mut self) -> HeaderMap {
        std::mem::take(match self {
            Self::Direct(answer) => answer.headers_mut(),
            Self::Through { answer, .. } => answer.headers_mut(),
        })
    }

    /// The next bytes of the body; nothing at its end. A failure is its deepest cause.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        match self {
            Self::Direct(answer) => answer.chunk().await.map_err(reason),
            Self::Through { answer, .. } => loop {
                match answer.body_mut().frame().await {
                    None => return Ok(None),
                    Some(Err(error)) => return Err(deepest(&error)),
                    Some(Ok(frame)) => {
                        // Trailers are of no use here.
                        if let Ok(bytes) = frame.into_data() {
                            return Ok(Some(bytes));
                        }
                    }
                }
            },
        }
    }
}
