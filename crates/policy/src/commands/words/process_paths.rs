//! Names below `/proc` and `/dev/fd` mean something else in every process: they are never followed in this one.

use tenon_programs::words::processes::OWN;

use std::path::Path;

/// What such a name leads to.
pub(crate) enum ProcessPath<'p> {
    /// From the directory in which the command runs.
    Directory(&'p str),
    /// From the root of the file system.
    Root(&'p str),
    /// It cannot be determined.
    Unknown,
}

/// What a name of a process leads to; `None` for all other paths.
pub(crate) fn process_path<'p>(directory: &Path, path: &'p str) -> Option<ProcessPath<'p>> {
    // From the workspace such a name is reached by a path that climbs up, or from the root.
    let absolute = path.starts_with('/');
    if !absolute {
        // Letters are compared sooner than components, and hardly any directory begins so.
        let start = directory.as_os_str().as_encoded_bytes();
        let near = start.starts_with(b"/proc") || start.starts_with(b"/dev");
        let far = near && (directory.starts_with("/proc") || directory.starts_with("/dev"));
        let climbs = || path.starts_with("..") || path.contains("/..");
        let named = || path.contains("proc") || path.contains("dev/");
        return (far
            || (climbs() && named() && is_special(&crate::paths::within(directory, path))))
        .then_some(ProcessPath::Unknown);
    }
    if !is_special(Path::new(path)) {
        return None;
    }
    let mut rest = path.split('/').filter(|part| !matches!(*part, "" | "."));
    if rest.clone().any(|part| part == "..") {
        return Some(ProcessPath::Unknown);
    }
    if rest.next() == Some("dev") {
        return Some(ProcessPath::Unknown);
    }
    let process = rest.next();
    let kind = rest.next();
    let own = matches!(process, Some("self" | "thread-self"));
    let behind = rest.next().map_or("", |part| {
        let start = part.as_ptr() as usize - path.as_ptr() as usize;
        path.get(start..).unwrap_or_default()
    });
    match kind {
        Some("cwd") if own => Some(ProcessPath::Directory(behind)),
        Some("root") if own => Some(ProcessPath::Root(behind)),
        Some(kind) if OWN.contains(&kind) => Some(ProcessPath::Unknown),
        _ => None,
    }
}

/// Whether the path names a process or a descriptor, in whatever spelling.
fn is_special(path: &Path) -> bool {
    let plain = crate::paths::lexical(path);
    let starts = |path: &Path| {
        path.starts_with("/proc/self")
            || path.starts_with("/proc/thread-self")
            || path.starts_with("/dev/fd")
            || ["/dev/stdin", "/dev/stdout", "/dev/stderr"]
                .iter()
                .any(|name| path.starts_with(name))
            || path.strip_prefix("/proc").is_ok_and(|below| {
                let name = below.components().next();
                let name = name.map(|name| name.as_os_str().to_string_lossy());
                name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            })
    };
    // `..` behind a link of a process is not the parent that the text has.
    let written: std::path::PathBuf = path
        .components()
        .filter(|part| !matches!(part, std::path::Component::CurDir))
        .collect();
    starts(&plain) || starts(&written)
}
