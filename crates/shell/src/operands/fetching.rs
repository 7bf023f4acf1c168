//! `curl`, many of whose options name files.

mod saved;

pub(super) use saved::wget;

use super::arguments::{Lenient, opaque, unknown_file};
use super::table::{PLAIN, Spec};
use super::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::Word;

/// The options of `curl --help all` with a value.
const CURL: Spec = Spec {
    values: "CbdFPHhmUQreXYytzuAwx",
    long_values: &[
        "abstract-unix-socket",
        "aws-sigv4",
        "cert-type",
        "ciphers",
        "connect-timeout",
        "connect-to",
        "continue-at",
        "cookie",
        "create-file-mode",
        "curves",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "delegation",
        "dns-interface",
        "dns-ipv4-addr",
        "dns-ipv6-addr",
        "dns-servers",
        "doh-url",
        "ech",
        "engine",
        "expect100-timeout",
        "form",
        "form-string",
        "ftp-account",
        "ftp-alternative-to-user",
        "ftp-method",
        "ftp-port",
        "ftp-ssl-ccc-mode",
        "happy-eyeballs-timeout-ms",
        "haproxy-clientip",
        "header",
        "help",
        "hostpubmd5",
        "hostpubsha256",
        "interface",
        "ip-tos",
        "json",
        "keepalive-cnt",
        "keepalive-time",
        "key-type",
        "krb",
        "limit-rate",
        "local-port",
        "login-options",
        "mail-auth",
        "mail-from",
        "mail-rcpt",
        "max-filesize",
        "max-redirs",
        "max-time",
        "noproxy",
        "oauth2-bearer",
        "parallel-max",
        "pass",
        "pinnedpubkey",
        "preproxy",
        "proto",
        "proto-default",
        "proto-redir",
        "proxy",
        "proxy-cert-type",
        "proxy-ciphers",
        "proxy-header",
        "proxy-key-type",
        "proxy-pass",
        "proxy-pinnedpubkey",
        "proxy-service-name",
        "proxy-tls13-ciphers",
        "proxy-tlsauthtype",
        "proxy-tlspassword",
        "proxy-tlsuser",
        "proxy-user",
        "proxy1.0",
        "quote",
        "range",
        "rate",
        "referer",
        "request",
        "request-target",
        "resolve",
        "retry",
        "retry-delay",
        "retry-max-time",
        "sasl-authzid",
        "service-name",
        "socks4",
        "socks4a",
        "socks5",
        "socks5-gssapi-service",
        "socks5-hostname",
        "speed-limit",
        "speed-time",
        "telnet-option",
        "tftp-blksize",
        "time-cond",
        "tls-max",
        "tls13-ciphers",
        "tlsauthtype",
        "tlspassword",
        "tlsuser",
        "trace-config",
        "url",
        "url-query",
        "user",
        "user-agent",
        "variable",
        "vlan-priority",
        "write-out",
    ],
    long_flags: &[
        "parallel",
        "head",
        "socks5-gssapi",
        "ftp-ssl-ccc",
        "crlf",
        "netrc",
        "cert-status",
    ],
    read_options: &[
        "T",
        "upload-file",
        "K",
        "config",
        "cacert",
        "capath",
        "cert",
        "E",
        "key",
        "crlfile",
        "egd-file",
        "random-file",
        "etag-compare",
        "netrc-file",
        "proxy-cacert",
        "proxy-capath",
        "proxy-cert",
        "proxy-crlfile",
        "proxy-key",
        "pubkey",
    ],
    write_options: &[
        "o",
        "output",
        "c",
        "cookie-jar",
        "D",
        "dump-header",
        "output-dir",
        "trace",
        "trace-ascii",
        "stderr",
        "libcurl",
        "hsts",
        "alt-svc",
        "etag-save",
        "unix-socket",
    ],
    ..PLAIN
};

/// Options whose value is data, or the name of a file with `@` in front.
const DATA: &[&str] = &[
    "d",
    "data",
    "data-ascii",
    "data-binary",
    "json",
    "url-query",
    "H",
    "header",
    "proxy-header",
    "w",
    "write-out",
    "b",
    "cookie",
];

