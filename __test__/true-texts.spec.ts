// Texts that said what was not so.

import { expect, test } from 'vitest'

import { estimateTokens } from '../index.js'
import { failureOf, toolkitOf } from './support/workspace.js'

const textOf = ({ content }: any): string => content[0].text
const until = async (condition: () => Promise<boolean>) => {
  for (const end = Date.now() + 20_000; !(await condition()); await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (Date.now() > end) throw new Error('never came')
  }
}
const onUnix = test.skipIf(process.platform === 'win32')

onUnix('polls have the budget of tokens that commands have', async () => {
  const command = 'seq 1 200000'
  const agent = toolkitOf()
  const { sessionId } = (await agent.execute('exec', { command: `${command}; touch done; sleep 60`, background: true })).details as any
  await until(async () => (await agent.execute('ls', {})).content.some((part) => 'text' in part && part.text.includes('done')))
  const polled = textOf(await agent.execute('process', { action: 'poll', sessionId }))
  expect({ isBounded: estimateTokens(polled) <= 10_100, hasStart: polled.startsWith('1\n2\n'), hasEnd: polled.includes('\n200000\n') }).toEqual({
    isBounded: true,
    hasStart: true,
    hasEnd: true,
  })
  expect(polled).toMatch(/\[… [\d]+ lines omitted: `output:\/\/1:\d+-\d+`\]/)
  expect(polled).toMatch(/\[[\d,]+ of 200,000 lines shown\. Full output: `output:\/\/1`; read or grep it\.\]/)
})

onUnix('BashOutput has the budget of tokens that commands have, and what it does not show can be read', async () => {
  for (const lines of [200_000, 8_000]) {
    const toolkit = toolkitOf({}, { dialect: 'canonical' })
    const started: any = await toolkit.execute('Bash', { command: `seq 1 ${lines}; touch done; sleep 60`, run_in_background: true })
    await until(async () => textOf(await toolkit.execute('Glob', { pattern: 'done' })).includes('done'))
    const { content, details }: any = await toolkit.execute('BashOutput', {
      bash_id: started.details.background_id ?? started.details.shell_id ?? started.details.backgroundTaskId,
    })
    const text = content[0].text
    expect(estimateTokens(text)).toBeLessThan(10_200)
    expect(text).toMatch(
      /^<status>running<\/status>\n\n<stdout>\n1\n2\n[^]*\n\[[\d,]+ of [\d,]+ lines shown\. Full output: `output:\/\/1`; read or grep it\.\]\n<\/stdout>$/,
    )
    expect(details.stdout).toContain(`\n${lines}\n`)
    const [, first] = /`output:\/\/1:(\d+)-\d+`/.exec(text) ?? []
    expect(textOf(await toolkit.execute('Read', { file_path: `output://1:${first}` }))).toContain(first)
  }
})

onUnix('a denial names the part of a command that is denied', async () => {
  const toolkit = toolkitOf({ '.env': 'A=1\n', 'a.txt': 'x\n' }, { permissions: { deny: ['Read(.env*)', 'Bash(rm:*)'] } })
  const refusal = async (command: string) => (await failureOf(toolkit.execute('exec', { command }))).message
  expect(await Promise.all(['git status && cat .env', 'ls && cat a.txt && cat .env', 'cat .env', 'ls; rm a.txt'].map(refusal))).toEqual([
    'Denied by the rule `Read(.env*)`. That is about reading `.env`. Do not retry the same call.',
    'Denied by the rule `Read(.env*)`. That is about reading `.env`. Do not retry the same call.',
    'Denied by the rule `Read(.env*)`. Do not retry the same call.',
    'Denied by the rule `Bash(rm:*)`. That is about the command `rm a.txt`. Do not retry the same call.',
  ])
})

