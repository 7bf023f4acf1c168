//! Host patterns (docs/policy.md, "Rules"): compared label by label, never as text.

mod punycode;

use core::net::{Ipv4Addr, Ipv6Addr};

/// Why a text is no host pattern: offset and problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostError {
    pub(crate) at: usize,
    pub(crate) problem: &'static str,
}

/// `example.com`, or `*.example.com` for its subdomains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostPattern {
    /// In lower case, in ASCII form, without a root dot.
    host: String,
    /// Whether only subdomains are meant.
    below: bool,
}

impl HostPattern {
    pub(crate) fn new(text: &str) -> Result<Self, HostError> {
        let fault = |at, problem| Err(HostError { at, problem });
        if let Some(address) = ipv6(text) {
            let (host, below) = (address, false);
            return Ok(Self { host, below });
        }
        if let Some(at) = text.find([':', '/', '@', '\\', '?', '#']) {
            return fault(
                at,
                "is not a host name. Write only the host, without scheme, port and path",
            );
        }
        let (name, below) = match text.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        if let Some(at) = name.find('*') {
            return fault(
                at,
                "has a `*` that is not the first label. Write `*.example.com` for all subdomains",
            );
        }
        match normalise(name) {
            Some(host) => Ok(Self { host, below }),
            None => fault(0, "is not a host name. Write a name such as `example.com`"),
        }
    }

    /// Whether an allow rule covers the host: exactly, or one of the subdomains with `*.`.
    pub(crate) fn allows(&self, host: &str) -> bool {
        normalise(host).is_some_and(|host| {
            if self.below {
                self.is_below(&host)
            } else {
                host == self.host
            }
        })
    }

    /// Whether a deny or ask rule binds the host: it and every subdomain. What is no host is bound.
    pub(crate) fn binds(&self, host: &str) -> bool {
        let is_bound = |host: &str| host == self.host || self.is_below(host);
        if is_normal(host) {
            return is_bound(host);
        }
        normalise(host).is_none_or(|host| is_bound(&host))
    }

    /// The hosts that a deny rule binds, as names: itself and `*.` for those below it.
    pub(crate) fn bound(&self) -> [String; 2] {
        [self.host.clone(), format!("*.{}", self.host)]
    }

    /// Whether every host that `other` allows is bound by this one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        other.host == self.host || self.is_below(&other.host)
    }

    fn is_below(&self, host: &str) -> bool {
        host.strip_suffix(&self.host)
            .is_some_and(|head| head.len() > 1 && head.ends_with('.'))
    }
}

/// Whether a name is in the form that [`normalise`] gives it, as most are. `false` says nothing.
fn is_normal(host: &str) -> bool {
    let mut length = 0;
    // Behind the last dot a digit first makes it an address, which has other spellings.
    let mut is_number = false;
    for byte in host.bytes() {
        if length == 0 {
            is_number = byte.is_ascii_digit();
        }
        length = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' if length < 63 => length + 1,
            b'.' if length > 0 => 0,
            _ => return false,
        };
    }
    length > 0 && host.len() <= 253 && !is_number
}

/// An address of IPv4 in any spelling that programs read, as browsers do: `2130706433`, `0x7f.1` and `0177.0.0.1` are `127.0.0.1`.
fn ipv4(host: &str) -> Option<String> {
    let number = |text: &str| {
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let octal = text.strip_prefix('0').filter(|rest| !rest.is_empty());
        match (hex, octal) {
            (Some(""), _) => Some(0),
            (Some(digits), _) => u32::from_str_radix(digits, 16).ok(),
            (None, Some(digits)) => u32::from_str_radix(digits, 8).ok(),
            (None, None) => text.parse().ok(),
        }
    };
    // The standard library takes signs, too.
    let plain = |letter: char| letter.is_ascii_hexdigit() || matches!(letter, '.' | 'x' | 'X');
    if !host.starts_with(|first: char| first.is_ascii_digit()) || !host.chars().all(plain) {
        return None;
    }
    let parts: Option<Vec<u32>> = host.split('.').map(number).collect();
    let parts = parts.filter(|parts| parts.len() <= 4)?;
    let (last, first) = parts.split_last()?;
    let left = u32::try_from(first.len()).ok()?;
    let is_whole = first.iter().all(|part| *part < 256);
    if !is_whole || u64::from(*last) >= 1 << (8 * (4 - left)) {
        return None;
    }
    let first = (0..).zip(first);
    let first = first.map(|(place, part)| part << (8 * (3 - place)));
    Some(Ipv4Addr::from_bits(first.sum::<u32>() + last).to_string())
}

/// An address of IPv6 in brackets, or without them; one that stands for an address of IPv4 is that.
fn ipv6(host: &str) -> Option<String> {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address: Ipv6Addr = bare.unwrap_or(host).parse().ok()?;
    Some(match address.to_ipv4_mapped() {
        Some(mapped) => mapped.to_string(),
        None => format!("[{address}]"),
    })
}

