//! A request through the host's proxy, over a connection that is used once.
//!
//! Where addresses were checked, the proxy receives one of them by `CONNECT`, for `http` too: given a whole address, it would
//! look up the name again, or write the address over `Host`. Where it finds hosts by itself, it gets
//! what proxies are used to: `CONNECT name:443` for `https`, the whole address for `http`.

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use reqwest::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use rustls::pki_types::{CertificateDer, ServerName};
use tenon_contract::limits;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answer::OpenAnswer;
use super::outgoing::Outgoing;
use crate::address::WebUrl;
use crate::error::{WebError, deepest};
use crate::upstream::{Target, Upstream, WANTS_CREDENTIALS, secured};

/// Sends a request through a proxy.
pub(super) async fn ask(
    upstream: &Upstream,
    target: &Target,
    outgoing: Outgoing,
    authorities: &[CertificateDer<'static>],
) -> Result<OpenAnswer, WebError> {
    let url = outgoing.url.clone();
    let refused = |reason: String| WebError::proxy(&url, target, reason);
    let failed = |reason: String| WebError::Failed {
        url: url.to_string(),
        reason,
    };
    let is_whole = *target == Target::Named && !url.is_secure();
    let connection = if is_whole {
        upstream.connect(authorities).await.map_err(refused)?
    } else {
        let tunnel = upstream.tunnel(&url, target, authorities).await;
        tunnel.map_err(refused)?
    };
    let connection = if url.is_secure() {
        let name = server_name(&url).map_err(failed)?;
        let securing = secured(connection, name, authorities);
        let secured = timeout(limits::WEB_CONNECT_TIMEOUT, securing).await;
        secured
            .unwrap_or_else(|_| Err("no connection could be made in time".to_owned()))
            .map_err(failed)?
    } else {
        connection
    };
    let request = request(&url, outgoing, is_whole.then_some(upstream))?;
    let (mut sender, connection) = http1::Builder::new()
        .max_headers(limits::WEB_HEADERS_MAX)
        .allow_obsolete_multiline_headers_in_responses(true)
        .max_buf_size(limits::WEB_HEADERS_MAX_BYTES)
        .handshake(TokioIo::new(connection))
        .await
        .map_err(|error| failed(deepest(&error)))?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        // What fails here fails the answer as well, which reports it.
        let _ = connection.await;
    });
    let answer = sender.send_request(request).await;
    let answer = answer.map_err(|error| failed(deepest(&error)))?;
    if is_whole && answer.status().as_u16() == 407 {
        return Err(refused(WANTS_CREDENTIALS.to_owned()));
    }
    Ok(OpenAnswer::Through {
        answer,
        _driver: driver,
    })
}

fn server_name(url: &WebUrl) -> Result<ServerName<'static>, String> {
    match url.literal() {
        Some(address) => Ok(ServerName::IpAddress(address.into())),
        None => ServerName::try_from(url.host().to_owned()).map_err(|error| error.to_string()),
    }
}

/// The request as it is written; for a proxy that reads it, with the whole address and what the proxy asks for.
fn request(
    url: &WebUrl,
    outgoing: Outgoing,
    read_by: Option<&Upstream>,
) -> Result<hyper::Request<Full<Bytes>>, WebError> {
    let internal = |error: &dyn std::fmt::Display| WebError::Internal(error.to_string());
    let address = url.without_fragment();
    let address = address.as_url();
    let target = match (read_by, address.query()) {
        (Some(_), _) => address.to_string(),
        (None, Some(query)) => format!("{}?{query}", address.path()),
        (None, None) => address.path().to_owned(),
    };
    let port = address
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let host = HeaderValue::from_str(&format!("{}{port}", url.host()))
        .map_err(|error| internal(&error))?;
    let mut request =
        hyper::Request::new(Full::new(Bytes::from(outgoing.body.unwrap_or_default())));
    *request.method_mut() = outgoing.method;
    *request.uri_mut() = target.parse().map_err(|error| internal(&error))?;
    *request.headers_mut() = outgoing.headers;
    request.headers_mut().insert(HOST, host);
    if let Some(authorization) = read_by.and_then(Upstream::authorization) {
        request
            .headers_mut()
            .insert(PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(request)
}
