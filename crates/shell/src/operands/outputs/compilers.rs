//! Compilers, linkers and build tools.

use super::PARTLY;
use crate::operands::arguments::OneDash;
use crate::operands::table::{PLAIN, Role, Spec};

/// The rows.
pub(super) const COMPILERS: &[Spec] = &[
    Spec {
        names: &[
            "gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "tcc", "gfortran", "nvcc", "as",
            "nasm", "yasm", "swiftc", "ghc", "ocamlc", "ocamlopt",
        ],
        // Letters behind these belong to their value.
        values: "IDLlUxBu",
        optional: "WfmgOspcnrdaeM",
        one_dash: OneDash::Glued(&[
            "MF",
            "MJ",
            "MT",
            "MQ",
            "Map",
            "map",
            "dumpdir",
            "dumpbase",
            "include",
            "include-pch",
            "imacros",
            "isystem",
            "iquote",
            "idirafter",
            "isysroot",
            "Xlinker",
            "Xassembler",
            "Xpreprocessor",
        ]),
        long_values: &[
            "MT",
            "MQ",
            "dumpbase",
            "isystem",
            "iquote",
            "idirafter",
            "isysroot",
            "Xlinker",
            "Xassembler",
            "Xpreprocessor",
        ],
        read_options: &["T", "include", "include-pch", "imacros"],
        write_options: &["o", "output", "MF", "MJ", "Map", "dumpdir", "map"],
        ..PARTLY
    },
    Spec {
        names: &["ld", "lld", "ld.lld", "ld.gold", "ld.bfd", "mold"],
        values: "LluezmyAbcRhfFYI",
        optional: "OdsnrM",
        one_dash: OneDash::Glued(&[
            "Map",
            "map",
            "soname",
            "rpath",
            "rpath-link",
            "dynamic-linker",
            "version-script",
            "dynamic-list",
            "out-implib",
            "dependency-file",
            "script",
            "output",
        ]),
        long_values: &["soname", "rpath", "rpath-link", "dynamic-linker"],
        read_options: &["T", "script", "version-script", "dynamic-list"],
        write_options: &["o", "output", "Map", "map", "out-implib", "dependency-file"],
        ..PARTLY
    },
    Spec {
        names: &["rustc", "rustdoc"],
        values: "LlCWADFZ",
        long_values: &[
            "crate-name",
            "crate-type",
            "edition",
            "emit",
            "extern",
            "target",
            "cfg",
            "codegen",
        ],
        write_options: &["o", "out-dir", "output"],
        ..PARTLY
    },
    Spec {
        names: &["javac", "kotlinc", "scalac", "groovyc", "javadoc"],
        one_dash: OneDash::All,
        long_values: &[
            "cp",
            "classpath",
            "sourcepath",
            "processorpath",
            "encoding",
            "source",
            "target",
            "release",
        ],
        write_options: &["d", "s", "h"],
        ..PARTLY
    },
    Spec {
        names: &["go", "tinygo"],
        one_dash: OneDash::All,
        long_values: &[
            "run", "bench", "tags", "ldflags", "gcflags", "timeout", "mod", "C",
        ],
        long_flags: &[
            "count",
            "cover",
            "covermode",
            "coverpkg",
            "short",
            "json",
            "cpu",
            "parallel",
            "vet",
            "shuffle",
        ],
        read_options: &["modfile", "overlay"],
        write_options: &[
            "o",
            "coverprofile",
            "cpuprofile",
            "memprofile",
            "blockprofile",
            "mutexprofile",
            "trace",
            "outputdir",
            "pkgdir",
        ],
        ..PARTLY
    },
    Spec {
        names: &["cargo"],
        values: "pFjZ",
        long_values: &[
            "features", "package", "bin", "example", "test", "bench", "profile", "target", "jobs",
            "color",
        ],
        read_options: &["manifest-path"],
        write_options: &[
            "target-dir",
            "out-dir",
            "artifact-dir",
            "root",
            "lockfile-path",
        ],
        ..PARTLY
    },
    Spec {
        names: &["protoc"],
        write_options: &[
            "o",
            "descriptor_set_out",
            "cpp_out",
            "java_out",
            "python_out",
            "pyi_out",
            "go_out",
            "go-grpc_out",
            "js_out",
            "ts_out",
            "grpc_out",
            "csharp_out",
            "ruby_out",
            "php_out",
            "kotlin_out",
            "objc_out",
            "rust_out",
        ],
        ..PARTLY
    },
    Spec {
        names: &["cmake"],
        values: "DGSTAUC",
        long_values: &["build", "preset", "target", "config"],
        write_options: &[
            "B",
            "install-prefix",
            "prefix",
            "graphviz",
            "trace-redirect",
            "profiling-output",
        ],
        ..PARTLY
    },
    Spec {
        names: &["ar", "gcc-ar", "llvm-ar"],
        role: Role::FirstWriteThenRead,
        leading: 1,
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["strip", "llvm-strip"],
        role: Role::ReadWrite,
        values: "KNRFO",
        write_options: &["o"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["objcopy", "llvm-objcopy"],
        role: Role::FirstReadThenWrite,
        values: "IOFBjRKNGLW",
        partly: true,
        ..PLAIN
    },
];
