//! Names of programs without their directories.

pub(crate) use tenon_programs::base_name;

/// The name by which facts are known about the program of this path or name.
pub(crate) fn name_of_program(name: &str) -> &str {
    tenon_programs::facts_name(base_name(name))
}
