//! Which era a server speaks, as far as this process has found out: asking costs a start, or ten seconds of silence.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rmcp::ClientLifecycleMode;
use rmcp::model::ProtocolVersion;

use crate::spec::{Protocol, ServerSpec};

/// More configurations than that are not remembered.
const MOST: usize = 10_000;

/// The eras by the key of the configuration.
static KNOWN: LazyLock<Mutex<HashMap<String, Protocol>>> = LazyLock::new(Mutex::default);

fn known() -> MutexGuard<'static, HashMap<String, Protocol>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to begin with.
pub(crate) fn first(spec: &ServerSpec) -> Protocol {
    match spec.protocol {
        Protocol::Auto => known().get(&spec.key()).copied().unwrap_or_default(),
        given => given,
    }
}

/// What was found out.
pub(crate) fn learn(spec: &ServerSpec, version: &ProtocolVersion) {
    let mut known = known();
    if known.len() < MOST {
        known.insert(spec.key(), of(version));
    }
}

/// What was known is not so any more.
pub(crate) fn forget(spec: &ServerSpec) {
    known().remove(&spec.key());
}

/// The era of a version.
pub(crate) fn of(version: &ProtocolVersion) -> Protocol {
    if version.has_initialize() {
        Protocol::Legacy
    } else {
        Protocol::Modern
    }
}

/// As the protocol library begins with it.
pub(crate) fn mode(protocol: Protocol) -> ClientLifecycleMode {
    let modern = || vec![ProtocolVersion::V_2026_07_28];
    match protocol {
        Protocol::Legacy => ClientLifecycleMode::Initialize,
        Protocol::Modern => ClientLifecycleMode::Discover {
            preferred_versions: modern(),
        },
        Protocol::Auto => ClientLifecycleMode::Auto {
            preferred_versions: modern(),
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    }
}
