//! Every textual form of an address that is not public, and the public ones beside them.

use std::net::IpAddr;

use proptest::prelude::*;
use tenon_contract::{ErrorCode, ToolError};

use super::*;

fn refused(guard: &Guard, text: &str) -> String {
    match WebUrl::parse(text).and_then(|url| guard.check(&url)) {
        Err(refusal) => refusal.rule(),
        Ok(()) => format!("allowed: {text}"),
    }
}

#[test]
fn every_spelling_of_the_loopback_address_is_one_address() {
    let spellings = [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://127.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7F.0.0.1/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://0000000177.0x0.0.01/",
        "http://127.0.0.1./",
        "http://１２７．０．０．１/",
        "http://127。0。0。1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://%31%32%37.0.0.1/",
        "http:127.0.0.1",
        "http:\\\\127.0.0.1\\",
        "http:////127.0.0.1/",
        "HTTP://127.0.0.1:80/",
        "  http://127.0.0.1/  ",
        "http://127.0.0.1\\@example.com/",
        "http://127.255.255.254/",
    ];
    for text in spellings {
        assert_eq!(
            refused(&Guard::default(), text),
            "web.address: loopback (127.0.0.0/8)",
            "{text}"
        );
    }
}

#[test]
fn blocks_that_are_not_public_are_named() {
    let table = [
        ("http://0/", "this network (0.0.0.0/8)"),
        ("http://0.0.0.0:8080/", "this network (0.0.0.0/8)"),
        ("http://10.0.0.1/", "private network (10.0.0.0/8)"),
        ("http://100.64.0.1/", "shared address space (100.64.0.0/10)"),
        (
            "http://100.100.100.200/",
            "shared address space (100.64.0.0/10)",
        ),
        ("http://168.63.129.16/", "cloud platform (168.63.129.16/32)"),
        (
            "http://169.254.169.254/latest/meta-data/",
            "link-local (169.254.0.0/16)",
        ),
        ("http://2852039166/", "link-local (169.254.0.0/16)"),
        ("http://172.16.0.1/", "private network (172.16.0.0/12)"),
        ("http://172.31.255.255/", "private network (172.16.0.0/12)"),
        ("http://192.0.0.192/", "protocol assignments (192.0.0.0/24)"),
        ("http://192.0.2.1/", "documentation (192.0.2.0/24)"),
        ("http://192.88.99.1/", "6to4 relay (192.88.99.0/24)"),
        ("http://192.168.1.1/", "private network (192.168.0.0/16)"),
        ("http://198.18.0.1/", "benchmarking (198.18.0.0/15)"),
        ("http://198.19.255.255/", "benchmarking (198.18.0.0/15)"),
        ("http://198.51.100.1/", "documentation (198.51.100.0/24)"),
        ("http://203.0.113.1/", "documentation (203.0.113.0/24)"),
        ("http://224.0.0.1/", "multicast (224.0.0.0/4)"),
        ("http://240.0.0.1/", "reserved (240.0.0.0/4)"),
        ("http://255.255.255.255/", "reserved (240.0.0.0/4)"),
        ("http://[::]/", "unspecified (::/128)"),
        ("http://[::1]/", "loopback (::1/128)"),
        ("http://[0:0:0:0:0:0:0:1]/", "loopback (::1/128)"),
        ("http://[::ffff:127.0.0.1]/", "IPv4-mapped (::ffff:0:0/96)"),
        ("http://[::ffff:7f00:1]/", "IPv4-mapped (::ffff:0:0/96)"),
        ("http://[::ffff:8.8.8.8]/", "IPv4-mapped (::ffff:0:0/96)"),
        ("http://[::127.0.0.1]/", "IPv4-compatible (::/96)"),
        ("http://[64:ff9b::7f00:1]/", "NAT64 (64:ff9b::/96)"),
        ("http://[64:ff9b:1::7f00:1]/", "NAT64 (64:ff9b:1::/48)"),
        ("http://[100::1]/", "discard (100::/64)"),
        ("http://[2001::1]/", "Teredo (2001::/32)"),
        ("http://[2001:2::1]/", "protocol assignments (2001::/23)"),
        ("http://[2001:db8::1]/", "documentation (2001:db8::/32)"),
        ("http://[2002:7f00:1::]/", "6to4 (2002::/16)"),
        ("http://[3fff:fff::1]/", "documentation (3fff::/20)"),
        (
            "http://[4000::1]/",
            "not global unicast (outside of 2000::/3)",
        ),
        (
            "http://[::ffff:0:127.0.0.1]/",
            "not global unicast (outside of 2000::/3)",
        ),
        ("http://[fc00::1]/", "unique local (fc00::/7)"),
        ("http://[fd00:ec2::254]/", "unique local (fc00::/7)"),
        ("http://[fe80::1]/", "link-local (fe80::/10)"),
        ("http://[fec0::1]/", "site-local (fec0::/10)"),
        ("http://[ff02::1]/", "multicast (ff00::/8)"),
        ("http://localhost/", "loopback (localhost)"),
        ("http://LOCALHOST.:3000/", "loopback (localhost)"),
        ("http://a.localhost/", "loopback (localhost)"),
        ("http://ｌｏｃａｌｈｏｓｔ/", "loopback (localhost)"),
    ];
    for (text, block) in table {
        let expected = format!("web.address: {block}");
        assert_eq!(refused(&Guard::default(), text), expected, "{text}");
    }
}

