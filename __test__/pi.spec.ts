import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { deflateSync } from 'node:zlib'

import { afterAll, describe, expect, test } from 'vitest'

import { testWith } from './support/programs.js'
import { ROOT } from './support/run.js'
import { piTools, runInPi, type Answer } from './support/pi.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const PNG = (() => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const header = Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0])
  const rows = Buffer.concat(Array.from({ length: 4 }, () => Buffer.from([0, ...Array(12).fill(200)])))
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
})()

function crc32(bytes: Buffer): number {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

const LINES = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

/** One directory like another. */
function project(): string {
  const root = workspaceOf({
    'a.txt': 'one\ntwo\nthree\n',
    'no-newline.txt': 'one\ntwo',
    'empty.txt': '',
    'crlf.txt': 'one\r\ntwo\r\n',
    'bom.txt': '\ufeffone\ntwo\n',
    'long.txt': LINES(2500),
    'heavy.txt': `${'x'.repeat(999)}\n`.repeat(100),
    'wide.txt': 'y'.repeat(60_000),
    'twice.txt': 'same\nother\nsame\n',
    'src/app.ts': 'export const app = 1\n// TODO app\n',
    'src/Other.ts': 'export const other = app\n',
    'src/deep/x.ts': 'call(app)\n',
    'ignored/gone.ts': 'app\n',
    '.gitignore': 'ignored/\n',
    '.hidden': 'app\n',
  })
  for (let count = 0; count < 520; count += 1) writeFileSync(path.join(root, `src/deep/f${String(count).padStart(3, '0')}.dat`), 'needle\n')
  writeFileSync(path.join(root, 'pixel.png'), PNG)
  mkdirSync(path.join(root, 'nothing'))
  execFileSync('git', ['init', '-q'], { cwd: root })
  return root
}

type Call = readonly [what: string, name: string, params: object]

const FILES: Call[] = [
  ['read a file', 'read', { path: 'a.txt' }],
  ['read by an absolute path', 'read', { path: '<workspace>/a.txt' }],
  ['read by a path behind an @', 'read', { path: '@src/app.ts' }],
  ['read no lines', 'read', { path: 'a.txt', limit: 0 }],
  ['read from a line before the first', 'read', { path: 'a.txt', offset: -1 }],
  ['read from a line', 'read', { path: 'a.txt', offset: 2 }],
  ['read some lines', 'read', { path: 'a.txt', offset: 1, limit: 2 }],
  ['read to the end by limit', 'read', { path: 'a.txt', limit: 3 }],
  ['read without a last line end', 'read', { path: 'no-newline.txt' }],
  ['read an empty file', 'read', { path: 'empty.txt' }],
  ['read lines that end in CR LF', 'read', { path: 'crlf.txt' }],
  ['read a byte order mark', 'read', { path: 'bom.txt' }],
  ['read more than 2000 lines', 'read', { path: 'long.txt' }],
  ['read on', 'read', { path: 'long.txt', offset: 2001 }],
  ['read more than 50 KB', 'read', { path: 'heavy.txt' }],
  ['read a line of 60 KB', 'read', { path: 'wide.txt' }],
  ['read past the end', 'read', { path: 'a.txt', offset: 99 }],
  ['read what is missing', 'read', { path: 'nope.txt' }],
  ['read a directory', 'read', { path: 'src' }],
  ['read an image', 'read', { path: 'pixel.png' }],
  ['write a new file', 'write', { path: 'new/b.txt', content: 'größe\n' }],
  ['write over a file', 'write', { path: 'a.txt', content: 'ONE\ntwo\nthree\n' }],
  ['write nothing', 'write', { path: 'void.txt', content: '' }],
  ['write where a directory is', 'write', { path: 'src', content: 'x' }],
  ['edit one place', 'edit', { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] }],
  [
    'edit several places',
    'edit',
    {
      path: 'src/app.ts',
      edits: [
        { oldText: 'app = 1', newText: 'app = 2' },
        { oldText: 'TODO', newText: 'DONE' },
      ],
    },
  ],
  ['edit lines that end in CR LF', 'edit', { path: 'crlf.txt', edits: [{ oldText: 'one\ntwo', newText: 'one\n2' }] }],
  ['edit behind a byte order mark', 'edit', { path: 'bom.txt', edits: [{ oldText: 'one', newText: '1' }] }],
  ['edit what does not occur', 'edit', { path: 'a.txt', edits: [{ oldText: 'absent', newText: 'x' }] }],
  ['edit what occurs twice', 'edit', { path: 'twice.txt', edits: [{ oldText: 'same', newText: 'x' }] }],
  ['edit without a change', 'edit', { path: 'twice.txt', edits: [{ oldText: 'other', newText: 'other' }] }],
  ['edit places that overlap', 'edit', { path: 'twice.txt', edits: ['same\nother', 'other\nsame'].map((oldText) => ({ oldText, newText: 'x' })) }],
  ['edit an empty text', 'edit', { path: 'a.txt', edits: [{ oldText: '', newText: 'x' }] }],
  ['edit with the edits as a text', 'edit', { path: 'twice.txt', edits: '[{"oldText":"other","newText":"another"}]' }],
  ['edit a missing file', 'edit', { path: 'nope.txt', edits: [{ oldText: 'a', newText: 'b' }] }],
  ['list the workspace', 'ls', {}],
  ['list a directory', 'ls', { path: 'src' }],
  ['list an empty directory', 'ls', { path: 'nothing' }],
  ['list no entries', 'ls', { path: 'src', limit: 0 }],
  ['list by a path behind an @', 'ls', { path: '@src' }],
  ['list more than the limit', 'ls', { path: 'src/deep', limit: 3 }],
  ['list more than 500 entries', 'ls', { path: 'src/deep' }],
  ['list what is missing', 'ls', { path: 'nope' }],
  ['list a file', 'ls', { path: 'a.txt' }],
]

