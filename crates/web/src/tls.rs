//! Whom a secure connection trusts.

use std::sync::{Arc, OnceLock};

use rustls::client::Resumption;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

/// The certificate authorities of the operating system, and those of Mozilla where it has none, as in small
/// containers. `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    // Some systems carry certificates that no parser takes; the others still count.
    let (_added, _ignored) = roots.add_parsable_certificates(native.certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

/// The settings of every secure connection; sessions are resumed across connections.
pub(crate) fn config(more: &[CertificateDer<'static>]) -> Result<Arc<ClientConfig>, String> {
    static SYSTEM: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if more.is_empty() {
        if let Some(config) = SYSTEM.get() {
            return Ok(config.clone());
        }
        let config = Arc::new(build(roots())?);
        return Ok(SYSTEM.get_or_init(|| config).clone());
    }
    let mut roots = roots();
    for certificate in more {
        roots
            .add(certificate.clone())
            .map_err(|error| format!("a certificate authority cannot be used: {error}"))?;
    }
    build(roots).map(Arc::new)
}

/// Settings that trust nobody, for connections that are not secure.
pub(crate) fn none() -> Result<ClientConfig, String> {
    static NONE: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = NONE.get() {
        return Ok(config.clone());
    }
    let config = build(RootCertStore::empty())?;
    Ok(NONE.get_or_init(|| config).clone())
}

fn build(roots: RootCertStore) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.resumption = Resumption::in_memory_sessions(64);
    Ok(config)
}
