import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { expect, test, vi } from 'vitest'

import { Toolkit } from '../index.js'
import { testWith } from './support/programs.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

test('find with fuzzy takes what is remembered of a path, the best first', async () => {
  const toolkit = toolkitOf({
    'src/user/controller.ts': '',
    'src/user/model.ts': '',
    'docs/user-controller.md': '',
    'node_modules/user/controller.ts': '',
    '.gitignore': 'node_modules\n',
  })
  const found = await toolkit.tool('find').execute('1', { pattern: 'user ctrl ts', fuzzy: true })
  expect(found.details).toEqual({ files: ['src/user/controller.ts'], count: 1, truncated: false })
  const best = await toolkit.tool('find').execute('2', { pattern: 'usercontroller', fuzzy: true, limit: 1 })
  expect(best.details).toEqual({ files: ['docs/user-controller.md'], count: 1, truncated: true })
})

/** They found nothing, or excluded nothing: `rg -g 'src/*.ts' needle src` counts globs from where it runs. */
test('a glob of grep may count from the workspace or from the directory that is searched', async () => {
  const toolkit = toolkitOf({ 'src/a.ts': 'needle\n', 'src/gen/b.ts': 'needle\n', 'src/src/c.ts': 'needle\n', 'src/d.js': 'needle\n' })
  const found = async (glob: string, more: object = {}) => {
    const { details } = await toolkit.execute('grep', { pattern: 'needle', path: 'src', glob, ...more })
    return details.matches.map(({ file }) => file)
  }
  expect(await found('src/**/*.ts')).toEqual(['src/a.ts', 'src/gen/b.ts', 'src/src/c.ts'])
  expect(await found('src/*.ts')).toEqual(['src/a.ts', 'src/src/c.ts'])
  expect(await found('gen/*.ts')).toEqual(['src/gen/b.ts'])
  expect(await found('!src/gen/**')).toEqual(['src/a.ts', 'src/d.js', 'src/src/c.ts'])
  expect(await found('src/gen/*', { path: '.' })).toEqual(['src/gen/b.ts'])
})

test('globs know extended patterns in find and in the glob of grep', async () => {
  const toolkit = toolkitOf({ 'a.ts': 'needle\n', 'a.test.ts': 'needle\n', 'b.js': 'needle\n', 'c.md': 'needle\n' })
  const found = await toolkit.tool('find').execute('1', { pattern: '!(*.test).@(ts|js)' })
  expect(found.details.files).toEqual(['a.ts', 'b.js'])
  const grepped = await toolkit.tool('grep').execute('2', { pattern: 'needle', glob: '!(*.test).ts' })
  expect(grepped.details.matches.map((match: { file: string }) => match.file)).toEqual(['a.ts'])
})

/** Braces were alternatives, so that files were kept from searches which git does not ignore. */
testWith('git').skipIf(process.platform === 'win32')('a line of .gitignore means what git reads in it', async () => {
  const names = [
    'a',
    'b',
    '{a,b}',
    'x.log',
    'x.{log,tmp}',
    '-',
    '_',
    '\\',
    ']',
    'f',
    'z',
    'foo/bar',
    'fooxbar',
    'deep/fooxbar',
    'end ',
    'tab\t',
    'tab',
    'Q',
    '!',
    '^',
    'x',
  ]
  const lines = [
    '{a,b}',
    '*.{log,tmp}',
    '[\\-_]',
    '[\\]]',
    '[a-e-n]',
    '[\\^]',
    '[\\!]',
    '[\\!^]',
    '[!^]',
    '[/]',
    '[z-a]',
    'foo[^a-c]bar',
    '/foo[!a]bar',
    'end\\  ',
    'tab\t',
    '!',
    '[[:upper:]]',
    '[Q',
    'a\r',
    '# {a',
  ]
  const files = Object.fromEntries(
    lines.flatMap((line, at) => [[`d${at}/.gitignore`, `${line}\n`], ...names.map((name) => [`d${at}/${name}`, 'needle\n'])]),
  ) as Record<string, string>
  const workspace = workspaceOf({ ...files, 'w/.ignore': '*.{log,tmp}\n', 'w/x.log': '', 'w/x.{log,tmp}': '' })
  execFileSync('git', ['init', '-q'], { cwd: workspace })
  const toolkit = toolkitOf({}, { workspace })
  const found = async (directory: string) => (await toolkit.execute('find', { pattern: '**/*', path: directory, limit: 1000 })).details.files.sort()
  for (const [at, line] of lines.entries()) {
    const shown = execFileSync('git', ['ls-files', '-o', '-z', '--exclude-standard', `d${at}`], { cwd: workspace, encoding: 'utf8' })
    expect(await found(`d${at}`), line).toEqual(shown.split('\0').filter(Boolean).sort())
  }
  expect(await found('w'), 'a file of ripgrep').toEqual(['w/.ignore', 'w/x.{log,tmp}'])
})

