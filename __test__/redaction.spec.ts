// Secrets stay out of results whatever brings them: a server, an own tool, a hook, a sub-agent, an engine elsewhere, a command in the background.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test, vi } from 'vitest'

import { Toolkit, type ProcessEvent } from '../index.js'
import { command } from '../remote.js'
import { fake, ready, textOf } from './support/mcp-servers.js'
import { ENGINE, remoteOf } from './support/remote.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const TOKEN = 'ghp_X1B2c3D4ea1B2c3D4ea1B2c3D4ea1B2c3D4e'
const MARK = '[redacted: GitHub token, 40 characters]'
const OPEN = { permissions: { defaultMode: 'allow' as const } }

/** Everything that a value has in it, as text. */
const textIn = (value: unknown) => JSON.stringify(value, (_, member) => (member instanceof Error ? { ...member, message: member.message } : member))
const leaks = (value: unknown) => textIn(value).includes('X1B2c3D4')

test('a result of an MCP server, its structure and its error have marks', async () => {
  const toolkit = await ready({ fake: fake({ tools: ['echo', 'mistyped', 'failing'] }) })
  const result = await toolkit.execute('mcp__fake__echo', { text: `the key is ${TOKEN}` })
  expect(textOf(result)).toBe(`the key is ${MARK}`)
  expect(leaks(result)).toBe(false)
  const structured = await toolkit.execute('mcp__fake__mistyped', { value: { deep: [{ key: TOKEN }] } }).catch((error: unknown) => error)
  expect(leaks(structured)).toBe(false)
  await toolkit.close()
})

test('an own tool, its updates, its error and what a hook adds have marks', async () => {
  const updates: unknown[] = []
  const toolkit = toolkitOf({}, { ...OPEN, hooks: { after: (_: unknown, { content }: any) => `${content[0].text} and ${TOKEN}` } } as any)
  toolkit.registerTool({
    name: 'own',
    description: 'Own.',
    parameters: { type: 'object', properties: { fails: { type: 'boolean' } } },
    execute: (_: string, { fails }: any, __: unknown, onUpdate: any) => {
      onUpdate({ content: [{ type: 'text', text: `partial ${TOKEN} .` }], details: { key: TOKEN } })
      if (fails) throw new Error(`wrong key ${TOKEN}`)
      return { content: [{ type: 'text', text: `whole ${TOKEN}` }], details: { list: [{ key: TOKEN }] } }
    },
  } as never)
  const result: any = await toolkit.execute('own' as never, {} as never, { onUpdate: (update: unknown) => void updates.push(update) } as never)
  expect(textOf(result)).toBe(`whole ${MARK} and ${MARK}`)
  expect(result.details).toEqual({ list: [{ key: MARK }] })
  expect(updates.length).toBeGreaterThan(0)
  expect(leaks(updates)).toBe(false)
  const error = await failureOf(toolkit.execute('own' as never, { fails: true } as never))
  expect(error.message).toContain(`wrong key ${MARK}`)
  expect(leaks([toolkit.history(), error])).toBe(false)
  await toolkit.close()
})

test.skipIf(process.platform === 'win32')('events and the record of a background command show no values of a file of variables', async () => {
  const record = path.join(workspaceOf(), 'session.jsonl')
  const events: ProcessEvent[] = []
  const options = { ...OPEN, record, onProcess: (event: ProcessEvent) => void events.push(event) }
  const toolkit = toolkitOf({ '.env': 'PLAIN=zebrafish9\n' }, options)
  await toolkit.execute('exec', { command: 'cat .env; printf "Go on? "; read answer', background: true })
  await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('waiting'), { timeout: 20_000 })
  await toolkit.close()
  const recorded = readFileSync(record, 'utf8')
  expect(recorded).toContain('PLAIN=[redacted: value of a variable, 10 characters]')
  expect([recorded, textIn(events)].filter((text) => text.includes('zebrafish9'))).toEqual([])
})

test('what a sub-agent reports has marks, which mean the same for its parent', async () => {
  const workspace = workspaceOf({ 'config.js': `const a = '${TOKEN}'\n` })
  let seen = ''
  const toolkit = new Toolkit({
    workspace,
    ...OPEN,
    host: {
      runAgent: async (_: unknown, { toolkit: own }: any) => {
        seen = textOf(await own.execute('read', { file_path: 'config.js' }))
        return `found ${readFileSync(path.join(workspace, 'config.js'), 'utf8')}`
      },
    },
  } as any)
  const result = await toolkit.execute('task', { agent: 'a', objective: 'look' } as never)
  expect(seen).toBe(`const a = '${MARK}'\n`)
  expect(leaks([result, toolkit.history()])).toBe(false)
  await toolkit.execute('edit', { file_path: 'config.js', oldText: MARK, newText: `${MARK}${MARK}` })
  expect(readFileSync(path.join(workspace, 'config.js'), 'utf8')).toBe(`const a = '${TOKEN}${TOKEN}'\n`)
  await toolkit.close()
})

