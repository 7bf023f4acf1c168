// Who says what where the engine is elsewhere: this side refuses by the words of a call before anything is sent, the engine by all that it knows.

import { symlinkSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { unix } from '../remote.js'
import { engineOf, recording, remoteOf } from './support/remote.js'
import { runScript } from './support/run.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

/** What came of a call, without what differs from run to run. */
async function outcomeOf(toolkit: any, [name, params]: [string, object]) {
  const outcome = await toolkit.execute(name, params).then(
    ({ content, details }: any) => ({ content, details: { ...details, durationMs: 0 } }),
    (error: any) => ({ error_type: error.error_type, message: error.message, details: error.details }),
  )
  return JSON.stringify(outcome)
}

const permissions = {
  deny: ['Read(.env)', 'Edit(secret/**)', 'Bash(rm:*)', 'Bash(curl:*) after network'],
  ask: ['Bash(git push:*)'],
}
const withDeploy = { ...permissions, deny: [...permissions.deny, 'deploy'] }
const files = { 'a.txt': 'a\n', '.env': 'KEY=1\n', 'secret/b.txt': 'b\n', 'x/c.txt': 'c\n', 'package.json': '{}' }
const customTools = [
  { name: 'deploy', description: 'Deploys.', parameters: { type: 'object', properties: {} }, effects: 'observe' as const, handler: async () => 'deployed' },
]

describe('a call that a rule denies by its words', () => {
  const denied: [string, object][] = [
    ['read', { file_path: '.env' }],
    ['read', { file_path: './x/../.env' }],
    ['edit', { file_path: 'secret/b.txt', edits: [{ oldText: 'b', newText: 'sesame' }] }],
    ['write', { file_path: 'secret/new/c.txt', content: 'sesame' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: secret/b.txt\n@@\n-b\n+sesame\n*** End Patch' }],
    ['exec', { command: 'echo sesame && rm -rf x' }],
    ['exec', { command: 'cat .env # sesame' }],
    ['deploy', {}],
  ]

  test.each(denied)('never leaves this machine, and fails as it does here: %s %j', async (name, params) => {
    const { socket } = await engineOf()
    const { via, sent } = recording(socket)
    const { toolkit, root } = remoteOf(via, files, { permissions: withDeploy, customTools })
    await toolkit.ready()
    const here = toolkitOf(files, { permissions: withDeploy, customTools, tools: { deny: ['group:web'] } })
    const before = sent().length
    const outcome = await outcomeOf(toolkit, [name, params])
    expect(outcome).toContain('"error_type":"permission_denied"')
    expect(outcome.replaceAll(root, '')).toBe((await outcomeOf(here, [name, params])).replaceAll(String((here as any).root ?? root), ''))
    expect(sent().slice(before)).not.toContain('"method":"call"')
    expect(sent()).not.toContain('sesame')
  })

  test('is in the history, the events and the telemetry, in order', async () => {
    const { socket } = await engineOf()
    const telemetry: any[] = []
    const { toolkit } = remoteOf(unix(socket), files, { permissions, onTelemetry: (event: any) => void telemetry.push(event) })
    const events: any[] = []
    toolkit.on('*', (event: any) => void events.push(event))
    await toolkit.execute('read', { file_path: 'a.txt' })
    await failureOf(toolkit.execute('read', { file_path: '.env' }))
    await toolkit.execute('exec', { command: 'cat a.txt' })
    const outcomes = (calls: any[]) => calls.map(({ tool, outcome, decision }) => [tool, outcome, decision])
    const expected = [
      ['read', 'ok', 'allow'],
      ['read', 'permission_denied', 'deny'],
      ['exec', 'ok', 'allow'],
    ]
    expect(outcomes(toolkit.history())).toEqual(expected)
    expect(outcomes(await toolkit.promises.history())).toEqual(expected)
    expect(telemetry.map(({ success }) => success)).toEqual([true, false, true])
    const ran = (tool: string) => [`called ${tool}`, `judged ${tool} allow`, `started ${tool}`, `finished ${tool}`]
    const steps = events.filter(({ type }) => type !== 'update').map(({ type, tool, verdict }) => [type, tool, verdict].filter(Boolean).join(' '))
    expect(steps).toEqual([...ran('read'), 'called read', 'judged read deny', 'finished read', ...ran('exec')])
  })
})

describe('a call that its words do not decide', () => {
  const open: [string, object][] = [
    ['read', { file_path: 'a.txt' }],
    ['read', { file_path: 'missing.txt' }],
    ['read', { file_path: '/etc/hostname' }],
    ['edit', { file_path: 'a.txt', edits: [{ oldText: 'a', newText: 'A' }] }],
    ['grep', { pattern: 'A|KEY' }],
    ['find', { pattern: '**/*' }],
    ['ls', {}],
    ['exec', { command: 'cat *.txt; ls -la x; for f in x/*; do head -1 "$f"; done' }],
    ['exec', { command: 'cd x && cat *' }],
    ['exec', { command: 'npm --version >/dev/null; node -e "1" && echo done' }],
    ['exec', { command: 'echo curl' }],
    ['exec', { command: 'cat "$HOME/nothing" 2>/dev/null || true' }],
    ['exec', { command: 'grep -r KEY x || echo none' }],
    ['exec', { command: 'git push origin main' }],
    ['read', { wrong: 1 }],
    ['nothing', {}],
  ]

  test('ends as it does here', async () => {
    const { socket } = await engineOf()
    const { toolkit, root } = remoteOf(unix(socket), files, { permissions })
    const here = workspaceOf(files)
    const local = toolkitOf(files, { permissions, workspace: here, tools: { deny: ['group:web'] } })
    await toolkit.ready()
    for (const call of open) {
      const there = (await outcomeOf(toolkit, call)).replaceAll(root, '/w')
      expect([call, there]).toEqual([call, (await outcomeOf(local, call)).replaceAll(here, '/w')])
    }
  })

  test('is denied by the engine for what only it knows: where a link leads', async () => {
    const { socket } = await engineOf()
    const { via, sent } = recording(socket)
    const { toolkit, root } = remoteOf(via, files, { permissions })
    symlinkSync('.env', path.join(root, 'harmless.txt'))
    expect((await failureOf(toolkit.execute('read', { file_path: 'harmless.txt' }))).error_type).toBe('permission_denied')
    expect(sent()).toContain('harmless.txt')
  })

  test('goes to the engine where hooks may make another one of it', async () => {
    const { socket } = await engineOf()
    const hooks = { before: async ({ params }: any) => ({ params: { ...params, file_path: 'a.txt' } }) }
    const { toolkit } = remoteOf(unix(socket), files, { permissions, hooks })
    expect((await toolkit.execute('read', { file_path: '.env' })).content).toEqual([{ type: 'text', text: 'a\n' }])
  })
})

test('parameters are checked on this side at once', async () => {
  const { socket } = await engineOf()
  const { toolkit } = remoteOf(unix(socket), files, { customTools })
  expect(toolkit.validateParams('read', { file_path: 'a.txt' })).toEqual({ valid: true })
  expect(toolkit.validateParams('read', {})).toMatchObject({ valid: false, errors: [{ param: 'file_path' }] })
  expect(toolkit.validateParams('deploy', {})).toEqual({ valid: true })
  expect(toolkit.validateParams('nothing', {})).toMatchObject({ valid: false, errors: [{ code: 'TOOL_NOT_FOUND' }] })
})

test('a side without the addon works: the engine alone decides', async () => {
  const { socket } = await engineOf()
  const root = workspaceOf(files)
  const { stdout, code } = await runScript(
    `
    const { remote, unix } = require(${JSON.stringify(path.resolve('remote.js'))})
    const toolkit = new tenon.Toolkit({ workspace: remote({ path: ${JSON.stringify(root)}, via: unix(${JSON.stringify(socket)}) }), permissions: { deny: ['Read(.env)'] } })
    ;(async () => {
      const { content } = await toolkit.execute('read', { file_path: 'a.txt' })
      const denied = await toolkit.execute('read', { file_path: '.env' }).catch((error) => error.error_type)
      console.log(JSON.stringify([content[0].text, denied, toolkit.history().length]))
      try { toolkit.validateParams('read', {}) } catch (error) { console.log(error.details.code) }
      await toolkit.close()
    })()`,
    { env: { TENON_NATIVE_PATH: '/nowhere/tenon.node' } } as any,
  )
  expect([stdout.trim().split('\n'), code]).toEqual([['["a\\n","permission_denied",2]', 'elsewhere'], 0])
})

test('tools of this side work where the files are', async () => {
  const { socket } = await engineOf()
  const seen: any[] = []
  const tool = {
    name: 'report',
    description: 'Writes a report.',
    parameters: { type: 'object', properties: {} },
    effects: 'observe' as const,
    handler: async (_: any, { workspace }: any) => {
      await workspace.writeTextFile({ path: 'out/report.txt', content: 'one\ntwo\n' })
      const denied = await failureOf(workspace.readTextFile({ path: '.env' }))
      seen.push(
        await workspace.readTextFile({ path: 'out/report.txt', startLine: 2, endLine: 2 }),
        await workspace.listDirectory({ path: 'out' }),
        denied.error_type,
      )
      return (await workspace.run({ command: 'pwd' })).stdout
    },
  }
  const { toolkit, root } = remoteOf(unix(socket), files, { permissions, customTools: [tool] })
  const { content } = await toolkit.execute('report', {})
  expect(content).toEqual([{ type: 'text', text: `${root}\n` }])
  expect(seen).toEqual(['two', [{ name: 'report.txt', type: 'file' }], 'permission_denied'])
  const local = toolkitOf(files, { permissions, customTools: [tool] })
  await local.execute('report', {})
  expect(seen.slice(3)).toEqual(seen.slice(0, 3))
})
