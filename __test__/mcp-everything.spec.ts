// The official server that has everything (`@modelcontextprotocol/server-everything`), as its package is: every tool, resource and prompt of it
// through the client.

import { gunzipSync } from 'node:zlib'

import { expect, onTestFinished, test, type TestContext } from 'vitest'

import { mcpSuite } from '../scripts/mcp-suite.mjs'
import { LONG, ready, textOf } from './support/mcp-servers.js'
import { failureOf } from './support/workspace.js'

/** A toolkit with the server, and what was asked of its host. */
async function everything({ skip }: TestContext) {
  const suite = mcpSuite()
  if ('missing' in suite) return skip(suite.missing)
  const asked: any[] = []
  const host = {
    elicit: (request: any) => (asked.push(request), { action: 'accept' as const, content: { name: 'Ada' } }),
    openUrl: (request: any) => (asked.push(request), true),
    sample: (request: any) => (asked.push(request), { content: 'Blue.', model: 'mine' }),
  }
  const program = `${suite.modules}/@modelcontextprotocol/server-everything/dist/index.js`
  const toolkit = await ready({ all: { command: process.execPath, args: [program, 'stdio'], required: true } }, { host, mcp: { exposeRoots: true } })
  onTestFinished(() => toolkit.close())
  // Some tools are listed when the server has learnt what its client can do.
  await expect.poll(() => toolkit.tools().some(({ name }) => name === 'mcp__all__trigger-sampling-request'), { timeout: 30_000 }).toBe(true)
  const call = async (name: string, params: object = {}, options = {}) => toolkit.execute(`mcp__all__${name}`, params, options)
  return { toolkit, call, asked }
}

