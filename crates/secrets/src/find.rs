//! All secrets of a text, in their order.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

use crate::anchors::{Anchor, Anchors, Hit};
use crate::assignments::{self, Values};
use crate::borders::{JOINTS, is_inside_word};
use crate::formats::{FORMATS, Format};
use crate::inner::{INNER, Inner};
use crate::kubernetes;
use crate::letters::{LetterCount, UPPER, WORD};
use crate::shapes::SHAPES;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it is, in words that fit between `[redacted: ` and `]`: `GitHub token`.
    pub kind: &'static str,
}

/// No text with a secret is shorter: `a://:pass@b` is the shortest.
pub(crate) const SHORTEST_BYTES: usize = 10;
/// Behind beginnings of so few letters, a key must look more random.
const SHORT_START: usize = 4;
/// The fewest letters of a key that was cut.
const CUT_MIN_BYTES: usize = 10;
/// The most points and dashes behind a key that end a sentence.
const ENDS_MAX_BYTES: usize = 16;
/// How a line is shown that was cut.
const CUTS: &[&str] = &["…", "...", "[…"];

/// What a text that was found belongs to, in the order of the anchors.
enum Rule {
    /// It begins a key of this form.
    Format(&'static Format, usize),
    /// It stands in the middle of such a key.
    Inner(&'static Inner),
    /// It stands in or before a secret of this shape.
    Shape(usize),
    /// It says that the values around it are secrets.
    Values,
    /// It stands in a name that announces one.
    Name(usize),
}

/// What values of a Secret of Kubernetes are called.
const VALUE: &str = "value of a Kubernetes secret";

/// What is looked for, and what each text belongs to.
struct Table {
    anchors: Anchors,
    rules: Vec<Rule>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let formats = FORMATS.iter().flat_map(|format| {
        format
            .starts
            .iter()
            .map(move |start| (*start, Rule::Format(format, start.len())))
    });
    let shapes = SHAPES
        .iter()
        .enumerate()
        .map(|(index, (anchor, _))| (*anchor, Rule::Shape(index)));
    let inner = INNER.iter().map(|inner| (inner.mark, Rule::Inner(inner)));
    let values = kubernetes::KINDS.iter().map(|kind| (*kind, Rule::Values));
    let beginnings = formats.chain(shapes).chain(inner).chain(values);
    let names = assignments::names().map(|(name, number)| (name, Rule::Name(number)));
    let all = beginnings.chain(names);
    let (anchors, rules) = all
        .map(|(text, rule)| {
            let any_case = matches!(rule, Rule::Name(_));
            (Anchor { text, any_case }, rule)
        })
        .unzip();
    Table {
        anchors: Anchors::new(anchors),
        rules,
    }
});

/// All secrets of a text, from front to back. Of two that overlap, the longer one counts.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = by_anchors(text);
    // What a secret looks like says more of it than the name that it is given.
    found.sort_by_key(|secret| {
        let is_named = secret.kind == assignments::KIND;
        let Range { start, end } = secret.range;
        (start, Reverse(end), is_named)
    });
    let mut kept: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match kept.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                if secret.range.len() > last.range.len() {
                    *last = secret;
                }
            }
            _ => kept.push(secret),
        }
    }
    kept
}

fn by_anchors(text: &str) -> Vec<Secret> {
    let table = &*TABLE;
    let mut found = Vec::new();
    let mut kinds = Vec::new();
    let mut values = Values::default();
    for hit in table.anchors.hits(text) {
        let Hit { start, index, .. } = hit;
        match table.rules.get(index) {
            Some(Rule::Format(format, length)) => {
                found.extend(of_format(text, start, format, *length));
            }
            Some(Rule::Inner(inner)) => found.extend(inner.around(text, start)),
            Some(Rule::Shape(index)) => {
                found.extend(SHAPES.get(*index).and_then(|(_, shape)| shape(text, start)));
            }
            Some(Rule::Values) => kinds.push(start),
            Some(Rule::Name(number)) => found.extend(values.of_name(text, *number, hit)),
            None => {}
        }
    }
    let values = kubernetes::values(text, &kinds).into_iter();
    found.extend(values.map(|range| Secret { range, kind: VALUE }));
    found.retain(|secret| {
        let value = text.get(secret.range.clone());
        value.is_some_and(|value| !is_documented(value))
    });
    found
}

/// A value of manuals, which AWS marks so: `AKIAIOSFODNN7EXAMPLE`.
fn is_documented(value: &str) -> bool {
    const LONGEST: usize = 64;
    value.len() <= LONGEST && (value.ends_with("EXAMPLE") || value.ends_with("EXAMPLEKEY"))
}

/// Whether a text was cut here, or ends.
pub(crate) fn is_cut(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let rest = rest.trim_start_matches(' ');
    rest.is_empty() || CUTS.iter().any(|cut| rest.starts_with(cut))
}

