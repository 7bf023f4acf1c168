// The trees and programs that the benchmarks work on: fetched from the registries or made, once.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const repository = join(here, '..')
const corpora = join(here, 'corpora')

/** Installs the contenders when they are not there. */
export function contenders() {
  if (existsSync(join(here, 'node_modules', 'tinyglobby'))) return
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: here, stdio: 'inherit', shell: process.platform === 'win32' })
}

/** The directory of a tree: `small`, `medium`, `large` or `copies`. */
export function tree(name) {
  const directory = join(corpora, name)
  if (existsSync(directory)) return directory
  mkdirSync(corpora, { recursive: true })
  if (name === 'small') cpSync(join(here, 'node_modules', 'hono'), directory, { recursive: true })
  if (name === 'medium') execFileSync('cargo', ['vendor', '--locked', '--quiet', directory], { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
  if (name === 'large') takeLinux(directory)
  if (name === 'copies') for (let copy = 0; copy < 8; copy += 1) cpSync(tree('medium'), join(directory, String(copy)), { recursive: true })
  return directory
}

/** The trees of `--large`. The sources of Linux take Debian's package tools, unless they are there. */
export function largeTrees() {
  const canFetch = existsSync(join(corpora, 'large')) || spawnSync('apt-cache', ['show', 'linux-source']).status === 0
  return canFetch ? ['large', 'copies'] : ['copies']
}

/** The sources of Linux as Debian packages them, without the ignore rule that hides all of them. */
function takeLinux(directory) {
  const holder = join(corpora, 'linux')
  const run = (program, ...words) => execFileSync(program, words, { cwd: holder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const only = (parent, start) =>
    join(
      parent,
      readdirSync(parent).find((name) => name.startsWith(start)),
    )
  mkdirSync(holder, { recursive: true })
  const [, name] = /Depends: (linux-source-\S+)/.exec(run('apt-cache', 'depends', 'linux-source'))
  run('apt-get', 'download', name)
  run('dpkg-deb', '-x', only(holder, name), 'package')
  run('tar', '-xf', only(join(holder, 'package', 'usr', 'src'), name))
  const rules = join(holder, name, '.gitignore')
  writeFileSync(rules, readFileSync(rules, 'utf8').replace(/^\/\*$/m, ''))
  renameSync(join(holder, name), directory)
  rmSync(holder, { recursive: true })
}

/** The directory of Mozilla's test pages for Readability, one directory a page: they are in the crate `readability-rust`. */
export function mozillaPages() {
  const holder = join(corpora, 'mozilla')
  if (!existsSync(join(holder, 'src'))) {
    mkdirSync(join(holder, 'src'), { recursive: true })
    writeFileSync(
      join(holder, 'Cargo.toml'),
      '[package]\nname = "holder"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nreadability-rust = "=0.1.0"\n[workspace]\n',
    )
    writeFileSync(join(holder, 'src', 'lib.rs'), '')
  }
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1'], {
    cwd: holder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { manifest_path: manifest } = JSON.parse(metadata).packages.find(({ name }) => name === 'readability-rust')
  return join(dirname(manifest), 'mozzilla-readability', 'test', 'test-pages')
}

/** A text file of numbered lines, of about `bytes`. */
export function textFile(bytes) {
  const path = join(corpora, `lines-${bytes}.txt`)
  if (existsSync(path)) return path
  mkdirSync(corpora, { recursive: true })
  const line = (number) => `${number}: the quick brown fox jumps over the lazy dog and runs away\n`
  const block = Array.from({ length: 1000 }, (_, number) => line(number)).join('')
  const times = Math.max(1, Math.round(bytes / block.length))
  writeFileSync(path, bytes < block.length ? block.slice(0, bytes) : block)
  for (let written = 1; written < times; written += 1) writeFileSync(path, block, { flag: 'a' })
  return path
}

/** Puts an `rg` on the `PATH` of this process and answers its version. */
export function ripgrep() {
  const tools = join(corpora, 'tools')
  process.env.PATH = `${join(tools, 'bin')}${delimiter}${process.env.PATH}`
  const version = () => execFileSync('rg', ['--version'], { encoding: 'utf8' }).split('\n')[0]
  try {
    return version()
  } catch {
    execFileSync('cargo', ['install', 'ripgrep', '--locked', '--quiet', '--root', tools], { stdio: 'inherit' })
    return version()
  }
}
