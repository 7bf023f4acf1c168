// The platforms that there are packages for. The loader has the same list, as literal names (`js/platform-packages.js`).

/**
 * @typedef {object} Platform
 * @property {string} target of Rust, as the public CI builds it on that system
 * @property {string} crossTarget of Rust, as it is built elsewhere with zig as the linker; behind the dot the oldest C library
 * @property {string} library what cargo calls the addon
 * @property {boolean} hasHelper whether there is a helper program
 */

/** By the name that Node's `process` gives them. @type {Record<string, Platform>} */
export const PLATFORMS = {
  'linux-x64-gnu': linux('x86_64-unknown-linux-gnu', '.2.17'),
  'linux-arm64-gnu': linux('aarch64-unknown-linux-gnu', '.2.17'),
  'linux-x64-musl': linux('x86_64-unknown-linux-musl'),
  'linux-arm64-musl': linux('aarch64-unknown-linux-musl'),
  'darwin-x64': darwin('x86_64-apple-darwin'),
  'darwin-arm64': darwin('aarch64-apple-darwin'),
  'win32-x64-msvc': {
    target: 'x86_64-pc-windows-msvc',
    // Node-API is an interface of C: which compiler made the addon does not matter to Node.
    crossTarget: 'x86_64-pc-windows-gnullvm',
    library: 'tenon.dll',
    hasHelper: false,
  },
}

/** @param {string} target @param {string} [libc] @returns {Platform} */
function linux(target, libc = '') {
  return { target, crossTarget: target + libc, library: 'libtenon.so', hasHelper: true }
}

/** @param {string} target @returns {Platform} */
function darwin(target) {
  return { target, crossTarget: target, library: 'libtenon.dylib', hasHelper: false }
}
