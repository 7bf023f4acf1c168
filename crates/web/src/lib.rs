//! The web: requests that cannot be turned inward, pages that read well, search at any provider.
//!
//! - [`WebUrl`] and [`Guard`]: which addresses may be asked. Pure.

mod address;
mod visible;

pub use address::{AddressBlock, AllowedHosts, Guard, Refusal, WebUrl, block_of};