pub(super) fn curl(arguments: &[Word]) -> FileOperands<'_> {
    let split = CURL.split(arguments);
    let mut files = FileOperands::new();
    for (name, value) in &split.options {
        let Some(word) = value else { continue };
        let mut add = |word: OperandWord<'_>, access| {
            let word = OperandWord::Value(Box::new((*word).clone()));
            files.push(FileOperand::new(word, access));
        };
        if CURL.read_options.contains(name) {
            add(word.clone(), FileAccess::Read);
        }
        if CURL.write_options.contains(name) {
            add(word.clone(), FileAccess::Write);
        }
        // curl makes several names of lists and ranges.
        if matches!(*name, "T" | "upload-file")
            && let Some(place) = word.prefix().find(['[', '{'])
        {
            let start = word.prefix().get(..place).unwrap_or_default().to_owned();
            add(opaque(&start, word.span), FileAccess::Read);
        }
        // A file of options can name any file.
        if matches!(*name, "K" | "config") {
            add(opaque("", word.span), FileAccess::Read);
            add(opaque("", word.span), FileAccess::Write);
        }
        let text = word.prefix();
        let behind = match *name {
            "b" | "cookie" if !text.contains('=') && !text.starts_with('@') => {
                Some(rest(word, &text, 0))
            }
            name if DATA.contains(&name) => start(word, &text, &["@"]),
            "data-urlencode" | "variable" => marked(word, &text, '@'),
            "F" | "form" => match text.find('=') {
                Some(place) => part(word, &text, place + 1),
                None => word.is_opaque().then(|| opaque("", word.span)),
            },
            "url" => of_url(word),
            _ => None,
        };
        if let Some(word) = behind {
            add(word, FileAccess::Read);
        }
        if matches!(*name, "w" | "write-out")
            && let Some((_, told)) = text.split_once("%output{")
        {
            let path = told.split('}').next().unwrap_or_default();
            add(
                rest(word, path.trim_start_matches(">>"), 0),
                FileAccess::Write,
            );
        }
    }
    urls(&split, &mut files);
    saved::saved(&split, &mut files);
    files
}

fn urls<'w>(split: &Lenient<'w>, files: &mut FileOperands<'w>) {
    for word in &split.operands {
        let word = of_url(word);
        files.extend(word.map(|word| FileOperand::new(word, FileAccess::Read)));
    }
}

/// The rest of a word from this place on.
fn rest<'w>(word: &Word, text: &str, place: usize) -> OperandWord<'w> {
    let value = text.get(place..).unwrap_or_default();
    match word.literal() {
        Some(_) => OperandWord::Value(Box::new(Word::synthetic(value, word.span))),
        None => opaque(value, word.span),
    }
}

/// The file behind one of these marks at the start; a word of which nothing is known can begin with one.
fn start<'w>(word: &Word, text: &str, marks: &[&str]) -> Option<OperandWord<'w>> {
    if word.is_opaque() && text.is_empty() {
        return Some(opaque("", word.span));
    }
    let mark = marks.iter().find(|mark| text.starts_with(*mark))?;
    Some(rest(word, text, mark.len()))
}

/// `name@file`, but `name=data`.
fn marked<'w>(word: &Word, text: &str, mark: char) -> Option<OperandWord<'w>> {
    match text.find([mark, '=']) {
        Some(place) if text.get(place..).is_some_and(|rest| rest.starts_with(mark)) => {
            Some(rest(word, text, place + 1))
        }
        Some(_) => None,
        None => word.is_opaque().then(|| opaque("", word.span)),
    }
}

/// `name=@file;type=x`, `name=<file`.
fn part<'w>(word: &Word, text: &str, place: usize) -> Option<OperandWord<'w>> {
    let value = text.get(place..).unwrap_or_default();
    if value.is_empty() && word.is_opaque() {
        return Some(opaque("", word.span));
    }
    let file = value.strip_prefix(['@', '<'])?;
    // Several files, and what is said of each, need no exactness.
    if word.is_opaque() || file.contains([',', '"', '\\']) {
        return Some(opaque("", word.span));
    }
    let name = file.split(';').next().unwrap_or_default();
    Some(OperandWord::Value(Box::new(Word::synthetic(
        name, word.span,
    ))))
}

/// The file of a `file:` address.
fn of_url<'w>(word: &Word) -> Option<OperandWord<'w>> {
    let text = word.prefix();
    let scheme = text
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if scheme.is_none() {
        let start = text.to_ascii_lowercase();
        let may_be = word.is_opaque() && "file:".starts_with(start.as_str());
        // Lists and ranges of curl stand in `{}` and `[]`.
        let head = start.split(['{', '[']).next().unwrap_or_default();
        let lists = head.len() < start.len() && "file:".starts_with(head);
        return (may_be || lists).then(|| opaque("", word.span));
    }
    let Some(known) = word.literal() else {
        return Some(opaque("", word.span));
    };
    let path = known.get(5..)?;
    let path = path.strip_prefix("//").map_or(path, |behind| {
        // The name of a host, of which curl takes few.
        behind
            .find('/')
            .and_then(|place| behind.get(place..))
            .unwrap_or(behind)
    });
    if path.contains(['%', '{', '[', '?', '#']) {
        return Some(unknown_file(word.span, FileAccess::Read).word);
    }
    Some(OperandWord::Value(Box::new(Word::synthetic(
        path, word.span,
    ))))
}
