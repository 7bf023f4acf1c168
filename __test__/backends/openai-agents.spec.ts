// `sandboxClient` of `tenon/openai-agents` in the OpenAI Agents SDK itself: a `SandboxAgent` over a loopback Responses API.

import { readFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { remote, unix } from '../../remote.js'
import { startEngine } from '../support/engine.js'
import { PNG, packagesOf, scriptedApi } from '../support/frameworks.js'
import { workspaceOf } from '../support/workspace.js'

const agents = require('../../js/adapters/openai-agents.js')
const packages = packagesOf('openai-agents')

describe.skipIf(packages.missing)(`OpenAI Agents (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)
  const { sandboxClient } = agents.adapterOver(
    packages.missing === undefined ? { ...load('@openai/agents'), loadSandbox: async () => load('@openai/agents/sandbox') } : { tool: () => {} },
  )
  const call = (id: string, name: string, input: object) => ({
    type: 'function_call',
    id: `f${id}`,
    call_id: id,
    name,
    status: 'completed',
    arguments: JSON.stringify(input),
  })
  const response = (output: object[]) => ({
    id: 'r',
    object: 'response',
    status: 'completed',
    model: 'm',
    output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  })
  const done = response([
    { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }] },
  ])

  test('an agent runs commands in it, elsewhere, under its rules', async () => {
    const engine = await startEngine()
    onTestFinished(engine.stop)
    const root = workspaceOf({ 'a.txt': 'one\n' })
    const { OpenAIProvider, Runner, setTracingDisabled } = load('@openai/agents')
    const { Manifest, SandboxAgent, shell } = load('@openai/agents/sandbox')
    setTracingDisabled(true)
    const api = await scriptedApi([
      response([call('1', 'exec_command', { cmd: 'cat a.txt given.txt; pwd' }), call('2', 'exec_command', { cmd: 'rm a.txt' })]),
      done,
    ])
    const client = sandboxClient({ workspace: remote({ path: root, via: unix(engine.socket) }), permissions: { deny: ['Bash(rm:*)'] } })
    const manifest = new Manifest({ root: '/workspace', entries: { 'given.txt': { type: 'file', content: 'two\n' } } })
    const agent = new SandboxAgent({ name: 'tester', model: 'm', defaultManifest: manifest, capabilities: [shell()] })
    const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: 'none', baseURL: `${api.url}/v1`, useResponses: true }) })
    const result = await runner.run(agent, 'Go.', { sandbox: { client } })
    expect(result.finalOutput).toBe('done')
    const outputs = Object.fromEntries(
      api.requests
        .at(-1)
        .input.filter(({ type }: any) => type === 'function_call_output')
        .map(({ call_id, output }: any) => [call_id, typeof output === 'string' ? output : JSON.stringify(output)]),
    )
    expect(outputs['1']).toContain(`Process exited with code 0`)
    expect(outputs['1']).toContain(`one`)
    expect(outputs['1']).toContain(`two`)
    expect(outputs['2']).toContain('Denied by the rule `Bash(rm:*)`')
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('its session does what those of the SDK do', async () => {
    const { Manifest } = load('@openai/agents/sandbox')
    const root = workspaceOf({ 'src/b.ts': 'b\n', 'dot.png': PNG })
    const client = sandboxClient({ workspace: root })
    const session = await client.create({ manifest: new Manifest({ root: '/workspace' }) })
    onTestFinished(() => session.close())
    expect(await session.exec({ cmd: 'echo one; exit 3' })).toMatchObject({ output: 'one\n', stdout: 'one\n', exitCode: 3 })
    const running = await session.exec({ cmd: 'cat', yieldTimeMs: 100 })
    expect(running).toMatchObject({ sessionId: 1 })
    expect(await session.writeStdin({ sessionId: 1, chars: 'typed\n', yieldTimeMs: 1000 })).toContain('typed')
    expect(await session.writeStdin({ sessionId: 1, chars: '\u0003', yieldTimeMs: 5000 })).toContain('Process exited with code')
    expect(Buffer.from(await session.readFile({ path: '/workspace/src/b.ts' })).toString()).toBe('b\n')
    expect(await session.listDir({ path: '/workspace/src' })).toEqual([{ name: 'b.ts', path: 'src/b.ts', type: 'file' }])
    expect(await session.pathExists('/workspace/none')).toBe(false)
    expect(await session.directoryExists('/workspace/src')).toBe(true)
    expect(await session.viewImage({ path: 'dot.png' })).toMatchObject({ type: 'image', image: { mediaType: 'image/png' } })
    const editor = session.createEditor()
    expect(await editor.updateFile({ type: 'update_file', path: '/workspace/src/b.ts', diff: '@@\n-b\n+c\n' })).toMatchObject({ status: 'completed' })
    expect(readFileSync(path.join(root, 'src/b.ts'), 'utf8')).toBe('c\n')
    const state = await client.deserializeSessionState(await client.serializeSessionState(session.state))
    const again = await client.resume(state)
    onTestFinished(() => again.close())
    expect(await again.pathExists('/workspace/src/b.ts')).toBe(true)
  })

  test('its session answers as that of the SDK on this machine does, in 200 operations', async () => {
    const { Manifest, UnixLocalSandboxClient } = load('@openai/agents/sandbox/local')
    const manifest = () =>
      new Manifest({ root: '/workspace', entries: { 'a.txt': { type: 'file', content: 'one\ntwo\n' }, 'src/b.ts': { type: 'file', content: 'b\n' } } })
    const sessions = [
      await new UnixLocalSandboxClient().create({ manifest: manifest() }),
      await sandboxClient({ workspace: workspaceOf() }).create({ manifest: manifest() }),
    ]
    onTestFinished(async () => {
      for (const session of sessions) await session.close()
    })
    let seed = 11
    const next = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most
    const names = ['a.txt', 'src/b.ts', 'src/c.md', 'deep/er/d.txt']
    // Its own throws, and says nothing of a success.
    const edited = async (work: Promise<any>) => {
      if ((await work)?.status === 'failed') throw new Error('it was not edited')
    }
    const outcome = (work: () => Promise<any>) =>
      work().then(
        (value) => ({ value }),
        () => 'failed',
      )
    for (let step = 0; step < 200; step += 1) {
      const name = names[next(names.length)] as string
      const text = ['one\ntwo\n', 'x\n', 'α β\n'][next(3)]
      const made = [
        async (session: any) => Buffer.from(await session.readFile({ path: name })).toString(),
        (session: any) => session.pathExists(name),
        (session: any) => session.directoryExists('deep'),
        async (session: any) => (await session.listDir({ path: 'src' })).map((entry: any) => [entry.name, entry.type]).sort(),
        async (session: any) => {
          const { output, exitCode } = await session.exec({ cmd: `cat ${name} 2>/dev/null | wc -c` })
          return [output.trim(), exitCode]
        },
        async (session: any) => (await session.exec({ cmd: `mkdir -p "$(dirname ${name})" && printf '%s' "${text}" > ${name}; exit ${step % 3}` })).exitCode,
        async (session: any) => {
          // Here it is a failure that a file is missing, or that a command has changed it since it was read.
          if (!(await session.pathExists(name))) return 'missing'
          await session.readFile({ path: name })
          return edited(session.createEditor().deleteFile({ type: 'delete_file', path: name }))
        },
        async (session: any) => {
          await session.readFile({ path: name })
          return edited(session.createEditor().updateFile({ type: 'update_file', path: name, diff: '@@\n-one\n+eins\n' }))
        },
        async (session: any) => {
          if (await session.pathExists(name)) return 'there'
          await edited(session.createEditor().createFile({ type: 'create_file', path: name, diff: '+made\n' }))
          // Here its last line has an end, as lines of files do; there it has none.
          await session.exec({ cmd: `printf made > ${name}` })
          return 'made'
        },
      ][next(9)] as (session: any) => Promise<any>
      const [expected, answered] = [await outcome(() => made(sessions[0])), await outcome(() => made(sessions[1]))]
      expect(answered, `${step}: ${made} ${name}`).toEqual(expected)
    }
  }, 60_000)
})
