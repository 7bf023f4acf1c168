//! Values that make a variable of no consequence: what everybody writes before a command.

/// Compilers and their companions, by the last part of their names (`x86_64-linux-gnu-gcc-13`).
const TOOLCHAIN: &[&str] = &[
    "cc", "c++", "gcc", "g++", "clang", "clang++", "tcc", "icc", "icx", "icpx", "cpp", "gfortran",
    "flang", "nvcc", "as", "ld", "lld", "ld.lld", "mold", "gold", "ar", "nm", "ranlib", "strip",
    "objcopy",
];

/// Names of environments that projects give `ENV`.
const ENVIRONMENTS: &[&str] = &[
    "ci",
    "dev",
    "development",
    "local",
    "prod",
    "production",
    "staging",
    "test",
    "testing",
];

/// Options of Node.js that neither load nor choose code.
const NODE: &[&str] = &[
    "--max-old-space-size=",
    "--max_old_space_size=",
    "--max-semi-space-size=",
    "--stack-trace-limit=",
    "--unhandled-rejections=",
    "--experimental-vm-modules",
    "--experimental-strip-types",
    "--no-experimental-strip-types",
    "--no-warnings",
    "--no-deprecation",
    "--trace-warnings",
    "--trace-deprecation",
    "--trace-uncaught",
    "--throw-deprecation",
    "--disable-warning=",
    "--disallow-code-generation-from-strings",
    "--dns-result-order=",
    "--enable-source-maps",
    "--expose-gc",
    "--expose_gc",
    "--max-http-header-size=",
    "--trace-exit",
    "--openssl-legacy-provider",
];

/// Features of compilers of which the value is a word of theirs.
const VALUED_FEATURES: &[&str] = &[
    "-fsanitize=",
    "-fno-sanitize=",
    "-fvisibility=",
    "-flto=",
    "-fcf-protection=",
    "-fdiagnostics-color=",
    "-fmax-errors=",
];

/// Code generation of rustc that names no program and no file.
const RUST_CODEGEN: &[&str] = &[
    "target-cpu=",
    "target-feature=",
    "opt-level=",
    "debuginfo=",
    "debug-assertions",
    "overflow-checks",
    "codegen-units=",
    "instrument-coverage",
    "panic=",
    "lto",
    "strip=",
    "symbol-mangling-version=",
    "force-frame-pointers",
    "unsafe-allow-abi-mismatch=",
];

/// Unstable options of rustc of which the value is a word of theirs.
const RUST_UNSTABLE: &[&str] = &[
    "sanitizer=",
    "minimal-versions",
    "macro-backtrace",
    "threads=",
    "strict-provenance",
    "randomize-layout",
    "build-std",
    "unstable-options",
];

/// Variables of git that switch something on or off. Another value of those that trace names a file, to which git writes.
const GIT_SWITCHES: &[&str] = &[
    "GIT_CURL_VERBOSE",
    "GIT_LFS_SKIP_SMUDGE",
    "GIT_SSL_NO_VERIFY",
    "GIT_TERMINAL_PROMPT",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_CURL",
    "GIT_TRACE_CURL_NO_DATA",
    "GIT_TRACE_FSMONITOR",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_REFS",
    "GIT_TRACE_SETUP",
    "GIT_TRACE_SHALLOW",
];

/// Whether this value of a variable that can choose code is one of those that everybody writes: a compiler by its plain
/// name, a pager or editor that does nothing, options that load nothing.
///
/// ```
/// use tenon_contract::variables::is_plain_value;
/// assert!(is_plain_value("PYTHONWARNINGS", "error::DeprecationWarning"));
/// assert!(is_plain_value("CC", "clang-18") && is_plain_value("GIT_EDITOR", "true"));
/// assert!(!is_plain_value("CC", "./clang") && !is_plain_value("CC", "clang -B."));
/// ```
#[must_use]
pub fn is_plain_value(name: &str, value: &str) -> bool {
    match name {
        "CC" | "CXX" | "CPP" | "FC" | "AS" | "LD" | "AR" | "NM" | "RANLIB" | "STRIP"
        | "OBJCOPY" | "HOSTCC" | "HOSTCXX" | "CC_FOR_BUILD" => is_toolchain(value),
        "CFLAGS" | "CXXFLAGS" | "CPPFLAGS" | "LDFLAGS" => {
            value.split_whitespace().all(is_plain_flag)
        }
        "RUSTFLAGS" | "RUSTDOCFLAGS" => are_plain_rust_flags(value),
        "RUSTUP_TOOLCHAIN" => is_rust_toolchain(value),
        "NODE_OPTIONS" => value.split(' ').all(is_plain_node_option),
        "MAKEFLAGS" => {
            let jobs = value.strip_prefix("-j").map(str::trim_start);
            jobs.is_some_and(|jobs| jobs.bytes().all(|byte| byte.is_ascii_digit()))
        }
        "GOFLAGS" => matches!(
            value,
            "-mod=mod" | "-mod=vendor" | "-mod=readonly" | "-count=1"
        ),
        "GOTOOLCHAIN" => matches!(value, "local" | "auto"),
        "GOPROXY" => matches!(value, "off" | "direct"),
        // Only a category with a dot is imported.
        "PYTHONWARNINGS" => !value.contains('.'),
        _ if GIT_SWITCHES.contains(&name) => is_switch(value),
        // How much memory a virtual machine takes.
        "MAVEN_OPTS" | "GRADLE_OPTS" | "JAVA_OPTS" | "SBT_OPTS" => {
            value.split_whitespace().all(is_plain_jvm_option)
        }
        // The name of an environment: only a shell at a terminal reads a file by this variable.
        "ENV" => ENVIRONMENTS.contains(&value),
        "JAVA_HOME" => value.starts_with("/usr/lib/jvm/") && !value.contains(".."),
        "EDITOR" | "VISUAL" => is_idle(value),
        _ if name.ends_with("_EDITOR") => is_idle(value),
        _ if name.ends_with("PAGER") => matches!(value, "" | "cat"),
        _ => false,
    }
}

