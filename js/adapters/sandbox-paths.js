// @ts-check
'use strict'

const { posix } = require('node:path')

/**
 * Paths as interfaces of sandboxes have them: absolute ones too, from a root of their own. They become paths of the workspace; what leads out of
 * it is refused where it is used.
 *
 * @param {import('../../index.d.ts').Toolkit<any>} toolkit
 * @param {string} [root] what stands for the workspace
 */
function pathsOf(toolkit, root = '/') {
  const own = require('../toolkit.js').connectionOf(toolkit)?.root
  /** @param {string} path @param {string} base */
  const below = (path, base) => {
    const at = base === '/' ? '/' : `${base.replace(/\/+$/, '')}/`
    if (path === base || `${path}/` === at) return '.'
    return path.startsWith(at) ? path.slice(at.length).replace(/^\/+/, '') || '.' : undefined
  }
  return {
    /** @param {string} path */
    own: (path) => {
      const plain = posix.normalize(path === '' ? '.' : path)
      if (!plain.startsWith('/')) return plain.replace(/\/+$/, '') || '.'
      const rest = (own === undefined ? undefined : below(plain, own)) ?? below(plain, root) ?? plain
      return rest.replace(/\/+$/, '') || '.'
    },
    /** Whether a path is one of the machine, within the workspace. @param {string} path */
    isReal: (path) => own !== undefined && below(posix.normalize(path), own) !== undefined,
    /** A path of the workspace, as the machine has it. @param {string} path */
    real: (path) => (path.startsWith('/') ? path : posix.join(own ?? root, path)),
    /** A path of the workspace, as the interface has it. @param {string} path */
    shown: (path) => (path.startsWith('/') ? path : posix.join(root, path)),
  }
}

module.exports = { pathsOf }
