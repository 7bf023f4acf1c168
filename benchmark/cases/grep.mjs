// Content search: rare and common texts, without regard to case, the first hundred, none.

import { spawn } from 'node:child_process'
import { promises } from 'node:fs'
import { join } from 'node:path'

import { Toolkit } from 'tenon'
import { largeTrees, ripgrep, tree } from '../corpora.mjs'
import { heldUpTo, resident } from '../hosts.mjs'
import { measure, report } from '../measure.mjs'
import { peersOf } from '../peers.mjs'
import { ofPi } from '../pi.mjs'

const QUERIES = {
  small: [
    ['rare', 'HTTPException', {}],
    ['common', 'const', {}],
    ['no case', 'context\\w+', { ignoreCase: true }],
    ['none', 'zxqvjk', {}],
  ],
  medium: [
    ['rare', 'RESOLVE_BENEATH', {}],
    ['common', 'unsafe', {}],
    ['no case', 'mutex\\w+', { ignoreCase: true }],
    ['none', 'zxqvjkzz', {}],
  ],
}
QUERIES.copies = QUERIES.medium
QUERIES.large = QUERIES.medium.with(1, ['common', 'mutex_lock', {}])

/** The host that has much in memory: Node forks all of it for every `rg`. */
const LARGE_HOST = 300

const ROUNDS = { small: 15, medium: 7, large: 5, copies: 5 }

/** The trees, and the small one in a large host. */
export const parts = ({ large }) => ['small', 'medium', ...(large ? largeTrees() : []), 'host']

/** @param {string} part one of `parts` */
export async function run(part) {
  if (part !== 'host') return searches(part, part)
  const ballast = heldUpTo(LARGE_HOST)
  await searches('small', `small, host of ${resident()} MB`)
  ballast.length = 0
}

/** All questions to one tree. */
async function searches(name, title) {
  console.log(`\nyardstick: ${ripgrep()}`)
  const rounds = ROUNDS[name]
  const directory = tree(name)
  // The first search of a tree has no index; later ones have, where the tree is large enough.
  const first = new Toolkit({ workspace: directory, search: { index: 'off' } })
  const toolkit = new Toolkit({ workspace: directory })
  const peers = await peersOf(directory)
  const [cold, grep] = [first.getTool('grep'), toolkit.getTool('grep')]
  await warm(grep)
  const ours = (params) => [
    { name: 'tenon grep, first', run: () => cold.execute('1', params) },
    { name: 'tenon grep, repeated', run: () => grep.execute('1', params) },
    ...ofPi((pi) => ({ name: 'pi grep', run: () => pi.createGrepTool(directory).execute('1', params) })),
  ]
  for (const [label, pattern, options] of QUERIES[name]) {
    const flags = options.ignoreCase ? ['-i'] : []
    const contenders = [
      { name: 'rg, spawned', run: () => byRipgrep(directory, [...flags, '--', pattern]), yardstick: true },
      ...ours({ pattern, limit: 1e9, ...options }),
      ...peers.grep(pattern, { ...options, isRegex: pattern.includes('\\') }),
      ...(name === 'small' ? [{ name: 'JavaScript walk', run: () => byWalk(directory, new RegExp(pattern, options.ignoreCase ? 'i' : '')) }] : []),
    ]
    report(`grep, ${title}, ${label} (${pattern})`, await measure(contenders, rounds))
  }
  const [, common] = QUERIES[name][1]
  const hundred = [
    { name: 'rg, killed at 100', run: () => byRipgrep(directory, ['--', common], 100), yardstick: true },
    ...ours({ pattern: common, limit: 100 }),
    ...peers.grep(common, { limit: 100 }),
  ]
  report(`grep, ${title}, first 100 (${common})`, await measure(hundred, rounds))
  peers.close()
  await Promise.all([first.close(), toolkit.close()])
}

/** Searches until the index, which is made in idle time, has had the time to be complete. */
async function warm(grep) {
  await grep.execute('1', { pattern: 'zxqvjkzz' })
  for (let before = Infinity, calm = 0; calm < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const started = performance.now()
    await grep.execute('1', { pattern: 'zxqvjkzz' })
    const took = performance.now() - started
    calm = took > before * 0.8 ? calm + 1 : 0
    before = Math.min(before, took)
  }
}

function byRipgrep(directory, words, most = Infinity) {
  return new Promise((resolve, reject) => {
    const child = spawn('rg', ['--hidden', '--no-require-git', '--glob', '!.git', '-n', ...words, directory], { stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    let lines = 0
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part
      for (let at = part.indexOf('\n'); at >= 0 && lines < most; at = part.indexOf('\n', at + 1)) lines += 1
      if (lines >= most) child.kill()
    })
    child.on('error', reject).on('close', () => resolve(text))
  })
}

async function byWalk(directory, pattern) {
  const found = []
  for (const entry of await promises.readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const lines = (await promises.readFile(path, 'utf8')).split('\n')
    lines.forEach((line, index) => pattern.test(line) && found.push(`${path}:${index + 1}: ${line}`))
  }
  return found
}
