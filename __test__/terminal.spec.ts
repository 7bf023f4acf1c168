// The command line at a real terminal: one of our own.

import { readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { testWith } from './support/programs.js'
import { ROOT } from './support/run.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const BIN = path.join(ROOT, 'bin/tenon.js')
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** A program at a terminal. */
async function terminal(command: string, workspace: string) {
  const toolkit = toolkitOf({}, { workspace })
  const { details } = await toolkit.execute('exec', { command, pty: true, background: true, columns: 200 } as never)
  const sessionId = (details as any).sessionId as string
  const process = (params: object) => toolkit.execute('process', { sessionId, ...params } as never)
  const log = async () => (await process({ action: 'log' })).content.map((part) => ('text' in part ? part.text : '')).join('')
  const until = async (pattern: RegExp) => {
    for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const found = pattern.exec(await log())
      if (found) return found[0]
    }
    throw new Error(`never came: ${pattern} in ${await log()}`)
  }
  return { submit: (data: string) => process({ action: 'submit', data }), keys: (keys: string[]) => process({ action: 'send_keys', keys }), until, log }
}

const tenon = (args: string[], workspace: string) =>
  terminal(`${quoted(process.execPath)} ${quoted(BIN)} ${args.map(quoted).join(' ')}; echo "CODE $?"`, workspace)

const rules = { 'rules.json': JSON.stringify({ permissions: { ask: ['Bash(touch:*)', 'Edit(a.txt)'], defaultMode: 'allow' } }), 'a.txt': 'one\n' }

/** Other shells than bash end with the program, and do not show its exit code. */
const afterCtrlC = testWith('bash').skipIf(process.platform === 'win32')

test.skipIf(process.platform === 'win32')('the clock of a call waits until the user has answered', async () => {
  const workspace = workspaceOf(rules)
  const args = ['call', 'exec', 'touch made', '-w', workspace, '-s', path.join(workspace, 'rules.json')]
  const { until, submit, log } = await tenon(args, workspace)
  await until(/n\) refuse/)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const asked = await log()
  expect(asked.split('\n').at(-1)).toBe('> ')
  await submit('y')
  await until(/CODE 0/)
})