#[test]
fn the_public_internet_is_let_through() {
    let public = [
        "https://example.com/",
        "https://bücher.example/",
        "https://example.com./",
        "http://8.8.8.8/",
        "http://1.1.1.1:8080/",
        "http://172.15.255.255/",
        "http://172.32.0.1/",
        "http://100.63.255.255/",
        "http://198.20.0.1/",
        "http://168.63.129.17/",
        "http://223.255.255.255/",
        "http://[2606:4700::1111]/",
        "http://[2001:200::1]/",
        "http://[2003::1]/",
        "http://0127.0.0.1/", // octal: 87.0.0.1
        "http://notlocalhost/",
        "http://localhost.example.com/",
    ];
    for text in public {
        assert_eq!(refused(&Guard::default(), text), format!("allowed: {text}"));
    }
}

#[test]
fn what_is_no_web_address_is_refused_before_anything_else() {
    let rule = |text: &str| refused(&Guard::default(), text);
    for text in [
        "file:///etc/passwd",
        "ftp://example.com/",
        "gopher://example.com:70/_",
        "data:text/html,x",
        "javascript:alert(1)",
        "view-source:http://example.com/",
        "ws://example.com/",
        "blob:https://example.com/1",
    ] {
        assert_eq!(rule(text), "web.scheme: http, https", "{text}");
    }
    for text in [
        "http://user@example.com/",
        "http://user:secret@example.com/",
        "http://:secret@example.com/",
        "http://good.com@127.0.0.1/",
    ] {
        assert_eq!(rule(text), "web.credentials: none", "{text}");
    }
    for text in [
        "",
        "   ",
        "example.com",
        "//example.com/",
        "/etc/passwd",
        "http://",
        "http:///",
        "http://./",
        "http://a..b/",
        "http://exa mple.com/",
        "http://example.com:99999/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://example.com\u{0}.evil.com/",
        "http://example.com/\n",
        "http://exam\tple.com/",
        "java\nscript:alert(1)",
        "http://example.com/\u{85}",
        "http://256.256.256.256/",
        "http://1.2.3.4.5/",
        "http://a%00b/",
    ] {
        assert_eq!(rule(text), "web.syntax", "{text:?}");
    }
    assert_eq!(rule("http://example.com:25/"), "web.port: 25");
    assert_eq!(
        rule("http://example.com:6379/"),
        "allowed: http://example.com:6379/"
    );
    let long = format!("https://example.com/{}", "a".repeat(20_000));
    assert_eq!(rule(&long), "web.syntax");
}

#[test]
fn only_the_opened_server_is_opened() {
    let entries = [
        "localhost:3000",
        "127.0.0.1:8080",
        "[::1]:9000",
        "10.0.0.5:22",
    ];
    let guard = Guard::new(AllowedHosts::new(entries).unwrap());
    for text in [
        "http://localhost:3000/x",
        "https://LOCALHOST.:3000/",
        "http://127.1:8080/",
        "http://[0::1]:9000/",
        "http://10.0.0.5:22/",
    ] {
        assert_eq!(refused(&guard, text), format!("allowed: {text}"));
    }
    for text in [
        "http://localhost/",
        "http://localhost:3001/",
        "http://127.0.0.1:3000/",
        "http://localhost.evil.com.localhost:3000/",
        "http://[::ffff:127.0.0.1]:8080/",
        "http://[::1]/",
    ] {
        assert!(refused(&guard, text).starts_with("web.address: "), "{text}");
    }
    assert_eq!(
        Guard::new(AllowedHosts::new([]).unwrap()),
        Guard::default(),
        "an empty list opens nothing"
    );
}