/// Lower case, ASCII form, no root dot, addresses in the one form that web addresses have; `None` for what no host name can be.
pub(crate) fn normalise(host: &str) -> Option<String> {
    if is_normal(host) {
        return Some(host.to_owned());
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    if let Some(address) = ipv6(host).or_else(|| ipv4(host)) {
        return Some(address);
    }
    let labels: Option<Vec<String>> = host
        .split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'])
        .map(label)
        .collect();
    let host = labels?.join(".");
    // Digits of another script: they are those of an address as well.
    let host = ipv4(&host).unwrap_or(host);
    (host.len() <= 253).then_some(host)
}

fn label(label: &str) -> Option<String> {
    use unicode_normalization::UnicodeNormalization;
    let folded: String = label.nfkc().flat_map(char::to_lowercase).nfc().collect();
    let ascii = if folded.is_ascii() {
        folded
    } else {
        format!("xn--{}", punycode::encode(&folded)?)
    };
    let valid = ascii
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (!ascii.is_empty() && ascii.len() <= 63 && valid).then_some(ascii)
}

/// The host of a web address written in a command, in normal form; `None` when the text is no web address.
///
/// Everything up to the last `@` is the user. Where programs differ (a backslash, a tab), nothing is certain and the
/// caller treats the address as unknown.
pub(crate) fn of_address(text: &str) -> Option<Address> {
    let begins = |prefix: &&str| {
        text.get(..prefix.len())
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case(prefix))
    };
    let start = ["https://", "http://"].into_iter().find(begins)?.len();
    let rest = text.get(start..)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if rest.contains(['\\', '\t', '\n', '\r']) || authority.contains('%') {
        return Some(Address::Unclear);
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.rfind(':') {
        Some(colon) if !host.ends_with(']') => host.get(..colon).unwrap_or_default(),
        _ => host,
    };
    Some(normalise(host).map_or(Address::Unclear, Address::Host))
}

/// The host of an address of any scheme (`ssh://`, `ftp://`); `None` when the text is none, or has no host.
pub(crate) fn of_any_address(text: &str) -> Option<Address> {
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if !is_scheme {
        return None;
    }
    if let Some(address) = of_address(text) {
        return Some(address);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.rfind(':') {
        Some(colon) if !host.ends_with(']') => host.get(..colon).unwrap_or_default(),
        _ => host,
    };
    if host.is_empty() {
        return None;
    }
    Some(normalise(host).map_or(Address::Unclear, Address::Host))
}

/// What a web address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// This host.
    Host(String),
    /// A host that is not certain.
    Unclear,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_compare_by_label_in_every_spelling() {
        let pattern = HostPattern::new("Example.com").unwrap();
        assert!(
            ["example.com", "EXAMPLE.com."]
                .iter()
                .all(|host| pattern.allows(host))
        );
        assert!(
            ["evil-example.com", "example.com.evil.net", "a.example.com"]
                .iter()
                .all(|host| !pattern.allows(host))
        );
        assert!(
            ["example.com", "a.b.example.com"]
                .iter()
                .all(|host| pattern.binds(host))
        );
        assert!(!pattern.binds("notexample.com"));
    }

    #[test]
    fn a_star_label_means_sub_domains_only() {
        let pattern = HostPattern::new("*.example.com").unwrap();
        assert!(pattern.allows("a.example.com") && pattern.allows("a.b.example.com"));
        assert!(!pattern.allows("example.com"));
        assert!(pattern.binds("example.com"));
    }

    #[test]
    fn international_names_have_one_form() {
        assert_eq!(
            normalise("Bücher.Example").as_deref(),
            Some("xn--bcher-kva.example")
        );
        assert_eq!(
            normalise("例え。テスト").as_deref(),
            Some("xn--r8jz45g.xn--zckzah")
        );
        assert!(
            HostPattern::new("bücher.example")
                .unwrap()
                .allows("XN--BCHER-KVA.example")
        );
        assert_eq!(normalise("ｅxample.com").as_deref(), Some("example.com"));
    }

    #[test]
    fn an_address_has_one_form_in_every_spelling() {
        let spelled = [
            "127.1",
            "0x7f.1",
            "2130706433",
            "0177.0.0.1",
            "0x7F000001",
            "127.0.0.1.",
            "[::ffff:7f00:1]",
            "１２７。０。０。１",
        ];
        for text in spelled {
            assert_eq!(normalise(text).as_deref(), Some("127.0.0.1"), "{text}");
        }
        for (text, host) in [
            ("[FD00:0::1]", "[fd00::1]"),
            ("fd00::1", "[fd00::1]"),
            ("1.2.3.4.5", "1.2.3.4.5"),
            ("256.1.1.1", "256.1.1.1"),
            ("7zip", "7zip"),
        ] {
            assert_eq!(normalise(text).as_deref(), Some(host), "{text}");
        }
        for rule in ["fd00::1", "[fd00::1]", "[FD00:0:0::1]"] {
            assert!(HostPattern::new(rule).unwrap().binds("[fd00::1]"), "{rule}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused_with_its_place() {
        let at = |text: &str| HostPattern::new(text).unwrap_err().at;
        assert_eq!(
            [at("https://x.y"), at("x.y:80"), at("a*.b"), at("")],
            [5, 3, 1, 0]
        );
    }

    #[test]
    fn the_host_of_an_address_is_behind_the_last_at_sign() {
        let host = |text: &str| match of_address(text) {
            Some(Address::Host(host)) => host,
            other => format!("{other:?}"),
        };
        assert_eq!(host("https://good.com@Evil.com:8/x@y"), "evil.com");
        assert_eq!(host("HTTP://a.b?x"), "a.b");
        assert_eq!(host("https://good.com\\@evil.com"), "Some(Unclear)");
        assert_eq!(host("file:///x"), "None");
    }
}
