//! The index of what servers do in these tests, one by one. A test counts it and looks whether each is there.

const FETCHING: &str = include_str!("fetching.rs");
const READING: &str = include_str!("reading.rs");
const HOSTILE: &str = include_str!("hostile.rs");
const PROXIED: &str = include_str!("proxied.rs");
const REQUESTS: &str = include_str!("requests.rs");
const SECURE: &str = include_str!("secure.rs");

/// What it is about, where it stands, and the scenarios by a text that only they have.
const INDEX: &[(&str, &str, &[&str])] = &[
    (
        "redirects of every status",
        FETCHING,
        &["/301", "/302", "/303", "/303?307", "/308"],
    ),
    (
        "circles and endless chains",
        FETCHING,
        &["/a", "/self", "/n"],
    ),
    (
        "redirects inward",
        FETCHING,
        &[
            "http://127.0.0.1:8080/",
            "http://localhost/",
            "http://169.254.169.254/latest/meta-data/",
            "//10.0.0.1/",
            "http://[::1]/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::ffff:127.0.0.1]/",
            "https://internal.example/",
            "http://metadata.google.internal/",
        ],
    ),
    (
        "redirects across schemes",
        FETCHING,
        &[
            "file:///etc/passwd",
            "ftp://example.com/",
            "data:text/plain,x",
            "javascript:alert(1)",
        ],
    ),
    (
        "redirects across schemes",
        HOSTILE,
        &[
            "gopher://127.0.0.1:6379/_INFO",
            "dict://127.0.0.1:11211/",
            "ws://site.test/",
            "about:blank",
        ],
    ),
    ("meta refresh", FETCHING, &["/in", "/slow", "/next"]),
    (
        "rebinding and mixed answers",
        FETCHING,
        &["site.test", "mixed.test", "unknown.test"],
    ),
    (
        "names of this machine",
        HOSTILE,
        &[
            "zero.test",
            "ip6-localhost",
            "host.docker.internal",
            "nip.test",
            "teredo.test",
            "sixtofour.test",
        ],
    ),
    ("slow bodies", FETCHING, &["/silent", "/drip"]),
    (
        "slow heads and trailers",
        HOSTILE,
        &[
            "/slow-headers",
            "/slow-line",
            "/hints",
            "/one-header",
            "/slow-chunks",
            "/trailers",
        ],
    ),
    ("endless bodies", FETCHING, &["/plain", "/chunked"]),
    (
        "wrong lengths",
        FETCHING,
        &["/short", "/empty", "/long", "/two", "/nonsense", "/closed"],
    ),
    (
        "garbage in chunks",
        HOSTILE,
        &["/no-size", "/huge-size", "/negative", "/part", "/longer"],
    ),
    ("heads", FETCHING, &["/many", "/large"]),
    (
        "heads",
        HOSTILE,
        &[
            "/encoded",
            "/raw",
            "/control",
            "/tab",
            "/bare-feed",
            "/two-locations",
        ],
    ),
    (
        "codings",
        READING,
        &[
            "/gzip",
            "/x-gzip",
            "/members",
            "/zlib",
            "/bare",
            "/br",
            "/zstd",
            "/frames",
            "/both",
            "/three",
            "/untrue",
            "/trailing",
        ],
    ),
    (
        "codings that cannot be undone",
        READING,
        &["/compress", "/damaged", "/notbr"],
    ),
    (
        "bombs",
        READING,
        &["/nested", "/deep", "Window descriptor 0xff: 3.75 TB."],
    ),
    (
        "charsets",
        READING,
        &[
            "/header", "/quoted", "/meta", "/bom", "/utf16", "/none", "/invalid", "/unknown",
            "/xml",
        ],
    ),
    ("charsets", HOSTILE, &["/utf16be", "/utf7", "/hz"]),
    (
        "types",
        READING,
        &[
            "/json",
            "/problem",
            "/md",
            "/readme.md",
            "/js",
            "/rss",
            "/atom",
            "/svg",
            "/png",
            "/mislabelled",
            "/untyped",
            "/octet",
            "/typed",
            "/a.ipynb",
            "/zip",
            "/video",
            "/elf",
            "/nul",
        ],
    ),
    (
        "statuses",
        READING,
        &["/404", "/403", "/429", "/503", "/302"],
    ),
    (
        "hostile pages",
        READING,
        &[
            "/div",
            "/span",
            "/blockquote",
            "/table",
            "/ul",
            "/unclosed",
            "/formatting",
            "/attributes",
            "/entities",
        ],
    ),
    (
        "hostile data",
        HOSTILE,
        &["/json-deep", "/feed-deep", "/entity-bomb"],
    ),
    (
        "hidden text",
        HOSTILE,
        &[
            "/comment",
            "/display",
            "/opacity",
            "/white",
            "/tiny",
            "/away",
            "/aria",
            "/noscript",
            "/tags",
            "/bidi",
            "/zero-width",
            "/selectors",
        ],
    ),
    ("base elsewhere", HOSTILE, &["/base", "/base-data"]),
    ("TLS", SECURE, &["secure.test", "other.test", "/down"]),
    (
        "proxies",
        PROXIED,
        &[
            "93.184.216.34:443",
            "refused.test",
            "named.test",
            "1.1.1.2:443",
        ],
    ),
    (
        "requests",
        REQUESTS,
        &["418 I'm a teapot", "307 Temporary Redirect"],
    ),
];

#[test]
fn the_index_names_what_is_there_and_is_long_enough() {
    let mut count = 0;
    for (about, source, scenarios) in INDEX {
        for scenario in *scenarios {
            assert!(source.contains(scenario), "{about}: `{scenario}` is gone");
            count += 1;
        }
    }
    assert!(count >= 60, "{count} scenarios");
}
