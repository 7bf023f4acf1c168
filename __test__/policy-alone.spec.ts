// `tenon/policy`: the policy for WebAssembly, which must answer as the same crate does natively, and never more mildly than a toolkit.

import { copyFileSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { beforeAll, expect, test } from 'vitest'

import { Toolkit } from '../index.js'
import type { PolicyEngine } from '../policy.js'
import { loadPolicyEngine } from '../policy.mjs'
import { ROOT, run } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const MODULE = path.join(ROOT, 'wasm', 'tenon-policy.wasm')
const isBuilt = existsSync(MODULE)
if (!isBuilt) console.warn('tenon/policy is not tested: it was not built (rustup target add wasm32-unknown-unknown, then node scripts/wasm.mjs)')
const moduleTest = test.runIf(isBuilt)

/** Types of the web are not part of the project. */
declare const WebAssembly: any
let engine: PolicyEngine | undefined
beforeAll(async () => {
  if (isBuilt) engine = await loadPolicyEngine()
})

moduleTest('the module answers every request as the native crate does', async () => {
  const rows = JSON.parse(readFileSync(path.join(ROOT, 'fixtures', 'policy-alone.json'), 'utf8'))
  // The requests as they are, past what the loader makes of them.
  const { instance } = await WebAssembly.instantiate(readFileSync(MODULE), {})
  const { memory, reserve, answer, release } = instance.exports
  const ask = (request: unknown) => {
    const bytes = new TextEncoder().encode(JSON.stringify(request))
    const address = reserve(bytes.length)
    new Uint8Array(memory.buffer, address, bytes.length).set(bytes)
    const packed = BigInt.asUintN(64, answer(address, bytes.length))
    const [place, length] = [Number(packed >> 32n), Number(packed & 0xffff_ffffn)]
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, place, length))
    release(place, length)
    return JSON.parse(text)
  }
  expect(rows.length).toBeGreaterThan(70)
  for (const { request, answer: expected } of rows) expect([request, ask(request)]).toEqual([request, expected])
})

