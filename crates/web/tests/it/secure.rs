//! TLS: the right authority, the right name, the checked address.

use std::net::TcpListener;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tenon_contract::{CancellationToken, ErrorCode, ToolContext};
use tenon_web::{
    Accept, AllowedHosts, FetchSettings, Fetcher, Guard, RequestSpec, Transport, WebUrl,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::server::*;

/// Serves TLS with a certificate for `secure.test`, and the authority that signed it.
pub(crate) fn acceptor() -> (tokio_rustls::TlsAcceptor, CertificateDer<'static>) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["secure.test".to_owned()])
        .unwrap()
        .signed_by(&key, &authority)
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    (acceptor, authority.der().clone())
}

/// A server that says `secure` to `secure.test`, and the authority that vouches for it.
pub(crate) fn secure_server() -> (u16, CertificateDer<'static>) {
    secure_serving(|_| typed("text/plain", b"secure"))
}

fn secure_serving(answer: fn(&str) -> Vec<u8>) -> (u16, CertificateDer<'static>) {
    let (acceptor, authority) = acceptor();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                let mut head = [0; 2048];
                let length = stream.read(&mut head).await.unwrap_or_default();
                let head = String::from_utf8_lossy(head.get(..length).unwrap_or_default());
                let _ = stream.write_all(&answer(&head)).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    (port, authority)
}

fn secure_fetcher(port: u16, authorities: Vec<CertificateDer<'static>>) -> Fetcher {
    let entries = [format!("secure.test:{port}"), format!("other.test:{port}")];
    let allowed = AllowedHosts::new(entries.iter().map(String::as_str)).unwrap();
    let resolver = listed(&[
        ("secure.test", &["127.0.0.1"]),
        ("other.test", &["127.0.0.1"]),
    ]);
    let transport = Transport::new(Guard::new(allowed), resolver).with_authorities(authorities);
    Fetcher::new(transport, FetchSettings::default())
}

#[tokio::test]
async fn a_certificate_must_fit_the_name_and_come_from_somebody_trusted() {
    let (port, authority) = secure_server();
    let url = |host: &str| WebUrl::parse(&format!("https://{host}:{port}/")).unwrap();
    let trusting = secure_fetcher(port, vec![authority]);
    assert_eq!(
        get(&trusting, &url("secure.test"))
            .await
            .unwrap()
            .response()
            .body,
        b"secure"
    );
    let error = get(&trusting, &url("other.test")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Network);
    assert!(error.message.contains("certificate"), "{}", error.message);
    let error = get(&secure_fetcher(port, Vec::new()), &url("secure.test"))
        .await
        .unwrap_err();
    assert!(error.message.contains("certificate"), "{}", error.message);
}

#[tokio::test]
async fn a_redirect_out_of_tls_takes_nothing_along_and_is_judged() {
    // The test's plain server is identified by the path, since the answer knows nothing else.
    let plain = Server::of(vec![("/end", typed("text/plain", b"plain"))]);
    let (port, authority) = secure_serving(|head| {
        let path = head.split(' ').nth(1).unwrap_or_default();
        let port = path.rsplit('/').next().unwrap_or_default();
        redirect("302 Found", &format!("http://plain.test:{port}/end"))
    });
    let entries = [
        format!("secure.test:{port}"),
        format!("plain.test:{}", plain.port),
    ];
    let allowed = AllowedHosts::new(entries.iter().map(String::as_str)).unwrap();
    let resolver = listed(&[
        ("secure.test", &["127.0.0.1"]),
        ("plain.test", &["127.0.0.1"]),
    ]);
    let transport = Transport::new(Guard::new(allowed), resolver).with_authorities(vec![authority]);
    let fetcher = Fetcher::new(transport, FetchSettings::default());
    let url = WebUrl::parse(&format!("https://secure.test:{port}/down/{}", plain.port)).unwrap();
    let spec = RequestSpec::new(url.clone(), None, [("authorization", "Bearer s")], None).unwrap();
    let answer = fetcher.request(spec, &context()).await.unwrap();
    assert_eq!(
        (answer.status, answer.body.as_slice()),
        (200, &b"plain"[..])
    );
    assert!(!plain.seen()[0].headers.contains_key("authorization"));
    let nobody = ToolContext::new("call", CancellationToken::new());
    let refused = fetcher.fetch(&url, Accept::Text, &nobody, &|_, _| {}).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::PolicyDenied);
    assert_eq!(plain.seen().len(), 1);
}
