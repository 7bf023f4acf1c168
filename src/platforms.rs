//! What JavaScript may ask about other platforms without a toolkit.

use napi_derive::napi;
use tenon_runtime::platform_names as names_of;

use crate::envelope::envelope;

/// What does on a platform what the tools of the cross-platform vocabulary do, as JSON; `inverse`: the names of the
/// platform and what they are called in the vocabulary.
#[napi(catch_unwind)]
pub fn platform_names(platform: String, inverse: Option<bool>) -> String {
    envelope(
        "platformNames",
        names_of(&platform, inverse.unwrap_or(false)),
    )
}
