// Files by glob.

import { execFile, spawnSync } from 'node:child_process'
import { promises } from 'node:fs'
import { promisify } from 'node:util'

import fastGlob from 'fast-glob'
import { Toolkit } from 'tenon'
import { glob as tinyglobby } from 'tinyglobby'
import { largeTrees, ripgrep, tree } from '../corpora.mjs'
import { measure, report } from '../measure.mjs'
import { peersOf } from '../peers.mjs'
import { ofPi } from '../pi.mjs'

const execute = promisify(execFile)

/** Node's own, from 22 on. */
const { glob: nodeGlob } = promises

/** `fd` where it is installed; Debian calls it `fdfind`. */
const fd = ['fd', 'fdfind'].find((name) => spawnSync(name, ['--version']).status === 0)

/** What each tree is asked for, and how often. */
const QUERIES = { small: ['**/*.js', 15], medium: ['**/*.rs', 7], large: ['**/Kconfig', 5], copies: ['**/Cargo.toml', 5] }

/** The trees. */
export const parts = ({ large }) => ['small', 'medium', ...(large ? largeTrees() : [])]

/** @param {string} name one of `parts` */
export async function run(name) {
  console.log(`\nyardstick: ${ripgrep()}`)
  const [pattern, rounds] = QUERIES[name]
  const directory = tree(name)
  // The first search of a tree has no index; later ones have, where the tree is large enough.
  const first = new Toolkit({ workspace: directory, search: { index: 'off' } })
  const toolkit = new Toolkit({ workspace: directory })
  const peers = await peersOf(directory)
  const [cold, find] = [first.getTool('find'), toolkit.getTool('find')]
  await find.execute('1', { pattern, limit: 1e9 })
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const words = ['--files', '--hidden', '--no-require-git', '--glob', '!.git', '--glob', pattern, directory]
  const contenders = [
    { name: 'rg --files, spawned', run: () => execute('rg', words, { maxBuffer: 1 << 28 }), yardstick: true },
    { name: 'tenon find, first', run: () => cold.execute('1', { pattern, limit: 1e9 }) },
    { name: 'tenon find, repeated', run: () => find.execute('1', { pattern, limit: 1e9 }) },
    { name: 'tenon find, fuzzy', run: () => find.execute('1', { pattern: 'src lib', fuzzy: true, limit: 100 }) },
    ...ofPi((pi) => ({ name: 'pi find', run: () => pi.createFindTool(directory).execute('1', { pattern, limit: 1e9 }) })),
    ...peers.glob(pattern),
    ...(nodeGlob ? [{ name: 'node:fs glob', run: () => Array.fromAsync(nodeGlob(pattern, { cwd: directory })) }] : []),
    ...(fd ? [{ name: `${fd}, spawned`, run: () => execute(fd, ['--hidden', '--glob', pattern.replace('**/', ''), directory], { maxBuffer: 1 << 28 }) }] : []),
    { name: 'tinyglobby', run: () => tinyglobby(pattern, { cwd: directory, dot: true }) },
    { name: 'fast-glob', run: () => fastGlob(pattern, { cwd: directory, dot: true }) },
  ]
  report(`glob, ${name} (${pattern})`, await measure(contenders, rounds))
  peers.close()
  await Promise.all([first.close(), toolkit.close()])
}