impl PartialEq for Guard {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

#[test]
fn entries_that_are_no_host_with_a_port_are_refused_by_name() {
    for entry in [
        "",
        "localhost",
        "localhost:",
        ":80",
        "*:80",
        "*.local:80",
        "http://localhost:80",
        "localhost:80/",
        "localhost:0x50",
        "a@b:80",
        "localhost:99999",
        "::1:80",
        "10.0.0.0/8:80",
        "a b:80",
        "localhost:80#",
        "localhost:+80",
    ] {
        let error = AllowedHosts::new([entry]).unwrap_err();
        assert_eq!(
            error.details["option"], "options.web.fetch.allowPrivate",
            "{entry}"
        );
    }
}

#[test]
fn one_answer_that_is_not_public_refuses_them_all() {
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    let url = WebUrl::parse("https://mixed.example/").unwrap();
    let guard = Guard::default();
    assert_eq!(
        guard.admit(
            &url,
            &[ip("93.184.216.34"), ip("93.184.216.34"), ip("2606:2800::1")]
        ),
        Ok(vec![
            "93.184.216.34:443".parse().unwrap(),
            "[2606:2800::1]:443".parse().unwrap()
        ])
    );
    for bad in ["127.0.0.1", "::ffff:10.0.0.1", "169.254.169.254", "fd00::1"] {
        let refusal = guard
            .admit(&url, &[ip("93.184.216.34"), ip(bad)])
            .unwrap_err();
        assert!(refusal.rule().starts_with("web.address: "), "{bad}");
        assert!(!refusal.to_string().contains(bad), "{refusal}");
    }
}

#[test]
fn a_refusal_names_subject_and_rule_and_leaves_the_option_to_the_details() {
    let url = WebUrl::parse("http://10.1.2.3:8080/admin").unwrap();
    let error = ToolError::from(Guard::default().check(&url).unwrap_err());
    assert_eq!(error.code, ErrorCode::PolicyDenied);
    assert_eq!(
        error.message,
        "`http://10.1.2.3:8080/admin` was refused: `10.1.2.3` is not a public address (private network, 10.0.0.0/8). \
         Private addresses are blocked."
    );
    assert_eq!(
        error.details["option"],
        "web.fetch.allowPrivate: ['10.1.2.3:8080']"
    );
    assert_eq!(
        error.details["matched_rule"],
        "web.address: private network (10.0.0.0/8)"
    );
    assert_eq!(error.details["subject"], "http://10.1.2.3:8080/admin");
}

#[test]
fn credentials_are_not_repeated() {
    let refusal = WebUrl::parse("https://me:hunter2@example.com/x").unwrap_err();
    assert!(!refusal.to_string().contains("hunter2") && !refusal.to_string().contains("me:"));
}

#[test]
fn a_location_is_read_like_an_address() {
    let base = WebUrl::parse("https://example.com/a/b?c").unwrap();
    let joined = |location: &str| base.join(location).map(|url| url.to_string());
    assert_eq!(joined("../x").unwrap(), "https://example.com/x");
    assert_eq!(
        joined("//other.example/x").unwrap(),
        "https://other.example/x"
    );
    assert_eq!(joined("?d").unwrap(), "https://example.com/a/b?d");
    for location in ["file:///etc/passwd", "https://u:p@x/", "/a\nb", ""] {
        assert!(joined(location).is_err(), "{location:?}");
    }
    let redirect = base.join("http:\\\\127.0.0.1").unwrap();
    assert!(Guard::default().check(&redirect).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever the text: what is let through is a name or an address that the standard library calls neither
    /// private nor special.
    #[test]
    fn nothing_private_gets_through(host in "[0-9a-fx:.\\[\\]%１２７。]{1,24}") {
        if let Ok(url) = WebUrl::parse(&format!("http://{host}/")) && Guard::default().check(&url).is_ok() {
            match url.literal() {
                Some(IpAddr::V4(address)) => prop_assert!(!(address.is_private() || address.is_loopback()
                    || address.is_link_local() || address.is_unspecified() || address.is_multicast()
                    || address.is_broadcast() || address.is_documentation())),
                Some(IpAddr::V6(address)) => prop_assert!(!(address.is_loopback() || address.is_unspecified()
                    || address.is_multicast() || address.is_unique_local() || address.is_unicast_link_local()
                    || address.to_ipv4().is_some())),
                None => prop_assert!(url.host().parse::<IpAddr>().is_err()),
            }
        }
    }

    #[test]
    fn any_ipv4_address_is_judged_alike_in_all_its_spellings(bits in any::<u32>()) {
        let address = std::net::Ipv4Addr::from_bits(bits);
        let verdict = block_of(IpAddr::V4(address)).is_some();
        let [a, b, c, d] = address.octets();
        for text in [
            format!("http://{address}/"),
            format!("http://{bits}/"),
            format!("http://0x{bits:x}/"),
            format!("http://0{bits:o}/"),
            format!("http://{a}.{b}.{}/", u32::from(c) * 256 + u32::from(d)),
            format!("http://0x{a:x}.0{b:o}.{c}.{d}/"),
        ] {
            prop_assert_eq!(refused(&Guard::default(), &text).starts_with("web.address"), verdict, "{}", text);
        }
    }
}