test('an engine elsewhere redacts before anything is sent', async () => {
  const { toolkit } = remoteOf(command([ENGINE, 'serve', '--stdio']), { 'config.js': `const a = '${TOKEN}'\n` }, OPEN)
  expect(textOf(await toolkit.execute('read', { file_path: 'config.js' }))).toBe(`const a = '${MARK}'\n`)
  const updates: unknown[] = []
  const started: any = await toolkit.execute(
    'exec',
    { command: 'cat config.js; sleep 0.3; cat config.js' },
    { onUpdate: (update: unknown) => void updates.push(update) },
  )
  expect(textOf(started)).toBe(`const a = '${MARK}'\nconst a = '${MARK}'\n`)
  expect(leaks([updates, started, toolkit.history()])).toBe(false)
  await toolkit.execute('edit', { file_path: 'config.js', oldText: MARK, newText: `${MARK}!` })
  expect(textOf(await toolkit.execute('exec', { command: 'grep -c "e!" config.js' }))).toBe('1\n')
})

test('a command in the background writes a key in pieces, and no poll, log, event or record shows a part of it', async () => {
  const workspace = workspaceOf({ 'key.txt': TOKEN })
  const record = path.join(workspaceOf({ a: '' }), 'session.jsonl')
  const toolkit = new Toolkit({ workspace, ...OPEN, record })
  const pieces = 'for at in 1 9 17 25 33; do cut -c$at-$((at+7)) key.txt | tr -d "\\n"; sleep 0.2; done; echo; echo over; sleep 30'
  const started: any = await toolkit.execute('exec', { command: pieces, background: true })
  const seen: unknown[] = []
  const { sessionId } = started.details
  for (const end = Date.now() + 30_000; !textIn(seen).includes('over') && Date.now() < end; ) {
    seen.push(await toolkit.execute('process', { action: 'poll', sessionId } as never), await toolkit.execute('process', { action: 'log', sessionId } as never))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const log = await toolkit.execute('process', { action: 'log', sessionId } as never)
  expect(textOf(log)).toContain(MARK)
  await toolkit.execute('process', { action: 'kill', sessionId } as never)
  await toolkit.close()
  const written = readFileSync(record, 'utf8')
  for (let at = 4; at + 12 <= TOKEN.length; at += 1) {
    expect(textIn([seen, log])).not.toContain(TOKEN.slice(at, at + 12))
    expect(written).not.toContain(TOKEN.slice(at, at + 12))
  }
})

test('output that is cut between its start and its end shows no part of a key at the cut', async () => {
  const toolkit = toolkitOf({}, { ...OPEN, limits: { outputLimitBytes: 1000 }, exec: { output: 'exact' } } as any)
  for (let before = 440; before < 510; before += 3) {
    const key = `ghp_Q${before}a1B2c3D4ea1B2c3D4ea1B2c3D4ea1B`.slice(0, 40)
    const command = `printf '%${before}s %s %3000s %s %${before}s' '' ${key} '' ${key} ''`
    const result = textIn(await toolkit.execute('exec', { command }))
    for (let at = 0; at + 10 <= 36; at += 1) expect(result, String(before)).not.toContain(key.slice(4 + at, 14 + at))
  }
  await toolkit.close()
})

test('what a refusal names is not what a mark stands for', async () => {
  const workspace = workspaceOf({ 'config.js': `const a = '${TOKEN}'\n` })
  const toolkit = new Toolkit({ workspace, ...OPEN })
  await toolkit.execute('read', { file_path: 'config.js' })
  writeFileSync(path.join(workspace, TOKEN), 'x')
  const refused = [
    await failureOf(toolkit.execute('write', { file_path: `/${MARK}`, content: '' })),
    await failureOf(toolkit.execute('edit', { file_path: `${MARK}/a`, oldText: 'a', newText: 'b' })),
    await failureOf(toolkit.execute('apply_patch', { input: `*** Begin Patch\n*** No ${MARK}\n*** End Patch` })),
  ]
  expect(leaks(refused)).toBe(false)
  await toolkit.close()
})

test('events and records show no secret that only the host or an earlier call knows', async () => {
  const workspace = workspaceOf({ 'k.txt': `k=${TOKEN}\n` })
  const record = path.join(workspaceOf({ a: '' }), 'session.jsonl')
  const toolkit = new Toolkit({ workspace, ...OPEN, record, redact: { patterns: [{ name: 'badge', pattern: 'EMP-[0-9]{6}' }] } })
  const seen: unknown[] = []
  toolkit.on('*', (event: unknown) => seen.push(event))
  await toolkit.execute('read', { file_path: 'k.txt' })
  // A letter before a key says that it is a part of something else, unless it is known by now.
  await toolkit.execute('exec', { command: `echo x${TOKEN} EMP-123456` })
  await toolkit.close()
  for (const text of [textIn(seen), readFileSync(record, 'utf8')]) {
    expect(text).toContain('called')
    expect(leaks(text)).toBe(false)
    expect(text).not.toContain('EMP-123456')
  }
})
