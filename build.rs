//! Lets the Node-API binding link without Node present: symbols are resolved at load.

fn main() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // There it would look for a library of Node, which is not needed: the binding looks its symbols up itself.
    let is_windows_gnu = is("CARGO_CFG_TARGET_OS", "windows") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if !is_windows_gnu {
        napi_build::setup();
    }
}