/// Whether this names a toolchain that rustup installs: a channel or a version, with a date and a target perhaps. The
/// reader of shell text, which needs nothing of ours, says the same of `cargo +name`.
#[must_use]
pub fn is_rust_toolchain(name: &str) -> bool {
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let channel = ["stable", "beta", "nightly"].iter().any(|channel| {
        name.strip_prefix(channel)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    });
    plain && (channel || name.starts_with(|first: char| first.is_ascii_digit()))
}

/// An option of the Java virtual machine about its memory.
fn is_plain_jvm_option(option: &str) -> bool {
    let size = ["-Xmx", "-Xms", "-Xss", "-XX:MaxMetaspaceSize="]
        .iter()
        .find_map(|name| option.strip_prefix(name));
    size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_switch(value: &str) -> bool {
    matches!(value, "0" | "1" | "true" | "false")
}

/// An editor that changes nothing, so that git takes what is there or stops.
fn is_idle(value: &str) -> bool {
    matches!(value, "true" | "false" | ":")
}

fn is_toolchain(value: &str) -> bool {
    let plain = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'.'));
    let version = |part: &str| {
        part.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let mut parts = value.rsplit('-').skip_while(|part| version(part));
    plain
        && !value.starts_with(['-', '.'])
        && parts.next().is_some_and(|part| TOOLCHAIN.contains(&part))
}

fn is_plain_flag(flag: &str) -> bool {
    let plain = !flag.contains([',', '$', '`', ';', '|', '&', '(', '<', '>', '@', '\'', '"']);
    let known = [
        "-O",
        "-g",
        "-W",
        "-D",
        "-U",
        "-std=",
        "-pedantic",
        "-pthread",
        "-pipe",
        "-static",
    ]
    .iter()
    .any(|start| flag.starts_with(start));
    // Values of others are files and programs.
    let feature = flag.starts_with("-f")
        && !flag.contains("plugin")
        && (!flag.contains('=') || VALUED_FEATURES.iter().any(|known| flag.starts_with(known)));
    let machine = flag.starts_with("-m") && !flag.starts_with("-mllvm");
    plain && (known || feature || machine)
}

fn is_plain_node_option(option: &str) -> bool {
    let named = |known: &&str| match known.strip_suffix('=') {
        Some(_) => option.starts_with(*known),
        None => option == *known,
    };
    option.is_empty() || NODE.iter().any(named)
}

/// Options of the compiler with a lint behind the sign.
const LINT_LEVELS: &[&str] = &[
    "--deny=",
    "--warn=",
    "--allow=",
    "--forbid=",
    "--cap-lints=",
];

