//! Whatever a text says: what the guard lets through is public, and reading it again says the same.

#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use tenon_web::{Guard, WebUrl};

fuzz_target!(|text: &str| {
    let guard = Guard::default();
    let Ok(url) = WebUrl::parse(text) else {
        return;
    };
    assert!(!text.contains(|letter: char| letter.is_control()));
    assert_eq!(WebUrl::parse(&url.to_string()).as_ref(), Ok(&url));
    assert!(url.as_url().username().is_empty() && url.as_url().password().is_none());
    if guard.check(&url).is_err() {
        return;
    }
    match url.literal() {
        Some(IpAddr::V4(address)) => assert!(
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_multicast()
                || address.is_broadcast()
                || address.is_documentation())
        ),
        Some(IpAddr::V6(address)) => {
            assert_eq!(address.segments()[0] >> 13, 1, "outside of 2000::/3");
            assert_eq!(address.to_ipv4(), None);
        }
        None => {
            assert_eq!(url.host().parse::<IpAddr>().ok(), None);
            assert_ne!(url.host().rsplit('.').next(), Some("localhost"));
        }
    }
});
