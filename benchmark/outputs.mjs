// What a model pays for the output of commands, and what it gets for that: tokens before and after, and the share of the
// lines with errors that are still there, beside pi's truncation and the rule of Codex.
//
//   node benchmark/outputs.mjs          the table
//   node benchmark/outputs.mjs --save   writes docs/performance/output.md
//
// The outputs in `benchmark/outputs` were written by real programs; paths and hosts were replaced.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Tiktoken } from 'js-tiktoken/lite'
import ranks from 'js-tiktoken/ranks/o200k_base'
// The file itself: the entry of the package needs a newer Node.
import { truncateTail } from '../node_modules/@earendil-works/pi-coding-agent/dist/core/tools/truncate.js'
import { Toolkit } from '../index.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const directory = join(here, 'outputs')
const encoding = new Tiktoken(ranks)
const tokens = (text) => encoding.encode(text, [], []).length

/** Codex: 10,000 tokens at four bytes each, half from the start and half from the end. */
const CODEX_BYTES = 10_000 * 4

function codex(text) {
  const bytes = Buffer.from(text)
  if (bytes.length <= CODEX_BYTES) return text
  const half = CODEX_BYTES / 2
  const cut = (from, to) => bytes.subarray(from, to).toString('utf8')
  const removed = Math.ceil((bytes.length - CODEX_BYTES) / 4)
  return `${cut(0, half)}…${removed} tokens truncated…${cut(bytes.length - half)}`
}

function pi(text) {
  const cut = truncateTail(text)
  return cut.truncated
    ? `${cut.content}\n\n[Showing lines ${cut.totalLines - cut.outputLines + 1}-${cut.totalLines} of ${cut.totalLines}. Full output: /tmp/pi-bash-0123456789abcdef.log]`
    : cut.content
}

/** Which lines speak of an error, by words alone: another rule than the one that is measured. */
const ERROR = /\b(error|errors|fatal|failed|failure|failures|panicked|exception|traceback)\b|Error\b|Exception\b|^E {3}/i
const NONE = /\b(0|no) (errors?|failed|failures?)\b|errors?: 0|failed: 0|fail 0\b|without errors/i
/** Names of files, tests that passed and lines of sources that only contain the word. */
const NAMES =
  /(^|[\s/"'])[\w./-]*errors?[\w-]*\.\w+|\.\.\. ok$|^ok |✔|PASSED|http fetch|silly|^[-+ ]|^commit |^\s+\S+\(|\| +\d+ [-+]|^\d+\t\S+$|[├└│]|^\S+\.rs:\d+:/

/** The distinct ones; lines that differ in numbers alone say the same. */
function errors(text) {
  const lines = text.split(/\r?\n/).map((line) => line.split('\r').at(-1).trim())
  const said = lines.filter((line) => ERROR.test(line) && !NONE.test(line) && !NAMES.test(line) && line.length < 2000)
  const distinct = new Map(said.map((line) => [line.replace(/\d+/g, '0'), line]))
  return [...distinct.keys()]
}

function kept(wanted, shown) {
  const lines = new Set(shown.split(/\r?\n/).map((line) => line.split('\r').at(-1).trim().replace(/\d+/g, '0')))
  return wanted.filter((line) => lines.has(line)).length
}

async function shower(options) {
  const toolkit = new Toolkit({ workspace: directory, permissions: { defaultMode: 'allow' }, redact: false, ...options })
  const show = async (name) => {
    const { content } = await toolkit.tool('exec').execute('1', { command: `cat '${name}'` })
    return content.map((part) => part.text).join('\n')
  }
  return { show, close: () => toolkit.close() }
}

const contenders = [
  ['tenon', await shower({})],
  ['tenon, 2,000 tokens', await shower({ limits: { maxTokens: 2000 } })],
  ['pi', { show: (name) => pi(readFileSync(join(directory, name), 'utf8')), close() {} }],
  ['Codex', { show: (name) => codex(readFileSync(join(directory, name), 'utf8')), close() {} }],
]

const rows = []
for (const name of readdirSync(directory)
  .filter((name) => name.endsWith('.txt'))
  .sort()) {
  const text = readFileSync(join(directory, name), 'utf8')
  const wanted = errors(text)
  const shown = []
  for (const [, contender] of contenders) {
    const result = await contender.show(name)
    shown.push({ tokens: tokens(result), kept: kept(wanted, result) })
  }
  rows.push({ name: name.replace('.txt', ''), before: tokens(text), errors: wanted.length, shown })
}
await Promise.all(contenders.map(([, contender]) => contender.close()))

const count = (number) => number.toLocaleString('en-US')
const sum = (figure) => rows.reduce((all, row) => all + figure(row), 0)
const share = (part, all) => (all === 0 ? '' : `${Math.round((part / all) * 100)} %`)
const cells = (row) => row.shown.flatMap((one) => [count(one.tokens), share(one.kept, row.errors)])
const total = {
  shown: contenders.map((_, at) => ({ tokens: sum((row) => row.shown[at].tokens), kept: sum((row) => row.shown[at].kept) })),
  errors: sum((row) => row.errors),
}
const head = ['output', 'tokens', 'error lines', ...contenders.flatMap(([name]) => [name, 'kept'])]
const table = [
  head,
  head.map((_, at) => (at === 0 ? '---' : '---:')),
  ...rows.map((row) => [row.name, count(row.before), row.errors, ...cells(row)]),
  ['**all**', count(sum((row) => row.before)), total.errors, ...cells(total)],
].map((row) => `| ${row.join(' | ')} |`)

const page = `# Output of commands

What \`exec\` shows of ${rows.length} real outputs (builds, tests, linters, installs, logs, lists; \`benchmark/outputs\`), in tokens of
\`o200k_base\`, and the share of distinct lines about errors that are still there. *tenon* is the default (10,000 tokens),
*2,000 tokens* is \`limits: { maxTokens: 2000 }\`; pi shows the last 2,000 lines or 50 KB, Codex both ends within 10,000 tokens. What
is an error line is decided here by another rule than in the product, by words alone. Written by \`node benchmark/outputs.mjs --save\`.

${table.join('\n')}
`
console.log(page)
if (process.argv.includes('--save')) writeFileSync(join(here, '../docs/performance/output.md'), page)