const COMMANDS: Call[] = [
  ['run a command', 'bash', { command: 'echo out; echo err >&2' }],
  ['run without output', 'bash', { command: 'true' }],
  ['run into a failure', 'bash', { command: 'echo begun; exit 3' }],
  ['run a program that is missing', 'bash', { command: 'no-such-program-here 2>/dev/null' }],
  ['run where the workspace is', 'bash', { command: 'pwd' }],
  ['run out of time', 'bash', { command: 'echo begun; sleep 30', timeout: 1 }],
  ['run into more than 2000 lines', 'bash', { command: 'seq 1 2500' }],
]

const SEARCHES: Call[] = [
  ['grep a word', 'grep', { pattern: 'app' }],
  ['grep in a directory', 'grep', { pattern: 'app', path: 'src' }],
  ['grep in a file', 'grep', { pattern: 'two', path: 'twice.txt' }],
  ['grep nothing', 'grep', { pattern: 'zzz-nowhere' }],
  ['grep by glob', 'grep', { pattern: 'app', glob: '*.ts' }],
  ['grep without regard to case', 'grep', { pattern: 'OTHER', ignoreCase: true, path: 'src' }],
  ['grep to the letter', 'grep', { pattern: 'call(', literal: true }],
  ['grep with context', 'grep', { pattern: 'other', path: 'twice.txt', context: 1 }],
  ['grep up to no match', 'grep', { pattern: 'two', path: 'a.txt', limit: 0 }],
  ['grep more than the limit', 'grep', { pattern: 'line', path: 'long.txt', limit: 2 }],
  ['grep a broken pattern', 'grep', { pattern: '(' }],
  ['grep in what is missing', 'grep', { pattern: 'x', path: 'nope' }],
  ['find by name', 'find', { pattern: '*.ts' }],
  ['find by path', 'find', { pattern: 'src/**/*.ts' }],
  ['find in a directory', 'find', { pattern: '*.ts', path: 'src/deep' }],
  ['find nothing', 'find', { pattern: '*.zzz' }],
  ['find more than the limit', 'find', { pattern: '*.dat', limit: 2 }],
  ['find as many as the limit', 'find', { pattern: 'f00[01].dat', limit: 2 }],
  ['find in what is missing', 'find', { pattern: '*', path: 'nope' }],
]

/** Directories and times out of a text. */
function bare(text: string, root: string): string {
  return text.replaceAll(root, '<workspace>').replace(/\/[^\s\]]*\/(pi-bash|tenon)[^\s\]]*/g, '<spilled>')
}

function comparable({ isError, content }: Answer, root: string) {
  return { isError, content: content.map((text) => bare(text, root)) }
}

/** Every file of a directory and its bytes. */
function filesOf(root: string, directory = ''): Record<string, string> {
  const names = readdirSync(path.join(root, directory)).filter((name) => name !== '.git' && !name.endsWith('.dat'))
  return Object.assign(
    {},
    ...names.map((name) => {
      const at = path.join(directory, name)
      return statSync(path.join(root, at)).isDirectory() ? filesOf(root, at) : { [at]: readFileSync(path.join(root, at), 'latin1') }
    }),
  )
}

/** The same calls in two agents of pi: one with our tools in the place of pi's own, one with pi's. */
async function sideBySide(calls: readonly Call[]) {
  const placed = (root: string) => calls.map(([, name, params]) => [name, JSON.parse(JSON.stringify(params).replaceAll('<workspace>', root))] as const)
  const [mine, theirs] = [project(), project()]
  const toolkit = toolkitOf({}, { workspace: mine })
  const exec = toolkit.tool('exec')
  const own = ['read', 'write', 'edit', 'grep', 'find', 'ls'].map((name) => toolkit.tool(name))
  const ours = await runInPi([...own, { ...exec, name: 'bash' }], placed(mine))
  const pis = await runInPi(Object.values(await piTools(theirs)), placed(theirs))
  expect([ours.length, pis.length]).toEqual([calls.length, calls.length])
  expect(filesOf(mine)).toEqual(filesOf(theirs))
  return calls.map(([what], index) => ({
    what,
    ours: ours[index]!,
    pi: pis[index]!,
    compared: [comparable(ours[index]!, mine), comparable(pis[index]!, theirs)] as const,
  }))
}

