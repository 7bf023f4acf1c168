// @ts-check
'use strict'

// Each name is written out: file tracers (`@vercel/nft`) and bundlers follow only those that they can read, and they
// take one that is not installed for an error unless it stands in a `try`.

/** What could not be loaded, and why. */
class Unavailable {
  /** @param {any} error */
  constructor(error) {
    this.error = error
  }
}

/**
 * @typedef {object} PlatformPackage
 * @property {() => any} main its `main`, which is the addon
 * @property {() => any} addon the addon by its file
 * @property {() => any} file where the addon is
 * @property {() => any} [helper] where the helper program is
 */

/** @param {any} error */
const unavailable = (error) => new Unavailable(error)

/**
 * The packages with the native part, by platform, architecture and C library. A function returns `Unavailable` where
 * its package or file is not installed.
 *
 * @type {Record<string, PlatformPackage>}
 */
const PLATFORM_PACKAGES = {
  'linux-x64-gnu': {
    main() {
      try {
        return require('@tenon/linux-x64-gnu')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/linux-x64-gnu/tenon.linux-x64-gnu.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/linux-x64-gnu')
      } catch (error) {
        return unavailable(error)
      }
    },
    helper() {
      try {
        return require.resolve('@tenon/linux-x64-gnu/tenon-helper')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
  'linux-arm64-gnu': {
    main() {
      try {
        return require('@tenon/linux-arm64-gnu')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/linux-arm64-gnu/tenon.linux-arm64-gnu.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/linux-arm64-gnu')
      } catch (error) {
        return unavailable(error)
      }
    },
    helper() {
      try {
        return require.resolve('@tenon/linux-arm64-gnu/tenon-helper')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
  'linux-x64-musl': {
    main() {
      try {
        return require('@tenon/linux-x64-musl')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/linux-x64-musl/tenon.linux-x64-musl.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/linux-x64-musl')
      } catch (error) {
        return unavailable(error)
      }
    },
    helper() {
      try {
        return require.resolve('@tenon/linux-x64-musl/tenon-helper')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
  'linux-arm64-musl': {
    main() {
      try {
        return require('@tenon/linux-arm64-musl')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/linux-arm64-musl/tenon.linux-arm64-musl.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/linux-arm64-musl')
      } catch (error) {
        return unavailable(error)
      }
    },
    helper() {
      try {
        return require.resolve('@tenon/linux-arm64-musl/tenon-helper')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
  'darwin-x64': {
    main() {
      try {
        return require('@tenon/darwin-x64')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/darwin-x64/tenon.darwin-x64.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/darwin-x64')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
  'darwin-arm64': {
    main() {
      try {
        return require('@tenon/darwin-arm64')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/darwin-arm64/tenon.darwin-arm64.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/darwin-arm64')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
  'win32-x64-msvc': {
    main() {
      try {
        return require('@tenon/win32-x64-msvc')
      } catch (error) {
        return unavailable(error)
      }
    },
    addon() {
      try {
        return require('@tenon/win32-x64-msvc/tenon.win32-x64-msvc.node')
      } catch (error) {
        return unavailable(error)
      }
    },
    file() {
      try {
        return require.resolve('@tenon/win32-x64-msvc')
      } catch (error) {
        return unavailable(error)
      }
    },
  },
}

module.exports = { PLATFORM_PACKAGES, Unavailable }
