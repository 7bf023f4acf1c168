//! What JavaScript may ask about other platforms without a toolkit.

use napi_derive::napi;
use tenon_runtime::platform_names as names_of;

use crate::envelope::envelope;

/// Names of a platform and what they are called in the cross-platform vocabulary, as JSON.
#[napi(catch_unwind)]
pub fn platform_names(platform: String) -> String {
    envelope("platformNames", names_of(&platform))
}