/** What `docs/pi.md` lists and explains: the first column of its table. */
const LISTED = [...readFileSync(path.join(ROOT, 'docs/pi.md'), 'utf8').matchAll(/^\| ([a-z][^|]*?) \| (?!---)/gm)].map(([, what]) => what!)

const show = (process.env.SHOW_PI_DIFFERENCES ?? '') !== ''

function differences(pairs: Awaited<ReturnType<typeof sideBySide>>): string[] {
  return pairs.flatMap(({ what, compared: [ours, pi] }) => {
    if (JSON.stringify(ours) === JSON.stringify(pi)) return []
    if (show)
      console.log(
        what,
        JSON.stringify(
          { ours, pi },
          (_, value) => (typeof value === 'string' && value.length > 400 ? `${value.slice(0, 100)} … ${value.slice(-250)}` : value),
          1,
        ),
      )
    return [what]
  })
}

const listedOf = (calls: readonly Call[]) => LISTED.filter((what) => calls.some(([known]) => known === what))

describe("our tools in the place of pi's", () => {
  testWith('git')(
    'files: the same answers but for what docs/pi.md lists, and the same files',
    async () => {
      const pairs = await sideBySide(FILES)
      expect(differences(pairs).sort()).toEqual(listedOf(FILES).sort())
      for (const { what, ours, pi } of pairs.filter(({ pi }) => pi.details && !pi.isError)) {
        const { entryLimitReached, truncation, ...details } = pi.details
        // Ours names files as git does, and keeps the line ends and the byte order mark of the file.
        if (details.patch) details.patch = details.patch.replace(/^--- /m, '--- a/').replace(/^\+\+\+ /m, '+++ b/')
        if (entryLimitReached !== undefined) expect(ours.details, what).toMatchObject({ truncated: true })
        const patch = ours.details.patch?.replaceAll(/[\r\ufeff]/g, '')
        expect({ ...ours.details, ...(patch && { patch }) }, what).toMatchObject(details)
        // A line of 60 KB is shown in part: nothing but that line is cut.
        if (!truncation || truncation.firstLineExceedsLimit) continue
        expect(ours.details.truncation, what).toEqual(truncation)
      }
    },
    60_000,
  )

  testWith('git', 'bash')(
    'commands: the same answers but for what docs/pi.md lists',
    async () => {
      expect(differences(await sideBySide(COMMANDS)).sort()).toEqual(listedOf(COMMANDS).sort())
    },
    60_000,
  )

  const missing = missingForSearches()
  if (missing.length > 0) console.log(`Searches are not compared with pi's: ${missing.join(' and ')}, which pi runs for them, not found.`)
  test.skipIf(missing.length > 0)(
    'searches: the same answers but for what docs/pi.md lists',
    async () => {
      // rg and fd answer in the order in which their threads come to an end, and with a limit the first of those.
      const inOrder = (answer: ReturnType<typeof comparable>) => ({
        ...answer,
        content: answer.content.map((text) =>
          text
            .replace(/f\d{3}\.dat/g, 'f*.dat')
            .split('\n')
            .sort()
            .join('\n'),
        ),
      })
      const pairs = (await sideBySide(SEARCHES)).map(({ compared: [ours, pi], ...pair }) => ({ ...pair, compared: [inOrder(ours), inOrder(pi)] as const }))
      expect(differences(pairs).sort()).toEqual(listedOf(SEARCHES).sort())
    },
    60_000,
  )

  test('every line of the list is a call that is compared', () => {
    const calls = [...FILES, ...COMMANDS, ...SEARCHES].map(([what]) => what)
    expect(LISTED.filter((what) => !calls.includes(what))).toEqual([])
    expect(LISTED.length).toBeGreaterThan(0)
  })
})

/** What pi runs for its searches and is not there. Debian calls fd `fdfind`: then it gets its own name in a directory of the PATH. */
function missingForSearches(): string[] {
  if (!isThere('fd') && isThere('fdfind')) {
    const programs = mkdtempSync(path.join(tmpdir(), 'tenon-test-'))
    afterAll(() => rmSync(programs, { recursive: true, force: true }))
    symlinkSync(execFileSync('sh', ['-c', 'command -v fdfind'], { encoding: 'utf8' }).trim(), path.join(programs, 'fd'))
    process.env.PATH = `${programs}${path.delimiter}${process.env.PATH}`
  }
  return ['rg', 'fd'].filter((program) => !isThere(program))
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
