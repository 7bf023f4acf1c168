//! Names of programs without their directories.

/// The last part of a path.
pub(crate) fn base_name(name: &str) -> &str {
    // Names are short: a search by letters begins sooner than one by needles.
    if !name.bytes().any(|byte| byte == b'/') {
        return name;
    }
    match name.trim_end_matches('/').rsplit('/').next() {
        Some(base) if !base.is_empty() => base,
        _ => name,
    }
}

/// The name by which facts are known about the program of this path or name.
pub(crate) fn name_of_program(name: &str) -> &str {
    tenon_programs::facts_name(base_name(name))
}
