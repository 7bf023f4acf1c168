//! Lets the Node-API binding link without Node present: symbols are resolved at load.

fn main() {
    napi_build::setup();
}
