import { readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { Toolkit, type AgentEditDetails, type Dialect, type ToolkitOptions } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const SOUND = 'def total(items):\n    return sum(items)\n'
const BROKEN = 'def total(items):\n    return sum(items\n'
const WARNING = '`cart.py` has a new syntax error: line 2, `(` is not closed.'

/** The same edit of `cart.py` in the words of each dialect. */
const edits: [Dialect, string, (root: string) => object][] = [
  ['agent', 'edit', () => ({ path: 'cart.py', oldText: 'sum(items)', newText: 'sum(items' })],
  ['canonical', 'Edit', (root) => ({ file_path: path.join(root, 'cart.py'), old_string: 'sum(items)', new_string: 'sum(items' })],
  ['coder', 'patch', () => ({ patch: '--- a/cart.py\n+++ b/cart.py\n@@ -2 +2 @@\n-    return sum(items)\n+    return sum(items\n' })],
  ['manager', 'write_file', () => ({ path: 'cart.py', content: BROKEN })],
  ['acp', 'edit_file', () => ({ path: 'cart.py', edits: [{ type: 'replace', oldText: 'sum(items)', newText: 'sum(items' }] })],
]

function toolkitFor(dialect: Dialect, edits?: ToolkitOptions['edits']) {
  const workspace = workspaceOf({ 'cart.py': SOUND })
  const toolkit = toolkitOf({}, { workspace, dialect, edits } as never) as Toolkit<any>
  return { workspace, toolkit, content: () => readFileSync(path.join(workspace, 'cart.py'), 'utf8') }
}

describe.each(edits)('%s: a change that breaks the syntax of a file', (dialect, tool, params) => {
  test('is made, and the result names the line', async () => {
    const { workspace, toolkit, content } = toolkitFor(dialect)
    const { content: parts } = await toolkit.execute(tool, params(workspace))
    const last = parts.at(-1) as { text: string }
    expect(last.text.endsWith(`\n\nWarning: ${WARNING}`)).toBe(true)
    expect(content()).toBe(BROKEN)
  })

  test('is not made where the host refuses such changes', async () => {
    const { workspace, toolkit, content } = toolkitFor(dialect, { syntax: 'refuse' })
    expect(await failureOf(toolkit.execute(tool, params(workspace)))).toMatchObject({
      tool,
      error_type: 'invalid_input',
      details: { code: 'broken_syntax', path: 'cart.py', language: 'Python', lines: [2] },
    })
    expect(content()).toBe(SOUND)
  })

  test('is not looked at where the host does not want it', async () => {
    const { workspace, toolkit } = toolkitFor(dialect, { syntax: 'off' })
    const { content: parts } = await toolkit.execute(tool, params(workspace))
    expect(JSON.stringify(parts)).not.toContain('Warning')
  })
})

test('details of the agent dialect hold the warnings as well', async () => {
  const { toolkit } = toolkitFor('agent')
  const { details } = await toolkit.execute('edit', { file_path: 'cart.py', oldText: 'sum(items)', newText: 'sum(items' })
  expect((details as AgentEditDetails).warnings).toEqual([WARNING])
})

test('text that stands for text is refused where the host wants that', async () => {
  const { toolkit, content } = toolkitFor('agent', { placeholders: 'refuse' })
  const error = await failureOf(toolkit.execute('write', { path: 'cart.py', content: 'def total(items):\n    # ... existing code ...\n' }))
  expect(error).toMatchObject({ error_type: 'invalid_input', details: { code: 'placeholder', path: 'cart.py', lines: [2] } })
  expect(content()).toBe(SOUND)
})

test('an approver is not asked about a change that will be refused', async () => {
  const asked: unknown[] = []
  const workspace = workspaceOf({ 'cart.py': SOUND })
  const toolkit = toolkitOf(
    {},
    {
      workspace,
      edits: { syntax: 'refuse' },
      onApproval: (request) => {
        asked.push(request)
        return 'once'
      },
    },
  )
  const error = await failureOf(toolkit.execute('edit', { file_path: 'cart.py', oldText: 'sum(items)', newText: 'sum(items' }))
  expect(error.details.code).toBe('broken_syntax')
  expect(asked).toEqual([])
})

test('an unknown word for it is refused by name', () => {
  expect(() => new Toolkit({ workspace: workspaceOf(), edits: { syntax: 'error' } } as never)).toThrow(/edits\.syntax/)
})

test('an edit of very many places is reported by their number and the first thousand', async () => {
  const toolkit = toolkitOf({ 'f.txt': 'x'.repeat(200_000) })
  const { details } = await toolkit.execute('edit', { file_path: 'f.txt', oldText: 'x', newText: 'y', replaceAll: true })
  const { match, replacements } = details as AgentEditDetails
  expect([replacements, match.places.length, match.places[0].line]).toEqual([200_000, 1000, 1])
  await toolkit.close()
})