fn of_format(text: &str, start: usize, format: &Format, length: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    // A beginning that nothing else has may stand behind a number or a name: `token_ghp_…`.
    let is_distinctive = length >= SHORT_START;
    let joins = JOINTS.has(
        *start
            .checked_sub(1)
            .and_then(|at| bytes.get(at))
            .unwrap_or(&b' '),
    );
    if is_inside_word(text, start) && !(is_distinctive && joins) {
        return None;
    }
    let behind = bytes.get(start + length..)?;
    let mut run = format.letters.run(behind, format.most + ENDS_MAX_BYTES);
    // What ends a sentence is not part of a key, unless the key is not complete without it.
    while run > 0 && run != format.least && matches!(behind.get(run - 1), Some(b'.' | b',' | b'-'))
    {
        run -= 1;
    }
    let key = behind.get(..run)?;
    let look = LetterCount::of(key);
    if run < format.least {
        // What is left of a key where a line was cut.
        let is_part = length >= SHORT_START
            && run >= CUT_MIN_BYTES
            && look.is_random()
            && is_cut(text, start + length + run);
        return is_part.then(|| Secret {
            range: start..start + length + run,
            kind: format.kind,
        });
    }
    // And before a name: `ghp_…_old`.
    let goes_on = |at: usize| match behind.get(at) {
        Some(b'_') => !is_distinctive || format.letters.has(b'_'),
        next => next.is_some_and(|&next| WORD.has(next)),
    };
    if run > format.most || goes_on(run) {
        return None;
    }
    looks_like_key(format, length, &look, run).then(|| Secret {
        range: start..start + length + run,
        kind: format.kind,
    })
}