/** They cross by columns. */
test('details of many matches are plain objects with the text of each line', async () => {
  const lines = ['needle "quoted" \\ back', '\tneedle größe 漢字 😀', 'needle', 'needle \u0001 </script>']
  const linesOf = (file: number) => Array.from({ length: 600 }, (_, line) => lines[(file + line) % lines.length])
  const names = ['a.txt', 'b/größe.txt', 'c.txt']
  const toolkit = toolkitOf(Object.fromEntries(names.map((name, file) => [name, `${linesOf(file).join('\n')}\n`])))
  const result = await toolkit.execute('grep', { pattern: 'needle', limit: 10_000 })
  const matches = names.flatMap((name, file) => linesOf(file).map((text, line) => ({ file: name, line: line + 1, text })))
  const details = { matches, totalMatches: 1800, truncated: false }
  expect(result.details).toStrictEqual(details)
  expect(Object.keys(result)).toEqual(['content', 'details'])
  expect(Object.getOwnPropertyDescriptor(result, 'details')).toEqual({ value: details, writable: true, enumerable: true, configurable: true })
  expect(Object.keys(result.details.matches[1799])).toEqual(['file', 'line', 'text'])
  expect(structuredClone(result.details)).toEqual(details)
  expect(JSON.stringify(result.details)).toBe(JSON.stringify(details))
})

test('a search is taken up at a cursor', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'x\n', 'b/c.txt': 'x\n', 'd.txt': 'x\n' })
  const found = await toolkit.tool('find').execute('1', { pattern: '*.txt', cursor: 'b/c.txt' })
  expect(found.details.files).toEqual(['b/c.txt', 'd.txt'])
  const grepped = await toolkit.tool('grep').execute('2', { pattern: 'x', cursor: 'd.txt' })
  expect(grepped.details).toEqual({ matches: [{ file: 'd.txt', line: 1, text: 'x' }], totalMatches: 1, truncated: false })
})

test('a search that runs out of time answers a part, says so and how to go on', async () => {
  const files: Record<string, string> = {}
  for (let index = 0; index < 900; index += 1) files[`d${index % 40}/f${index}.txt`] = 'a line of text\n'.repeat(50)
  const workspace = workspaceOf(files)
  const whole = await new Toolkit({ workspace }).tool('grep').execute('1', { pattern: 'zzz|line of', limit: 1e9 })
  const answered: unknown[] = []
  let cursor: string | undefined
  // The time grows, so that each of several calls gets further and the last one to the end.
  for (let timeoutMs = 4, parts = 0; ; timeoutMs *= 2) {
    const toolkit = new Toolkit({ workspace, limits: { timeoutMs }, search: { index: 'off' } })
    const answer = await toolkit
      .tool('grep')
      .execute('2', { pattern: 'zzz|line of', limit: 1e9, ...(cursor ? { cursor } : {}) })
      // Where even a part takes longer than there is time, the call fails as any other does.
      .catch((error: { error_type: string }) => {
        expect(error.error_type).toBe('timeout')
      })
    await toolkit.close()
    if (!answer) continue
    const { details, content } = answer
    for (const match of details.matches) answered.push(match)
    parts += 1
    if (!details.timedOut) {
      expect(parts).toBeGreaterThan(0)
      break
    }
    expect(details.truncated).toBe(true)
    expect(content[0]).toMatchObject({ text: expect.stringContaining('Timed out: these results are incomplete.') })
    cursor = details.cursor ?? cursor
  }
  expect(answered).toEqual(whole.details.matches)
})