test('a text with a line break is no invalid regular expression', async () => {
  const files = { 'a.txt': 'a\nb\n' }
  const message = async (dialect: any, tool: string, params: object) =>
    (await failureOf(toolkitOf(files, { dialect }).execute(tool as never, params as never))).message
  const beginning = '`a\nb` has a line break, but lines are searched one by one. To match across lines, '
  expect([
    await message('agent', 'grep', { pattern: 'a\nb', literal: true }),
    await message('manager', 'search_code', { query: 'a\nb' }),
    await message('acp', 'search_files', { query: 'a\nb' }),
  ]).toEqual([
    `${beginning}set \`multiline: true\` or search for one of the lines.`,
    `${beginning}search for one of the lines.`,
    `${beginning}search for one of the lines.`,
  ])
})

test('a search that takes no path does not advise one', async () => {
  const files = { '.gitignore': 'ign/\n', 'ign/z.txt': 'needle2\n' }
  const found = textOf(await toolkitOf(files, { dialect: 'manager' }).execute('search_code', { query: 'needle2' } as never))
  expect(found).toContain('No match in the files that are searched, but `ign/z.txt` matches')
  expect(found).not.toContain('Search in')
  expect(textOf(await toolkitOf(files).execute('grep', { pattern: 'needle2' }))).toContain('Search in `ign` to include it')
})

test('the calls of the main session are counted', async () => {
  const runAgent = async (_: unknown, { tools }: any) => {
    await tools[0].execute('x', {})
    return { summary: 'x' }
  }
  const toolkit = toolkitOf({}, { host: { agents: [{ name: 's', description: 'd', tools: ['ls'] }], runAgent } as never })
  for (let call = 0; call < 5; call += 1) await toolkit.execute('ls', {})
  await toolkit.execute('task', { agent: 's', objective: 'o' } as never)
  const { details }: any = await toolkit.execute('sessions_list', {} as never)
  // The list itself is one of them.
  expect(Object.fromEntries(details.sessions.map(({ kind, toolCalls }: any) => [kind, toolCalls]))).toEqual({ agent: 1, main: 7 })
  expect(textOf(await toolkit.execute('session_status', {} as never)).split('\n')[0]).toContain('(main, 8 calls)')
})

test('small texts say what is so', async () => {
  const canonical = toolkitOf({ b: 'line of text\n'.repeat(900) }, { dialect: 'canonical' })
  expect(textOf(await canonical.execute('Grep', { pattern: 'line', '-C': 2, head_limit: 1 } as never))).toContain('[1 of 900 matches shown. ')
  expect((canonical.tool('Grep').parameters as any).properties.head_limit.description).toBe(
    'Maximum number of matches, or of files in the other modes. 0 for all.',
  )
  const hooked = toolkitOf({}, { hooks: { before: () => ({ deny: '' }) } as never })
  expect((await failureOf(hooked.execute('ls', {}))).message).toBe('`ls` was denied by a hook of the host. Do not retry the same call.')
  const closed = toolkitOf()
  await closed.close()
  expect(() => closed.checkpoint()).toThrow('The toolkit is closed. Create a new one.')
})

test('a command is advised only where a tool runs one', async () => {
  const files = { 'b.bin': Buffer.from([0, 1, 255]) }
  const refusal = async (dialect: any, tool: string, params: object) =>
    (await failureOf(toolkitOf(files, { dialect }).execute(tool as never, params as never))).message
  const begin = '`b.bin` is a binary file (3 bytes) and cannot be shown as text. '
  expect([
    await refusal('agent', 'read', { file_path: 'b.bin' }),
    await refusal('manager', 'read_file', { path: 'b.bin' }),
    await refusal('manager', 'run_tests', {}),
  ]).toEqual([
    `${begin}Use \`exec\` to inspect or convert it.`,
    `${begin}Set \`encoding\` to \`base64\` to get its bytes.`,
    'No test runner was found in the workspace: no `package.json` with vitest, jest, mocha or `node --test`, no `Cargo.toml` or `go.mod`, and no pytest configuration or tests. If a subdirectory has tests, pass one of its test files as `file`.',
  ])
})
