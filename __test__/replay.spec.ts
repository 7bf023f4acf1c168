import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { expect, test } from 'vitest'

import { replay, Toolkit } from '../index.js'
import { failureOf, workspaceOf } from './support/workspace.js'

const START = { 'a.txt': 'one\ntwo\n', 'b.txt': 'three\n', 'src/c.txt': 'four\n' }

function filesOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [path.relative(directory, file), readFileSync(file, 'utf8')]),
  )
}

/** A session over a new workspace, recorded whole, and a copy of the workspace as it was before. */
async function recorded(work: (toolkit: Toolkit, workspace: string) => Promise<unknown>) {
  const workspace = workspaceOf(START)
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-replay-')))
  const copy = path.join(directory, 'copy')
  cpSync(workspace, copy, { recursive: true })
  const file = path.join(directory, 'session.jsonl')
  const toolkit = new Toolkit({ workspace, record: { file, replay: true } })
  await work(toolkit, realpathSync(workspace))
  await toolkit.close()
  return { workspace, copy, file }
}

test('calls are made again and compared, and what acts on the world is skipped with its reason', async () => {
  const { workspace, copy, file } = await recorded(async (toolkit, root) => {
    await toolkit.execute('read', { file_path: path.join(root, 'a.txt') }, { toolCallId: 'read' })
    await toolkit.execute('edit', { file_path: 'a.txt', oldText: 'two', newText: 'x'.repeat(10_000) }, { toolCallId: 'edit' })
    await toolkit.execute('read', { file_path: 'nowhere' }, { toolCallId: 'fails' }).catch(() => {})
    await toolkit.execute('exec', { command: 'echo hello' }, { toolCallId: 'exec' })
  })
  const report = await replay(file, { workspace: copy })
  expect(report.calls).toEqual([
    { toolCallId: 'read', tool: 'read', status: 'equal' },
    { toolCallId: 'edit', tool: 'edit', status: 'equal' },
    { toolCallId: 'fails', tool: 'read', status: 'equal' },
    { toolCallId: 'exec', tool: 'exec', status: 'skipped', reason: 'what it does in the world is not done again; name it in `run` to do so' },
  ])
  expect(filesOf(copy)).toEqual(filesOf(workspace))
})

test('what differs is shown', async () => {
  const { copy, file } = await recorded((toolkit) => toolkit.execute('read', { file_path: 'a.txt' }, { toolCallId: 'read' }))
  writeFileSync(path.join(copy, 'a.txt'), 'one\nother\n')
  const report = await replay(file, { workspace: copy })
  expect(report).toMatchObject({
    equal: 0,
    different: 1,
    skipped: 0,
    calls: [{ toolCallId: 'read', status: 'different', expected: { success: true }, found: { success: true } }],
  })
  expect(report.calls[0].diff).toMatch(/-.*two\n\+.*other/)
})

test('a record that is not whole, or no record, is refused or skipped', async () => {
  const { copy, file } = await recorded((toolkit) => toolkit.execute('read', { file_path: 'a.txt' }))
  const lines = readFileSync(file, 'utf8').replaceAll(/,"workspace":"[^"]*"/g, '')
  writeFileSync(file, lines)
  expect((await replay(file, { workspace: copy })).calls).toMatchObject([
    { status: 'skipped', reason: 'it was not recorded whole: record with `{ file, replay: true }`' },
  ])
  expect(await failureOf(replay(`${file}.none`, { workspace: copy }))).toMatchObject({ error_type: 'invalid_input' })
  expect(await failureOf(replay(file, { workspace: copy, runs: [] } as never))).toMatchObject({ error_type: 'invalid_input' })
})

test('the command line prints how the calls compare', async () => {
  const { copy, file } = await recorded((toolkit) => toolkit.execute('write', { file_path: 'n.txt', content: 'n\n' }, { toolCallId: 'w' }))
  const bin = path.resolve('bin/tenon.js')
  const output = execFileSync(process.execPath, [bin, 'replay', file, '--workspace', copy], { encoding: 'utf8' })
  expect(output).toBe('equal      write w\n1 equal, 0 different, 0 skipped\n')
  expect(readFileSync(path.join(copy, 'n.txt'), 'utf8')).toBe('n\n')
})

/** Numbers that are the same in each run. */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test.for([1, 2, 3, 4, 5, 6, 7, 8])('random session %i is replayed to the same bytes', async (seed) => {
  const next = random(seed)
  const names = ['a.txt', 'b.txt', 'src/c.txt', 'new/d.txt']
  const { workspace, copy, file } = await recorded(async (toolkit) => {
    for (let turn = 0; turn < 25; turn += 1) {
      const file_path = names[next(names.length)]
      const word = ['one', 'two', 'three', 'four', `word${next(5)}`][next(5)]
      const calls: [string, object][] = [
        ['write', { file_path, content: `word${next(5)}\n`.repeat(1 + next(300)) }],
        ['edit', { file_path, edits: [{ oldText: word, newText: `word${next(5)}` }] }],
        ['edit', { file_path, edits: [{ oldText: word, newText: `é${next(5)}`, replaceAll: true }] }],
        ['apply_patch', { input: `*** Begin Patch\n*** Delete File: ${file_path}\n*** End Patch\n` }],
        ['read', { file_path }],
        ['grep', { pattern: word }],
        ['todo_write', { todos: [{ content: word, status: 'pending' }] }],
      ]
      const [tool, params] = calls[next(calls.length)]
      await toolkit.execute(tool, params, { toolCallId: `call_${turn}` }).catch(() => {})
    }
  })
  const report = await replay(file, { workspace: copy })
  expect(report.calls.filter(({ status }) => status !== 'equal')).toEqual([])
  expect(report.equal).toBe(25)
  expect(filesOf(copy)).toEqual(filesOf(workspace))
})