test.skipIf(process.platform === 'win32')('output is shown while the command runs', async () => {
  const workspace = workspaceOf()
  const { until } = await tenon(['call', 'exec', 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo second', '-w', workspace], workspace)
  await until(/first/)
  const toolkit = toolkitOf({}, { workspace })
  await toolkit.execute('write', { file_path: 'go', content: '' })
  expect(await until(/second[^]*CODE \d/)).toMatch(/second\s+CODE 0/)
})

test.skipIf(process.platform === 'win32')('what a rule asks is asked at the terminal', async () => {
  const workspace = workspaceOf(rules)
  const args = ['call', 'exec', 'touch made', '-w', workspace, '-s', path.join(workspace, 'rules.json')]
  const refused = await tenon(args, workspace)
  const question = await refused.until(/exec requires approval[^]*n\) refuse[^]*> /)
  expect(question).toContain('$ touch made')
  // Nothing can be remembered for one call, and what is no answer is asked again.
  await refused.submit('a')
  await refused.submit('n')
  expect(await refused.until(/permission_denied[^]*CODE \d+/)).toMatch(/refused at the terminal\.\s+CODE 1$/)
  const allowed = await tenon(args, workspace)
  await allowed.until(/> /)
  await allowed.submit('y')
  await allowed.until(/CODE 0/)
  expect(readFileSync(path.join(workspace, 'made'), 'utf8')).toBe('')
})

test.skipIf(process.platform === 'win32')('a question shows the change, and Ctrl-C is exit code 130', async () => {
  const workspace = workspaceOf(rules)
  const edit = JSON.stringify({ file_path: 'a.txt', edits: [{ oldText: 'one', newText: 'two\u001b[2J' }] })
  const { until, keys } = await tenon(['call', 'edit', edit, '-w', workspace, '-s', path.join(workspace, 'rules.json')], workspace)
  const question = await until(/-one[^]*> /)
  expect(question).toContain('+two\\u{1b}[2J')
  await keys(['C-c'])
  await until(/CODE 130/)
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('one\n')
})

afterCtrlC('Ctrl-C ends a command with exit code 130', async () => {
  const workspace = workspaceOf()
  const { until, keys } = await tenon(['call', 'exec', 'echo ready; sleep 600', '-w', workspace], workspace)
  await until(/ready/)
  await keys(['C-c'])
  await until(/CODE 130/)
})

afterCtrlC('Ctrl-C ends the MCP server, the page and a log that waits with exit code 130', { timeout: 120_000 }, async () => {
  const call = { session: 's', toolCallId: 'c', tool: 'ls' }
  const lines = [
    { ...call, type: 'called', at: 1, params: { path: 'here' } },
    { ...call, type: 'finished', at: 2, success: true, durationMs: 1 },
  ]
  const workspace = workspaceOf({ 'session.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join('') })
  const record = path.join(workspace, 'session.jsonl')
  for (const [args, ready] of [
    [['mcp', '-w', workspace], /serving/],
    [['inspect', record], /Ctrl-C/],
    [['log', record, '--follow'], /ls here/],
  ] as const) {
    const { until, keys } = await tenon([...args], workspace)
    await until(ready)
    await keys(['C-c'])
    expect(await until(/CODE \d+/)).toBe('CODE 130')
  }
})

test.skipIf(process.platform === 'win32')('NO_COLOR turns colors off at a terminal', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const script = (environment: string) =>
    `env -u CI -u NO_COLOR -u FORCE_COLOR ${environment} TERM=xterm-256color ${quoted(process.execPath)} -e ${quoted(`console.log('COLORED ' + require(${JSON.stringify(path.join(ROOT, 'js/cli/style.js'))}).painter(process.stdout).isColoured)`)}`
  expect(await (await terminal(script(''), workspace)).until(/COLORED \w+/)).toBe('COLORED true')
  expect(await (await terminal(script('NO_COLOR=1'), workspace)).until(/COLORED \w+/)).toBe('COLORED false')
})

test.skipIf(process.platform === 'win32')('the approver for hosts asks at the terminal, remembers and refuses', async () => {
  const workspace = workspaceOf()
  const script = `const { Toolkit, terminalApprover } = require(${JSON.stringify(ROOT)})
    const toolkit = new Toolkit({ workspace: ${JSON.stringify(workspace)}, permissions: { defaultMode: 'ask' }, onApproval: terminalApprover() })
    const say = (call) => call.then(() => console.log('DONE'), (error) => console.log('FAILED ' + error.message))
    ;(async () => {
      await say(toolkit.execute('exec', { command: 'echo a' }))
      await say(toolkit.execute('exec', { command: 'echo a' }))
      await say(toolkit.execute('exec', { command: 'echo b' }))
      await toolkit.close()
      console.log('END')
    })()`
  const { until, submit, log } = await terminal(`${quoted(process.execPath)} -e ${quoted(script)}`, workspace)
  await until(/\$ echo a[^]*a\) always allow Bash\(echo a\)[^]*> /)
  await submit('a')
  // The second call is not asked.
  await until(/DONE[^]*DONE[^]*\$ echo b[^]*> /)
  await submit('no')
  await until(/FAILED [^]*END/)
  expect((await log()).match(/exec requires approval \(danger/g)).toHaveLength(2)
})

test('an approver without a terminal refuses', async () => {
  const { terminalApprover } = await import('../index.js')
  const input = { isTTY: false, on() {}, once() {}, off() {}, pause() {} }
  const request = { tool: 'exec', params: {}, toolCallId: 'x', reason: 'r', explanation: 'e', danger: 'high', preview: {}, remembers: [], digest: 'd' } as const
  await expect(terminalApprover({ input })({ ...request, remembers: [] }, { signal: new AbortController().signal })).rejects.toThrow('not a terminal')
})
