//! Which addresses may be asked: pure, without a resolver and without a network.

mod allowed;
mod block;
mod guard;
mod ports;
mod refusal;
mod web_url;

pub use allowed::AllowedHosts;
pub use block::{AddressBlock, block_of};
pub use guard::Guard;
pub use refusal::Refusal;
pub use web_url::WebUrl;

#[cfg(test)]
mod tests;