/** The calls of the decisions that the policy is tested with, as commands. */
function commands(): string[] {
  const directory = path.join(ROOT, 'fixtures', 'decisions')
  const texts = readdirSync(directory).map((name) => readFileSync(path.join(directory, name), 'utf8'))
  const rows = texts.flatMap((text) => [...text.matchAll(/^\| (`+) ?(.+?) ?\1 \| (?:allow|ask|deny) \|/gm)].map(([, , call]) => call!))
  return [...new Set(rows.map((call) => call.replaceAll('\\|', '|').replaceAll('⏎', '\n').replaceAll('⇥', '\t')))]
}

moduleTest('commands are judged as by a toolkit over an empty workspace, but for what only the disk shows', { timeout: 120_000 }, async () => {
  const strictness = ['allow', 'ask', 'deny']
  const permissions = { allow: ['Bash(git:*)', 'Bash(ls:*)', 'Bash(cat:*)', 'Bash(grep:*)', 'Bash(npm:*)', 'Edit(src/**)'], deny: ['Read(.env)', 'Bash(rm:*)'] }
  const workspace = workspaceOf()
  const toolkit = new Toolkit({ workspace, permissions })
  const policy = engine!.compile({ permissions, workspace, home: process.env.HOME })
  // A quarter of some eight thousand.
  const some = commands().filter((_, index) => index % 4 === 0)
  expect(some.length).toBeGreaterThan(1500)
  const judged = some.map((command) => ({ command, here: policy.decide('exec', { command }).verdict, there: toolkit.decide('exec', { command }).verdict }))
  await toolkit.close()
  policy.close()
  expect(judged.filter(({ here, there }) => here === 'allow' && there === 'deny')).toEqual([])
  // Every name counts as a directory that is there, so that git is not asked about in one that is not.
  const milder = judged.filter(({ here, there }) => strictness.indexOf(here) < strictness.indexOf(there))
  expect(milder.length / judged.length).toBeLessThan(0.01)
  expect(judged.filter(({ here, there }) => here === there).length / judged.length).toBeGreaterThan(0.95)
})

moduleTest('the effects of an explanation and the preview of a request fit as they are', async () => {
  const permissions = { ask: ['Edit(src/**)', 'Bash', 'WebFetch'], deny: ['Bash(git push:*)'] }
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'src/a.ts': 'const a = 1\n' }), permissions, onApproval: () => 'never' })
  const policy = engine!.compile({ permissions, hasApprover: true })
  const calls = [
    ['exec', { command: 'cat src/a.ts && git push' }],
    ['exec', { command: 'make', cwd: 'src' }],
    ['edit', { file_path: 'src/a.ts', edits: [{ oldText: '1', newText: '2' }] }],
    ['read', { file_path: 'src/a.ts' }],
    ['web_fetch', { url: 'https://docs.example.com:8443/a?b' }],
  ] as const
  for (const [tool, params] of calls) {
    const explained = toolkit.explain(tool, params as any)
    const decided = policy.decide(tool, explained.effects)
    expect([tool, decided.verdict, decided.reason, decided.danger]).toEqual([tool, explained.verdict, explained.reason, explained.danger])
    const request = toolkit.approvalRequest(tool, params as any)
    if (request) expect(policy.decide(tool, request.preview).verdict).toBe('ask')
  }
  await toolkit.close()
})

moduleTest('the preview of a plan and of a changed definition fits', () => {
  const policy = engine!.compile({ permissions: { ask: ['exit_plan'] }, hasApprover: true })
  expect(policy.decide('exit_plan', { plan: 'Rename the file.' } as any).verdict).toBe('ask')
  expect(policy.decide('mcp__s__t', { definition: 'The description changed.' } as any).verdict).not.toBe('deny')
})

moduleTest('what cannot be used is refused with what to write instead', () => {
  const compile = (options: any) => () => engine!.compile(options)
  expect(compile({ permissons: {} })).toThrow(/^Unknown option `permissons`. Known options: `permissions`, /)
  expect(compile({ permissions: { deny: ['Bsh(x)'] } })).toThrow(/names the unknown tool `Bsh`/)
  expect(compile({ workspace: 'project' })).toThrow('The directory `project` is not an absolute path of the form `/srv/project`.')
  const policy = engine!.compile({ permissions: { deny: ['Read(.env)'] } })
  const decide =
    (...args: any[]) =>
    () =>
      (policy.decide as any)(...args)
  expect(decide('exec', 'ls')).toThrow('The second argument must be an object with what the call touches')
  expect(decide({ command: 'ls' })).toThrow('The first argument must be the name of a tool.')
  expect(decide('exec', { comand: 'ls' })).toThrow(/unknown field `comand`/)
  expect(decide('web_fetch', { urls: ['example.com'] })).toThrow('`example.com` is not an address of the form `https://host/path`.')
  expect(policy.decide('exec', {})).toMatchObject({ verdict: 'deny', danger: 'low' })
  policy.close()
  policy.close()
  expect(decide('exec', { command: 'ls' })).toThrow('The policy was closed.')
})

moduleTest('after a failure of the module the call throws, and everything else goes on', async () => {
  const other = await loadPolicyEngine(readFileSync(MODULE))
  const policy = other.compile({ permissions: { deny: ['Bash(rm:*)'] } })
  const { encode } = TextEncoder.prototype
  // A request that is longer than it says: the module reads what is not there and traps.
  TextEncoder.prototype.encode = function (text) {
    const bytes = encode.call(this, text)
    Object.defineProperty(bytes, 'length', { value: 2 ** 32 - 8 })
    return bytes
  }
  try {
    expect(() => policy.decide('exec', { command: 'rm x' })).toThrow('The policy engine failed on this call, so it is not decided. Treat it as denied.')
  } finally {
    TextEncoder.prototype.encode = encode
  }
  expect(policy.decide('exec', { command: 'rm x' }).verdict).toBe('deny')
})

moduleTest('it is loaded from CommonJS, from bytes, a module, a response and an address', async () => {
  const bytes = readFileSync(MODULE)
  const address = `data:application/wasm;base64,${bytes.toString('base64')}`
  const sources = [bytes, new WebAssembly.Module(bytes), new Response(bytes), address, Promise.resolve(new URL(address))]
  for (const source of sources) expect((await loadPolicyEngine(source as any)).compile().decide('exec', { command: 'ls' }).verdict).toBe('allow')
  const script =
    "require('./policy.js').loadPolicyEngine().then((engine) => console.log(engine.compile().explain('exec', { command: 'rm a' }).commands[0].program))"
  expect(await run(process.execPath, ['-e', script], { cwd: ROOT })).toMatchObject({ code: 0, stdout: 'rm\n' })
})

test('a package without the module says how to build it', async () => {
  const directory = workspaceOf()
  for (const name of ['policy.js', 'policy.mjs']) copyFileSync(path.join(ROOT, name), path.join(directory, name))
  const { code, stderr } = await run(process.execPath, ['-e', "require('./policy.js').loadPolicyEngine()"], { cwd: directory })
  expect(code).toBe(1)
  expect(stderr).toContain('`./wasm/tenon-policy.wasm` is missing from this package. In a clone of the project, build it: node scripts/wasm.mjs')
})