/** What each tool is called with, and what its text must have. */
const CALLS: Record<string, [params: object, text: RegExp]> = {
  echo: [{ message: 'hello' }, /^Echo: hello$/],
  'get-annotated-message': [{ messageType: 'error' }, /^Error: Operation failed$/],
  'get-env': [{}, /"PATH"/],
  'get-resource-links': [{ count: 2 }, /Here are 2 resource links.*\[Resource: demo:\/\/resource\/dynamic\/text\/2 .*`read_mcp_resource`/s],
  'get-resource-reference': [{ resourceType: 'Text', resourceId: 7 }, /\[Resource: demo:\/\/resource\/dynamic\/text\/7\]\nResource 7: /],
  'get-structured-content': [{ location: 'Chicago' }, /"temperature"/],
  'get-sum': [{ a: 2, b: '40' }, /^The sum of 2 and 40 is 42\.$/],
  'get-tiny-image': [{}, /image you requested/],
  'gzip-file-as-resource': [{ name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }, /application\/gzip/],
  'toggle-simulated-logging': [{}, /./],
  'toggle-subscriber-updates': [{}, /./],
  'trigger-long-running-operation': [{ duration: 1, steps: 2 }, /completed\. Duration: 1 seconds, Steps: 2/],
  'get-roots-list': [{}, /URI: file:\/\//],
  'trigger-elicitation-request': [{}, /- Name: Ada/],
  'trigger-url-elicitation': [{ url: 'https://example.com/connect' }, /./],
  'trigger-sampling-request': [{ prompt: 'Name a colour.' }, /"text": "Blue\."/],
}

test('every tool of it runs, but the one that wants the tasks of 2025-11-25', LONG, async (context) => {
  const { toolkit, call, asked } = await everything(context)
  const names = toolkit
    .tools()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('mcp__all__'))
  expect(names.sort()).toEqual([...Object.keys(CALLS), 'simulate-research-query'].map((name) => `mcp__all__${name}`).sort())
  for (const [name, [params, text]] of Object.entries(CALLS)) expect([name, textOf(await call(name, params))]).toEqual([name, expect.stringMatching(text)])
  expect((await failureOf(call('simulate-research-query', { topic: 'x' }))).message).toContain('requires task augmentation')
  expect(asked.map((request) => request.url ?? request.messages?.length ?? Object.keys(request.schema.properties).length)).toEqual([
    expect.any(Number),
    'https://example.com/connect',
    1,
  ])
  expect(asked.at(-1)).toMatchObject({ server: 'all', temperature: 0.7, maxTokens: 100, systemPrompt: 'You are a helpful test server.' })
})

test('its structured results are details that fit their schema, its images are images, its progress is reported', LONG, async (context) => {
  const { call } = await everything(context)
  expect((await call('get-structured-content', { location: 'New York' })).details).toEqual({
    temperature: expect.any(Number),
    conditions: expect.any(String),
    humidity: expect.any(Number),
  })
  expect((await call('get-tiny-image')).content).toContainEqual({ type: 'image', mimeType: 'image/png', data: expect.any(String) })
  const updates: string[] = []
  await call('trigger-long-running-operation', { duration: 1, steps: 3 }, { onUpdate: (partial: any) => updates.push(textOf(partial)) })
  expect(updates.at(-1)).toBe('(3/3)')
})

test('every resource of it is listed and read, from templates too', LONG, async (context) => {
  const { toolkit } = await everything(context)
  const resources = await toolkit.mcp.resources('all')
  expect(resources.length).toBeGreaterThan(5)
  for (const { uri } of resources) {
    const { contents } = await toolkit.mcp.readResource('all', uri)
    expect(contents).toEqual([expect.objectContaining({ uri, text: expect.stringMatching(/\S/) })])
    expect(textOf(await toolkit.execute('read_mcp_resource', { server: 'all', uri }))).toMatch(/\S/)
  }
  expect((await toolkit.mcp.resourceTemplates('all')).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'demo://resource/dynamic/text/{resourceId}',
    'demo://resource/dynamic/blob/{resourceId}',
  ])
  expect(textOf(await toolkit.execute('read_mcp_resource', { server: 'all', uri: 'demo://resource/dynamic/text/3' }))).toMatch(
    /^Resource 3: This is a plaintext resource/,
  )
  const { contents } = await toolkit.mcp.readResource('all', 'demo://resource/dynamic/blob/3')
  expect(Buffer.from(contents[0].blob, 'base64').toString()).toMatch(/^Resource 3: /)
  const list = textOf(await toolkit.execute('list_mcp_resources', {}))
  for (const { uri } of resources) expect(list).toContain(uri)
  // What a tool made is a resource of the session.
  const made: any = await toolkit.execute('mcp__all__gzip-file-as-resource', { name: 'b.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' })
  const uri = /Resource: (\S+b\.gz)/.exec(textOf(made))![1]!
  expect(gunzipSync(Buffer.from((await toolkit.mcp.readResource('all', uri)).contents[0].blob, 'base64')).toString()).toBe('hello')
})

test('every prompt of it is got, with and without arguments', LONG, async (context) => {
  const { toolkit } = await everything(context)
  const given: Record<string, Record<string, string> | undefined> = {
    'simple-prompt': undefined,
    'args-prompt': { city: 'Paris', state: 'Texas' },
    'completable-prompt': { department: 'Engineering', name: 'Alice' },
    'resource-prompt': { resourceType: 'Text', resourceId: '1' },
  }
  expect((await toolkit.mcp.prompts('all')).map(({ name }) => name).sort()).toEqual(Object.keys(given).sort())
  const texts: Record<string, string> = {}
  for (const [name, args] of Object.entries(given)) texts[name] = JSON.stringify((await toolkit.mcp.getPrompt('all', name, args)).messages)
  expect(texts['args-prompt']).toContain('Paris')
  expect(texts['args-prompt']).toContain('Texas')
  expect(texts['completable-prompt']).toContain('Alice')
  expect(texts['resource-prompt']).toContain('demo://resource/dynamic/text/1')
  expect((await failureOf(toolkit.mcp.getPrompt('all', 'args-prompt'))).message).toMatch(/city/)
  expect(toolkit.mcp.instructions('all')).toMatch(/Everything Server/)
})
