import { readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { Toolkit, estimateTokens, type ToolkitEvent } from '../index.js'
import { failureOf, workspaceOf } from './support/workspace.js'

const TOKEN = `ghp_X${'a1B2c3D4e'.repeat(4).slice(1)}`
const MARK = '[redacted: GitHub token, 40 characters]'

function textOf(result: { content: { type: string; text?: string }[] }): string {
  return result.content.map((part) => part.text ?? '').join('')
}

test('secrets are marks in results, and themselves in files', async () => {
  const workspace = workspaceOf({ 'a.js': `const key = '${TOKEN}'\n` })
  const toolkit = new Toolkit({ workspace })
  const read = await toolkit.tool('read').execute('1', { file_path: 'a.js' })
  expect(textOf(read)).toBe(`const key = '${MARK}'\n`)
  await toolkit.tool('edit').execute('2', { file_path: 'a.js', oldText: `key = '${MARK}'`, newText: `secret = '${MARK}'` })
  expect(readFileSync(path.join(workspace, 'a.js'), 'utf8')).toBe(`const secret = '${TOKEN}'\n`)
  await toolkit.close()
  const open = new Toolkit({ workspace, redact: false })
  expect(textOf(await open.tool('read').execute('1', { file_path: 'a.js' }))).toContain(TOKEN)
  await open.close()
})

test('patterns of the host are options, and a wrong one is named', async () => {
  const workspace = workspaceOf({ 'a.txt': 'for CU-123456\n' })
  const toolkit = new Toolkit({ workspace, redact: { patterns: [{ name: 'customer', pattern: 'CU-[0-9]{6}' }] } })
  expect(textOf(await toolkit.tool('read').execute('1', { file_path: 'a.txt' }))).toBe('for [redacted: customer, 9 characters]\n')
  await toolkit.close()
  expect(() => new Toolkit({ workspace, redact: { patterns: [{ name: 'customer', pattern: '(' }] } })).toThrow('`redact.patterns[0].pattern`')
})

test('output is condensed for the model, exact in details, and opened by its address', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf({}) })
  const command = 'for i in $(seq 1 60); do echo "   Compiling some_crate_$i v1.0.$i"; done; echo done'
  const result = await toolkit.tool('exec').execute('1', { command })
  expect(textOf(result)).toContain('[… 59 lines of progress: `output://1:2-60`]\ndone\n')
  expect(result.details).toMatchObject({
    output: expect.stringContaining('some_crate_42 v1.0.42\n'),
    condensed: { lines: 2, ofLines: 61, strategy: ['fold'], fullOutput: 'output://1' },
  })
  const page = await toolkit.tool('read').execute('2', { file_path: 'output://1:42' })
  expect(textOf(page)).toContain('some_crate_42 v1.0.42')
  await toolkit.close()
})

test('a budget holds for the result of every tool', async () => {
  const file = Array.from({ length: 3000 }, (_, at) => `line ${at} of many`).join('\n')
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': file }), limits: { maxTokens: 500 } })
  for (const [tool, params] of [
    ['read', { file_path: 'a.txt' }],
    ['grep', { pattern: 'many' }],
    ['exec', { command: 'cat a.txt' }],
  ] as const) {
    const result = await toolkit.tool(tool).execute('1', params as never)
    expect(estimateTokens(textOf(result)), tool).toBeLessThanOrEqual(500)
  }
  await toolkit.close()
  expect(() => new Toolkit({ workspace: workspaceOf({}), limits: { maxTokens: 5 } })).toThrow('`limits.maxTokens` must be at least 200, not 5.')
})

test('a call that leads nowhere says so the third time, and the host hears of it', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'x\n' }) })
  const events: ToolkitEvent[] = []
  toolkit.on('looping', (event) => events.push(event))
  const edit = () => failureOf(toolkit.tool('edit').execute('1', { file_path: 'a.txt', oldText: 'nowhere', newText: 'y' }))
  const [first, second, third] = [await edit(), await edit(), await edit()]
  expect(second.message).toBe(first.message)
  expect(third.message).toBe(
    `${first.message} The same call has failed 3 times in the same way. Do not repeat it: look at the current state, change the parameters, or tell the user what is in the way.`,
  )
  expect(events).toMatchObject([{ tool: 'edit', kind: 'failure', times: 3 }])
  await toolkit.close()
})
