//! Links the program without the C library and its start-up code, at fixed addresses.

fn main() {
    for argument in ["-nostartfiles", "-nostdlib", "-static", "-no-pie"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
