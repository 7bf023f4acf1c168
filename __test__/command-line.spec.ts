import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ROOT, run } from './support/run.js'
import { isAlive, toolkitOf, until, workspaceOf } from './support/workspace.js'

const tenon = (args: string[], options: Parameters<typeof run>[2] = {}) => run(process.execPath, [path.join(ROOT, 'bin/tenon.js'), ...args], options)

test('tools lists the tools of a dialect', async () => {
  const { code, stdout, stderr } = await tenon(['tools'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^read +\S/m)
  expect((await tenon(['tools', '--dialect', 'canonical'])).stdout).toMatch(/^Read +\S/m)
  const definitions = JSON.parse((await tenon(['tools', '--json', '-d', 'canonical'])).stdout)
  expect(definitions[0]).toEqual({ name: 'Read', description: expect.any(String), inputSchema: expect.objectContaining({ type: 'object' }) })
})

test('call runs a tool over a folder, with parameters as an argument or from standard input', async () => {
  const workspace = workspaceOf({ 'a.txt': 'hello\n' })
  expect(await tenon(['call', 'read', '{"file_path": "a.txt"}', '--workspace', workspace])).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' })
  expect(await tenon(['call', 'read', '-'], { input: '{"file_path": "a.txt"}', cwd: workspace })).toMatchObject({ code: 0, stdout: 'hello\n' })
  expect((await tenon(['call', 'ls'], { cwd: workspace })).stdout).toContain('a.txt')
  const { stdout } = await tenon(['call', 'Read', JSON.stringify({ file_path: path.join(workspace, 'a.txt') }), '-d', 'canonical', '--json', '-w', workspace])
  expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: 'text' }], details: { total_lines: 1 } })
})

test('a tool that fails is exit code 1 and one line on standard error', async () => {
  const workspace = workspaceOf()
  const { code, stdout, stderr } = await tenon(['call', 'read', '{"file_path": "b.txt"}', '-w', workspace])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^tenon: not_found: .*`b\.txt`/)
  const json = await tenon(['call', 'nope', '--json', '-w', workspace])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stderr)).toMatchObject({ tool: 'nope', error_type: 'not_found', details: { code: 'unknown_tool' } })
})

test.each([
  [[], 'A command is missing'],
  [['frob'], 'There is no command `frob`.\n'],
  [['tols'], 'There is no command `tols`. Did you mean `tools`?\n'],
  [['explian'], 'There is no command `explian`. Did you mean `explain`?\n'],
  [['Doctor'], 'There is no command `Doctor`. Did you mean `doctor`?\n'],
  [['--frob'], '--frob'],
  [['call'], 'The name of a tool is missing'],
  [['call', 'read', '{x'], 'not valid JSON'],
  [['call', 'read', '[1]'], 'a JSON object'],
  [['call', 'read', '{}', 'more'], 'Unexpected argument `more`.'],
  [['tools', 'more'], 'Unexpected argument `more`.'],
  [['tools', '--dialect', 'klingon'], 'klingon'],
  [['tools', '--workspace', '/nowhere/at/all'], '/nowhere/at/all'],
])('%j is a usage error', async (args, part) => {
  const { code, stdout, stderr } = await tenon(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(part)
  expect(stderr).toContain('tenon --help')
})

test('help and version are answers', async () => {
  expect(await tenon(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: tenon'), stderr: '' })
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  expect(await tenon(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('doctor tells what was loaded, from where, and what the system offers', async () => {
  const { code, stdout } = await tenon(['doctor', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    version: expect.any(String),
    native: { file: expect.stringMatching(/\.node$/), from: expect.any(String), triedBefore: [] },
    platform: { target: expect.stringContaining(process.arch), kernel: expect.any(String), libc: expect.any(String) },
    helper: process.platform === 'linux' ? { file: expect.stringMatching(/tenon-helper$/), usable: expect.any(Boolean) } : { file: expect.any(String) },
    runtime: { executable: process.execPath, node: process.versions.node, nodeApi: process.versions.napi },
    features: expect.any(Object),
  })
  expect((await tenon(['doctor'])).stdout).toMatch(/^ {2}file: .*\.node$/m)
})

test('doctor shows the state directory and the store in it, and makes nothing', async () => {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-state-')))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const directory = path.join(parent, 'state')
  const file = path.join(directory, 'state.db')
  const env = { TENON_STATE_DIR: directory }
  const state = async () => JSON.parse((await tenon(['doctor', '--json'], { env })).stdout).state
  expect(await state()).toEqual({ directory, exists: false })
  expect(existsSync(directory)).toBe(false)
  const toolkit = toolkitOf({}, { session: { id: 'mine', store: directory } })
  expect(await state()).toEqual({ directory, exists: true })
  await toolkit.execute('todo_write', { todos: [] })
  expect(await state()).toEqual({ directory, exists: true, file, journalMode: expect.stringMatching(/^(wal|rollback)$/) })
  expect((await tenon(['doctor'], { env })).stdout).toMatch(/^state:\n {2}directory: .*\n {2}exists: yes\n {2}file: .*state\.db\n {2}journalMode: (wal|rollback)$/m)
  await toolkit.close()
  writeFileSync(file, 'something else')
  expect(await state()).toEqual({ directory, exists: true, file, fault: 'The file is no database of SQLite.' })
  const refused = JSON.parse((await tenon(['doctor', '--json'], { env: { TENON_STATE_DIR: 'state' } })).stdout).state
  expect(refused).toEqual({ exists: false, fault: expect.stringContaining('The state directory `state` cannot be used') })
})

test('an interrupt aborts the call and leaves no process', async () => {
  const workspace = workspaceOf()
  const pid = () => Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))
  let kill: (signal: NodeJS.Signals) => void = () => {}
  const call = tenon(['call', 'exec', '{"command": "echo $$ > pid; exec sleep 61"}', '-w', workspace], { onStart: (send) => (kill = send) })
  await until(() => existsSync(path.join(workspace, 'pid')) && pid() > 0)
  kill('SIGINT')
  expect(await call).toMatchObject({ code: 1, stderr: expect.stringContaining('aborted') })
  await until(() => !isAlive(pid()))
})

test('at a terminal, mcp says in one line what it waits for; elsewhere it says nothing', async () => {
  const workspace = workspaceOf()
  const bin = path.join(ROOT, 'bin/tenon.js')
  expect(await tenon(['mcp', '-w', workspace], { input: '' })).toMatchObject({ code: 0, stdout: '', stderr: '' })
  const toolkit = toolkitOf({}, { workspace, host: { askUser: () => null } })
  const command = `exec '${process.execPath}' '${bin}' mcp 2> told`
  await toolkit.execute('exec', { command, pty: true, background: true } as never)
  const told = () => (existsSync(path.join(workspace, 'told')) ? readFileSync(path.join(workspace, 'told'), 'utf8') : '')
  await until(() => told().endsWith('\n'))
  expect(told()).toBe(
    `tenon: serving ${toolkit.listTools().length} tools for ${workspace} over MCP on standard input and output; ` +
      `MCP clients start this program themselves, for example: claude mcp add tenon -- npx tenon mcp --workspace ${JSON.stringify(workspace)}\n`,
  )
})

test('doctor says why the addon cannot be loaded, and fails', async () => {
  const { code, stdout } = await tenon(['doctor', '--json'], { env: { TENON_NATIVE_PATH: path.join(workspaceOf(), 'none.node') } })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ native: { error: expect.stringContaining('none.node: not found') }, runtime: { node: process.versions.node } })
})