test('answers stay true while the index is made, used and let go', async () => {
  const files: Record<string, string> = { '.gitignore': 'hidden\n', 'hidden/x.txt': 'needle\n' }
  for (let index = 0; index < 2300; index += 1) files[`d${index % 50}/f${index}.txt`] = index % 1000 === 7 ? 'needle\n' : 'hay\n'
  const workspace = workspaceOf(files)
  const toolkit = new Toolkit({ workspace })
  const matching = async () => {
    const { details } = await toolkit.tool('grep').execute('1', { pattern: 'needle' })
    return details.matches.map((match: { file: string }) => match.file)
  }
  const expected = ['d7/f1007.txt', 'd7/f2007.txt', 'd7/f7.txt']
  for (let round = 0; round < 30; round += 1) expect(await matching()).toEqual(expected)
  writeFileSync(path.join(workspace, 'd7/f57.txt'), 'a needle\n')
  expect(await matching()).toEqual([...expected.slice(0, 2), 'd7/f57.txt', 'd7/f7.txt'])
  rmSync(path.join(workspace, 'd7/f57.txt'))
  rmSync(path.join(workspace, '.gitignore'))
  expect(await matching()).toEqual([...expected, 'hidden/x.txt'])
  await toolkit.close()
})

test('a file that rules keep from being read shows in no answer of the index either', async () => {
  const files: Record<string, string> = { 'secret/key.txt': 'needle\n' }
  for (let index = 0; index < 2300; index += 1) files[`d${index % 50}/f${index}.txt`] = 'hay\n'
  const toolkit = new Toolkit({ workspace: workspaceOf(files), permissions: { deny: ['Read(secret/**)'] } })
  for (let round = 0; round < 20; round += 1) {
    const { details } = await toolkit.tool('grep').execute('1', { pattern: 'needle' })
    expect(details.matches).toEqual([])
    const found = await toolkit.tool('find').execute('2', { pattern: 'secretkey', fuzzy: true })
    expect(found.details.files).toEqual([])
  }
  await toolkit.close()
})

test('the option of the index is checked', () => {
  const make = () => new Toolkit({ workspace: workspaceOf({}), search: { index: 'always' as 'auto' } })
  expect(make).toThrow('`search.index` must be `auto`, `disk` or `off`, not `always`.')
})

// Where the temporary directory is in memory or an overlay, no index is kept on the disk.
const isOnDisk = process.platform === 'linux' && ![0x01021994, 0x794c7630].includes(statfsSync(tmpdir()).type)

test.runIf(isOnDisk)('an index on the disk is a file of this user alone, and another toolkit answers the same by it', async () => {
  const state = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-index-')))
  const before = process.env.TENON_STATE_DIR
  process.env.TENON_STATE_DIR = state
  try {
    const files: Record<string, string> = { 'secret/key.txt': 'needle' }
    for (let index = 0; index < 400; index += 1) files[`d${index % 20}/f${index}.txt`] = index % 50 === 0 ? 'a needle\n' : 'hay\n'
    const workspace = workspaceOf(files)
    const make = (index: 'disk' | 'off') => new Toolkit({ workspace, search: { index }, permissions: { deny: ['Read(secret/**)'] } })
    const ask = async (toolkit: Toolkit) => (await toolkit.tool('grep').execute('1', { pattern: 'needle' })).details.matches
    const off = make('off')
    const expected = await ask(off)
    expect(expected.length).toBe(8)
    const first = make('disk')
    await ask(first)
    const directory = path.join(state, 'search-index')
    await vi.waitFor(() => expect(readdirSync(directory).filter((name) => name.endsWith('.index')).length).toBe(1), 20_000)
    await first.close()
    for (const name of readdirSync(directory)) expect(statSync(path.join(directory, name)).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    writeFileSync(path.join(workspace, 'd1', 'new.txt'), 'another needle\n')
    const second = make('disk')
    expect(await ask(second)).toEqual(await ask(off))
    await second.close()
    await off.close()
  } finally {
    if (before === undefined) delete process.env.TENON_STATE_DIR
    else process.env.TENON_STATE_DIR = before
    rmSync(state, { recursive: true })
  }
})

test('no limit makes an answer that JavaScript could not hold', async () => {
  const toolkit = toolkitOf({ 'f.txt': 'x\n'.repeat(60_000) })
  const { details } = await toolkit.tool('grep').execute('1', { pattern: 'x', limit: 1e9 })
  expect([details.matches.length, details.truncated]).toEqual([50_000, true])
  await toolkit.close()
})
