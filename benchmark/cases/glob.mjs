// Files by glob.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import fastGlob from 'fast-glob'
import { Toolkit } from 'tenon'
import { glob as tinyglobby } from 'tinyglobby'
import { ripgrep, tree } from '../corpora.mjs'
import { measure, report } from '../measure.mjs'

const execute = promisify(execFile)

export async function run({ large }) {
  console.log(`\nyardstick: ${ripgrep()}`)
  for (const [name, pattern, rounds] of [['small', '**/*.js', 15], ['medium', '**/*.rs', 7], ...(large ? [['large', '**/Cargo.toml', 5]] : [])]) {
    const folder = tree(name)
    const toolkit = new Toolkit({ workspace: folder })
    const find = toolkit.getTool('find')
    const words = ['--files', '--hidden', '--no-require-git', '--glob', '!.git', '--glob', pattern, folder]
    const contenders = [
      { name: 'rg --files, spawned', run: () => execute('rg', words, { maxBuffer: 1 << 28 }), yardstick: true },
      { name: 'tenon find', run: () => find.execute('1', { pattern, limit: 1e9 }) },
      { name: 'tinyglobby', run: () => tinyglobby(pattern, { cwd: folder, dot: true }) },
      { name: 'fast-glob', run: () => fastGlob(pattern, { cwd: folder, dot: true }) },
    ]
    report(`glob, ${name} (${pattern})`, await measure(contenders, rounds))
    await toolkit.close()
  }
}