/// Whether so many letters behind a beginning of this length are a key.
fn looks_like_key(format: &Format, length: usize, look: &LetterCount, run: usize) -> bool {
    // Of an exact length, or behind a beginning that nothing else has, little can be meant but a key. Where the letters are
    // also those of names with dashes and underscores, a short beginning says less.
    let is_exact = format.least == format.most;
    let is_name_like =
        format.letters.has(b'_') || format.letters.has(b'-') || format.letters.has(b'.');
    let is_clear = if is_name_like {
        length > SHORT_START
    } else {
        length > 2
    };
    if is_clear || is_exact {
        look.is_random() || is_exact && look.distinct >= 8 && format.letters == UPPER
    } else {
        look.is_very_random(run.min(48))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::letters::{ALNUM, HEX, Letters};

    /// Letters of a set that look random and are the same in every run.
    fn made_up(letters: Letters, length: usize, seed: usize) -> String {
        let all: Vec<u8> = (0..128)
            .filter(|&byte| letters.has(byte) && byte.is_ascii_alphanumeric())
            .collect();
        let mut state = seed as u64 * 0x9e37_79b9 + 12345;
        (0..length)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                char::from(all[(state >> 33) as usize % all.len()])
            })
            .collect()
    }

    #[test]
    fn a_made_up_key_of_every_format_is_found_wherever_it_stands() {
        let mut missed = Vec::new();
        let mut keys = 0;
        for (index, format) in FORMATS.iter().enumerate() {
            for start in format.starts {
                for length in [format.least, format.most.min(format.least + 40)] {
                    let key = format!("{start}{}", made_up(format.letters, length, index));
                    keys += 1;
                    for text in [
                        key.clone(),
                        format!("KEY={key}\n"),
                        format!("{{\"a\": \"{key}\"}}"),
                        format!("use `{key}`."),
                        format!("x,{key},y"),
                        format!(r#"{{"log": "first\n{key}\nlast"}}"#),
                        format!(r"\u0022{key}\u0022"),
                        format!("https://h/?token%3D{key}%20x"),
                        format!(r"\u001b[31m{key}\u001b[0m"),
                    ] {
                        let whole = find(&text)
                            .iter()
                            .any(|secret| text[secret.range.clone()].contains(&key));
                        if !whole {
                            missed.push(text);
                        }
                    }
                }
            }
        }
        assert!(keys > 300, "{keys} keys");
        assert_eq!(missed, Vec::<String>::new());
    }

    #[test]
    fn no_text_with_a_secret_is_shorter_than_what_is_looked_at() {
        assert_eq!(find("a://:p4ss@b").len(), 1);
        assert_eq!(find("://:p4ss@b"), []);
        let formats = FORMATS.iter().flat_map(|format| {
            let starts = format.starts.iter();
            starts.map(|start| start.len() + format.least.min(CUT_MIN_BYTES))
        });
        let inner = INNER.iter().map(Inner::shortest);
        let shortest = formats.chain(inner).min();
        assert!(shortest >= Some(SHORTEST_BYTES), "{shortest:?}");
    }

    /// Each of these takes minutes where what stands at a place is read to the end of the word, and seconds where it is not.
    #[test]
    fn a_word_without_end_takes_a_time_that_grows_with_its_length() {
        const BYTES: usize = 100_000;
        for part in [
            "A",
            "token=",
            "token=\"",
            "secret_key=",
            "secret_",
            "xoxb-",
            "9Q~",
            "AZDO",
            ":AA",
            "a://",
            "eyJ",
            "1eyJ",
            "1eyJhbGciOiJ.eyJ",
            "password ",
            "<token>",
            "authorization:",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "-----BEGIN ",
            "Private-Lines: 9 ",
            "kind: Secret\n",
            "data:\n a: b\nkind: Secret\n",
            "\"kind\":\"Secret\"",
        ] {
            assert_eq!(find(&part.repeat(BYTES / part.len())), [], "{part}");
        }
    }

    #[test]
    fn a_long_value_is_a_secret_as_a_whole() {
        let value = made_up(HEX, 20_000, 7);
        for name in ["token=", "a=token=", &"token=".repeat(4)] {
            let text = format!("{name}{value} x");
            let found: Vec<_> = find(&text).into_iter().map(|secret| secret.range).collect();
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!(found[0].end, text.len() - 2, "{name}");
        }
    }

    #[test]
    fn secrets_of_a_list_are_found_however_near_they_are() {
        let object = "- data:\n    a: c2VjcmV0\n  kind: Secret\n";
        let text = object.repeat(50);
        assert_eq!(find(&text).len(), 50);
    }

    #[test]
    fn what_only_begins_like_a_key_is_none() {
        for text in [
            "sk-folding-cube-animation-2 sk-loading-indicator",
            "npm_config_registry npm_package_dependencies_tenon_version",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "AKIAXXXXXXXXXXXXXXXX",
            "re_compile_the_expression_again_2_times",
            "key-0000000000000000000000000000000000",
            "https://user@example.com https://user:${PASSWORD}@example.com http://localhost:8080/a@b",
            "token: sha512-abc",
            "password = os.environ['PASSWORD']",
            "const token = parser.nextToken2();",
            "let secret: Option<Secret2> = None;",
            "api_key=YOUR_API_KEY_HERE_1234 token=<token1234567890abcdef> secret={{ secret_1234567890abcd }}",
            "\"password\": \"correct horse battery staple\"",
            "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
            "eyJhbGciOiJIUzI1NiJ9",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }

    #[test]
    fn a_secret_without_a_beginning_of_its_own_is_found_by_its_shape() {
        let (hex, mixed) = (
            made_up(HEX, 40, 1).to_lowercase(),
            made_up(WORD, 40, 2).replace('_', "x"),
        );
        let pem = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{mixed}\n{mixed}\n-----END RSA PRIVATE KEY-----"
        );
        let jwt = format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{mixed}");
        for (text, kind, secret) in [
            (format!("a\n{pem}\nb"), "private key", pem.as_str()),
            (format!("jwt {jwt}"), "signed token", &jwt),
            (
                "postgres://me:s3cr3t-w0rd@db:5432/x".to_owned(),
                "password in an address",
                "s3cr3t-w0rd",
            ),
            (
                format!("Authorization: Bearer {mixed}"),
                "bearer token",
                &mixed,
            ),
            (format!("API_KEY={hex}"), "value of API_KEY", &hex),
            (
                format!("export const apiKey = '{mixed}'"),
                "value of apiKey",
                &mixed,
            ),
            (
                format!("\"client_secret\": \"{mixed}\","),
                "value of client_secret",
                &mixed,
            ),
            (
                format!("aws_secret_access_key = {mixed}"),
                "value of aws_secret_access_key",
                &mixed,
            ),
            (
                format!("//host/:_authToken={hex}"),
                "value of _authToken",
                &hex,
            ),
            (
                format!("123456789:AA{}", &mixed[..33]),
                "Telegram bot token",
                &format!("123456789:AA{}", &mixed[..33]),
            ),
            (
                format!("{}-us12", &hex[..32]),
                "Mailchimp key",
                &format!("{}-us12", &hex[..32]),
            ),
        ] {
            let found: Vec<_> = find(&text)
                .into_iter()
                .map(|found| (found.kind, text[found.range].to_owned()))
                .collect();
            let kind = if kind.starts_with("value of") {
                "value of a secret name"
            } else {
                kind
            };
            assert_eq!(found, [(kind, secret.to_owned())], "{text}");
        }
    }

    #[test]
    fn a_key_with_a_beginning_of_its_own_is_found_beside_a_name_or_a_number() {
        let key = format!("ghp_{}", made_up(ALNUM, 36, 3));
        for text in [
            format!("token_{key}"),
            format!("{key}_old"),
            format!("1{key}"),
        ] {
            let found: Vec<_> = find(&text)
                .into_iter()
                .map(|it| text[it.range].to_owned())
                .collect();
            assert_eq!(found, std::slice::from_ref(&key), "{text}");
        }
        assert_eq!(find(&format!("x{key}")), []);
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_on_the_borders_of_characters(text in "(ghp_|sk-|eyJ|://|password=|-----BEGIN |-----END RSA PRIVATE KEY-----|Private-Lines: 2\n|kind: Secret\n|data:\n|\"kind\": \"Secret\"|\"data\": \\{|AZDO|MT|00D|authorization: |--token |[a-zA-Z0-9:@._/-]{0,30}|é|\n| ){0,12}") {
            let mut end = 0;
            for secret in find(&text) {
                prop_assert!(secret.range.start >= end && text.get(secret.range.clone()).is_some_and(|key| !key.is_empty()));
                end = secret.range.end;
            }
        }
    }
}
