//! Which browser is used. One is never downloaded.

use std::path::{Path, PathBuf};

use tenon_process::Processes;

use crate::BrowserError;

/// The variable that names the browser.
pub const VARIABLE: &str = "TENON_BROWSER";

/// Programs that are looked for, in this order.
const NAMES: [&str; 9] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
    "brave-browser",
];

/// Where installers of other systems put them.
const PLACES: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
];

/// The browser to start: the one that was named, that of `TENON_BROWSER`, one of the `PATH` of commands, one that
/// Playwright has installed.
pub(crate) fn discover(
    named: Option<&Path>,
    processes: &Processes,
) -> Result<PathBuf, BrowserError> {
    if let Some(path) = named {
        return usable(path, "`browser.executable`");
    }
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return usable(Path::new(&path), "`TENON_BROWSER`");
    }
    let of_path = NAMES
        .iter()
        .chain(&["brave"])
        .find_map(|name| processes.find_program(name, |_| false));
    of_path
        .or_else(|| PLACES.iter().map(PathBuf::from).find(|path| path.is_file()))
        .or_else(|| {
            let home = std::env::var_os("PLAYWRIGHT_BROWSERS_PATH")
                .map(PathBuf::from)
                .or_else(playwright_cache)?;
            in_playwright_cache(&home)
        })
        .ok_or_else(missing)
}

fn usable(path: &Path, option: &str) -> Result<PathBuf, BrowserError> {
    if path.is_absolute() && path.is_file() {
        return Ok(path.to_owned());
    }
    Err(BrowserError::Unavailable(format!(
        "The browser `{}` of {option} is not a file. Give the absolute path of a Chromium, Chrome, Edge or Brave.",
        path.display()
    )))
}

fn missing() -> BrowserError {
    let command = if cfg!(target_os = "macos") {
        "brew install --cask chromium"
    } else if cfg!(windows) {
        "winget install Hibbiki.Chromium"
    } else if Path::new("/sbin/apk").is_file() {
        "apk add chromium"
    } else if Path::new("/usr/bin/dnf").is_file() {
        "dnf install -y chromium-headless"
    } else {
        "apt-get install -y --no-install-recommends chromium-headless-shell"
    };
    BrowserError::Unavailable(format!(
        "No browser was found on this machine. Install one by `{command}`, or name one in `browser.executable` or `{VARIABLE}`."
    ))
}

fn playwright_cache() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?);
    Some(if cfg!(target_os = "macos") {
        home.join("Library/Caches/ms-playwright")
    } else if cfg!(windows) {
        home.join("AppData/Local/ms-playwright")
    } else {
        home.join(".cache/ms-playwright")
    })
}

/// The newest browser there; the shell without a window before the others.
fn in_playwright_cache(cache: &Path) -> Option<PathBuf> {
    const PROGRAMS: [(&str, &[&str]); 2] = [
        (
            "chromium_headless_shell-",
            &[
                "chrome-linux/headless_shell",
                "chrome-headless-shell-linux64/chrome-headless-shell",
                "chrome-mac/headless_shell",
                "chrome-headless-shell-mac-arm64/chrome-headless-shell",
            ],
        ),
        (
            "chromium-",
            &[
                "chrome-linux/chrome",
                "chrome-linux64/chrome",
                "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
            ],
        ),
    ];
    let entries: Vec<String> = std::fs::read_dir(cache)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    PROGRAMS.iter().find_map(|(prefix, programs)| {
        let mut versions: Vec<u64> = entries
            .iter()
            .filter_map(|name| name.strip_prefix(prefix)?.parse().ok())
            .collect();
        versions.sort_unstable_by(|one, other| other.cmp(one));
        versions.iter().find_map(|version| {
            programs
                .iter()
                .map(|program| cache.join(format!("{prefix}{version}")).join(program))
                .find(|path| path.is_file())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_process::ProcessOptions;

    fn processes(path: &Path) -> Processes {
        let mut options = ProcessOptions::default();
        options
            .environment
            .add
            .insert("PATH".to_owned(), path.into());
        Processes::new(options)
    }

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
    }

    #[test]
    fn the_one_that_was_named_is_used_or_an_error_says_that_it_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let named = directory.path().join("my-browser");
        let found = |path: &Path| discover(Some(path), &processes(directory.path()));
        assert_eq!(
            found(&named).unwrap_err().to_string(),
            format!(
                "The browser `{}` of `browser.executable` is not a file. Give the absolute path of a Chromium, Chrome, Edge or Brave.",
                named.display()
            )
        );
        program(&named);
        assert_eq!(found(&named), Ok(named));
    }

    #[cfg(unix)]
    #[test]
    fn the_shell_without_a_window_comes_first() {
        if std::env::var_os(VARIABLE).is_some() {
            println!("skipped: `{VARIABLE}` names one");
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        program(&directory.path().join("google-chrome"));
        let found = || discover(None, &processes(directory.path())).unwrap();
        assert_eq!(found(), directory.path().join("google-chrome"));
        program(&directory.path().join("chromium-headless-shell"));
        assert_eq!(found(), directory.path().join("chromium-headless-shell"));
    }

    #[test]
    fn the_newest_of_playwright_is_taken_and_other_entries_are_passed_over() {
        let cache = tempfile::tempdir().unwrap();
        assert_eq!(in_playwright_cache(cache.path()), None);
        program(&cache.path().join("chromium-1200/chrome-linux/chrome"));
        program(&cache.path().join("chromium-999/chrome-linux/chrome"));
        program(&cache.path().join("chromium-x/chrome-linux/chrome"));
        std::fs::create_dir_all(cache.path().join("chromium-1300")).unwrap();
        assert_eq!(
            in_playwright_cache(cache.path()),
            Some(cache.path().join("chromium-1200/chrome-linux/chrome"))
        );
        let shell = "chromium_headless_shell-1100/chrome-linux/headless_shell";
        program(&cache.path().join(shell));
        assert_eq!(
            in_playwright_cache(cache.path()),
            Some(cache.path().join(shell))
        );
    }

    #[test]
    fn where_there_is_none_the_error_names_one_command() {
        let message = missing().to_string();
        assert!(
            message.contains("install -y")
                || !cfg!(target_os = "linux")
                || message.contains("apk add")
        );
        assert!(message.starts_with("No browser was found on this machine. Install one by `"));
    }
}