fn are_plain_rust_flags(value: &str) -> bool {
    let codegen = |option: &str| RUST_CODEGEN.iter().any(|known| option.starts_with(known));
    let unstable = |option: &str| RUST_UNSTABLE.iter().any(|known| option.starts_with(known));
    let is_plain = |name: &str, signs: &[u8]| {
        let mut bytes = name.bytes();
        !name.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || signs.contains(&byte))
    };
    let lint = |name: &str| is_plain(name, b"-_:");
    let condition = |name: &str| is_plain(name, b"-_=\"");
    let mut words = value.split_whitespace();
    while let Some(word) = words.next() {
        let plain = match word {
            "-D" | "-W" | "-A" | "-F" | "--deny" | "--warn" | "--allow" | "--forbid"
            | "--cap-lints" => words.next().is_some_and(lint),
            "--cfg" => words.next().is_some_and(condition),
            "-C" => words.next().is_some_and(codegen),
            "-Z" => words.next().is_some_and(unstable),
            _ if LINT_LEVELS.iter().any(|level| word.starts_with(level)) => {
                word.split_once('=').is_some_and(|(_, name)| lint(name))
            }
            _ if word.starts_with("-Z") => word.strip_prefix("-Z").is_some_and(unstable),
            _ => match (word.strip_prefix("-C"), word.strip_prefix(['-'])) {
                (Some(option), _) => codegen(option),
                (None, Some(level)) => level.strip_prefix(['D', 'W', 'A', 'F']).is_some_and(lint),
                (None, None) => false,
            },
        };
        if !plain {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_everybody_writes_pass_and_others_do_not() {
        for (name, value, expected) in [
            ("CC", "clang", true),
            ("CC", "gcc-13", true),
            ("CC", "x86_64-linux-gnu-gcc-13", true),
            ("CXX", "clang++", true),
            ("CC", "./gcc", false),
            ("CC", "gcc -B.", false),
            ("CC", "evil", false),
            ("CC", "", false),
            ("CC", "-gcc", false),
            ("CFLAGS", "-O2 -g -Wall -DX=1", true),
            ("CFLAGS", "-fplugin=./x.so", false),
            ("CFLAGS", "-fpass-plugin=./x.so", false),
            ("CFLAGS", "-fsanitize=address -march=native -fPIC", true),
            ("CFLAGS", "-mllvm=-load=./x.so", false),
            ("CFLAGS", "-fprofile-use=x", false),
            ("CFLAGS", "-B.", false),
            ("CFLAGS", "-Wl,-x", false),
            ("CFLAGS", "-wrapper ./x", false),
            ("RUSTFLAGS", "-D warnings", true),
            ("RUSTFLAGS", "-Dwarnings -C target-cpu=native", true),
            ("RUSTFLAGS", "-Ctarget-cpu=native", true),
            ("RUSTFLAGS", "--deny warnings --cfg x", true),
            ("RUSTFLAGS", "--deny=warnings", true),
            ("RUSTFLAGS", "--deny", false),
            ("RUSTFLAGS", "--codegen linker=./x", false),
            ("RUSTFLAGS", "--deny=x=./y", false),
            ("RUSTFLAGS", "-C linker=./x", false),
            ("RUSTFLAGS", "-Clinker=./x", false),
            ("RUSTFLAGS", "-D", false),
            ("RUSTFLAGS", "-Z sanitizer=address", true),
            (
                "RUSTFLAGS",
                "--cfg getrandom_backend=\"linux_getrandom\"",
                true,
            ),
            ("RUSTFLAGS", "-Zcodegen-backend=./x.so", false),
            ("RUSTFLAGS", "-Z codegen-backend=./x.so", false),
            ("RUSTFLAGS", "-Z llvm-plugins=./x.so", false),
            ("RUSTFLAGS", "-Z", false),
            ("RUSTFLAGS", "--cfg a -C linker=./x", false),
            (
                "NODE_OPTIONS",
                "--disallow-code-generation-from-strings",
                true,
            ),
            ("NODE_OPTIONS", "--inspect=0.0.0.0:9229", false),
            ("NODE_OPTIONS", "--expose-gc --require ./x", false),
            ("NODE_OPTIONS", "--max-old-space-size=4096", true),
            (
                "NODE_OPTIONS",
                "--experimental-vm-modules --no-warnings",
                true,
            ),
            ("NODE_OPTIONS", "--require=./x", false),
            ("NODE_OPTIONS", "--no-warnings --import ./x", false),
            ("MAKEFLAGS", "-j8", true),
            ("MAKEFLAGS", "-j8 --eval=x", false),
            ("GIT_PAGER", "cat", true),
            ("PAGER", "./cat", false),
            ("GIT_EDITOR", "true", true),
            ("GIT_SEQUENCE_EDITOR", ":", true),
            ("GIT_EDITOR", "true; x", false),
            ("MAVEN_OPTS", "-Xmx2g -Xss1m", true),
            ("MAVEN_OPTS", "-Xmx2g -javaagent:x.jar", false),
            ("GRADLE_OPTS", "-XX:OnOutOfMemoryError=./x", false),
            ("ENV", "test", true),
            ("ENV", "./test", false),
            ("ENV", "x", false),
            ("GIT_TRACE", "1", true),
            ("GIT_TRACE", "yarn.lock", false),
            ("GIT_TRACE", "/tmp/x", false),
            ("GIT_TRACE_REDACT", "0", false),
            ("GIT_SSL_NO_VERIFY", "1", true),
            ("GIT_LFS_SKIP_SMUDGE", "1", true),
            ("GIT_TERMINAL_PROMPT", "0", true),
            ("PATH", "", false),
            ("RUSTUP_TOOLCHAIN", "nightly-2024-01-01", true),
            ("RUSTUP_TOOLCHAIN", "/tmp/x", false),
        ] {
            assert_eq!(is_plain_value(name, value), expected, "{name}={value}");
        }
    }
}
