import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { testWith } from './support/programs.js'
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

test('call runs a tool over a directory, with parameters as an argument or from standard input', async () => {
  const workspace = workspaceOf({ 'a.txt': 'hello\n' })
  expect(await tenon(['call', 'read', '{"file_path": "a.txt"}', '--workspace', workspace])).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' })
  expect(await tenon(['call', 'read', '-'], { input: '{"file_path": "a.txt"}', cwd: workspace })).toMatchObject({ code: 0, stdout: 'hello\n' })
  expect(await tenon(['call', 'read', '-'], { input: '\ufeff{"file_path": "a.txt"}', cwd: workspace })).toMatchObject({ code: 0, stdout: 'hello\n' })
  expect((await tenon(['call', 'ls'], { cwd: workspace })).stdout).toContain('a.txt')
  const { stdout } = await tenon(['call', 'Read', JSON.stringify({ file_path: path.join(workspace, 'a.txt') }), '-d', 'canonical', '--json', '-w', workspace])
  expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: 'text' }], details: { total_lines: 1 } })
})

test('explain --program prints what is known of a program of the command line', async () => {
  const { code, stdout, stderr } = await tenon(['explain', '--program', 'genv'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('runs: the command behind its options\n')
  expect(stdout).toContain('    cwd: -C= --chdir=\n')
  expect(stdout).toContain('    env -C d A=1 rm x: in d, run rm\n')
  const described = JSON.parse((await tenon(['explain', '--program', 'git', '--json'])).stdout)
  expect(described).toMatchObject({ program: 'git', subcommands: expect.arrayContaining([expect.objectContaining({ names: ['clone'] })]) })
})

test('a tool that fails is exit code 1 and one line on standard error', async () => {
  const workspace = workspaceOf()
  const { code, stdout, stderr } = await tenon(['call', 'read', '{"file_path": "b.txt"}', '-w', workspace])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^tenon: not_found: .*`b\.txt`/)
  const json = await tenon(['call', 'nope', '--json', '-w', workspace])
  expect(json.code).toBe(2)
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
  [['tools', 'raed'], 'There is no tool `raed`. Did you mean `read`?'],
  [['tools', 'read', 'more'], 'Unexpected argument `more`.'],
  [['tools', '--html', 'x'], 'The command `tools` has no option `--html`.'],
  [['call', 'read', '--workspce', '/'], 'There is no option `--workspce`. Did you mean `--workspace`?'],
  [['call', 'read', 'file_path=a', 'file_path=b'], 'The parameter `file_path` is given twice.'],
  [['call', 'read', 'limit=1', 'a.txt'], '`a.txt` is neither `name=value` nor a JSON object.'],
  [['call', 'read', 'a.txt', '--color=blue'], '`--color` must be one of always, never, auto, not `blue`.'],
  [['call', 'ls', '--approvals', 'elicit'], '`--approvals` must be one of ask, deny, allow'],
  [['explain', '--program', 'frobnicate'], '`frobnicate` is not in the catalogue of programs.'],
  [['explain', 'read', '--program', 'tar'], '`--program` explains a program. Leave the tool out.'],
  [['log'], 'The file of the record is missing'],
  [['log', '/nowhere.jsonl'], '/nowhere.jsonl'],
  [['log', '/tmp'], 'The record `/tmp` is a directory. Name the file in it'],
  [['inspect', '/tmp'], 'The record `/tmp` is a directory. Name the file in it'],
  [['log', 'package.json'], '`package.json` is no record: none of its lines is an event.'],
  [['log', 'package.json', '--json'], '`package.json` is no record: none of its lines is an event.'],
  [['inspect', '/nowhere.jsonl'], '/nowhere.jsonl'],
  [['inspect', '--port', 'x'], '`--port` must be a number'],
  [['completion'], 'bash, zsh or fish'],
  [['completion', 'zhs'], 'Did you mean `zsh`?'],
  [['help', 'cal'], 'Did you mean `call`?'],
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
  for (const option of ['--version', '-v']) expect(await tenon([option])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('doctor shows what was loaded, from where, and what the system offers', async () => {
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
  expect((await tenon(['doctor'])).stdout).toMatch(/\n\n(Everything works\.|It works, with .*:\n( {2}- .*\n)+)/)
  expect(await tenon(['doctor'], { env: { TENON_NATIVE_PATH: '/nope' } })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/nothing works\.\n {2}- .*TENON_NATIVE_PATH/),
  })
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
  expect((await tenon(['doctor'], { env })).stdout).toMatch(
    /^state:\n {2}directory: .*\n {2}exists: yes\n {2}file: .*state\.db\n {2}journalMode: (wal|rollback)$/m,
  )
  await toolkit.close()
  writeFileSync(file, 'something else')
  expect(await state()).toEqual({ directory, exists: true, file, fault: 'The file is no database of SQLite.' })
  const refused = JSON.parse((await tenon(['doctor', '--json'], { env: { TENON_STATE_DIR: 'state' } })).stdout).state
  expect(refused).toEqual({ exists: false, fault: expect.stringContaining('The state directory `state` cannot be used') })
})

test('doctor names the directory for temporary files, and what is wrong with TMPDIR', async () => {
  const temporary = async (TMPDIR: string) => JSON.parse((await tenon(['doctor', '--json'], { env: { TMPDIR } })).stdout).temporary
  const usable = realpathSync(mkdtempSync(path.join(tmpdir(), 'tenon-temporary-')))
  onTestFinished(() => rmSync(usable, { recursive: true, force: true }))
  expect(await temporary(usable)).toEqual({ directory: usable })
  if (process.platform === 'win32') return
  expect(await temporary('')).toEqual({ directory: '/tmp' })
  expect(await temporary('/dev/null')).toEqual({ directory: '/tmp', fault: expect.stringContaining('"/dev/null/tenon-') })
  expect((await tenon(['doctor'], { env: { TMPDIR: '/dev/null' } })).stdout).toContain('that `TMPDIR` names cannot be used')
})

test.skipIf(process.platform === 'win32').each(['', '/dev/null', 'none'])('the whole of a long output is kept although TMPDIR is `%s`', async (TMPDIR) => {
  const { stdout } = await tenon(['call', 'exec', '{"command": "seq 200000"}', '-w', workspaceOf()], { env: { TMPDIR } })
  expect(stdout).toContain('Full output: `output://1`')
})

test('an interrupt aborts the call and leaves no process', async () => {
  const workspace = workspaceOf()
  const pid = () => Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))
  let kill: (signal: NodeJS.Signals) => void = () => {}
  const call = tenon(['call', 'exec', '{"command": "echo $$ > pid; exec sleep 61"}', '-w', workspace], { onStart: (send) => (kill = send) })
  await until(() => existsSync(path.join(workspace, 'pid')) && pid() > 0)
  kill('SIGINT')
  expect(await call).toMatchObject({ code: 130, stderr: expect.stringContaining('aborted') })
  await until(() => !isAlive(pid()))
})

test.skipIf(process.platform === 'win32')('a call ends when nobody reads its output any more', async () => {
  const workspace = workspaceOf()
  const pid = () => Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))
  const params = JSON.stringify({ command: 'echo $$ > pid; while :; do echo line; sleep .1; done' })
  const pipeline = `"$0" "$1" call exec "$2" -w "$3" | head -1`
  expect(await run('sh', ['-c', pipeline, process.execPath, path.join(ROOT, 'bin/tenon.js'), params, workspace])).toMatchObject({
    code: 0,
    stdout: 'line\n',
    stderr: '',
  })
  await until(() => !isAlive(pid()))
})

test('at a terminal, mcp says in one line what it waits for; elsewhere it says nothing', async () => {
  const workspace = workspaceOf()
  const bin = path.join(ROOT, 'bin/tenon.js')
  expect(await tenon(['mcp', '-w', workspace], { input: '' })).toMatchObject({ code: 0, stdout: '', stderr: '' })
  const toolkit = toolkitOf({}, { workspace, host: { askUser: () => null } })
  const command = `exec '${process.execPath}' '${bin}' mcp 2> stderr`
  await toolkit.execute('exec', { command, pty: true, background: true } as never)
  const stderr = () => (existsSync(path.join(workspace, 'stderr')) ? readFileSync(path.join(workspace, 'stderr'), 'utf8') : '')
  await until(() => stderr().endsWith('\n'))
  expect(stderr()).toBe(
    `tenon: serving ${toolkit.listTools().length} tools for ${workspace} over MCP on standard input and output; ` +
      `MCP clients start this program themselves, for example: claude mcp add tenon -- npx tenon mcp --workspace ${JSON.stringify(workspace)}\n`,
  )
})

test('doctor says why the addon cannot be loaded, and fails', async () => {
  const { code, stdout } = await tenon(['doctor', '--json'], { env: { TENON_NATIVE_PATH: path.join(workspaceOf(), 'none.node') } })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ native: { error: expect.stringContaining('none.node: not found') }, runtime: { node: process.versions.node } })
})

test('parameters are name=value pairs as well, each as its schema wants it', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\ntwo\nthree\n', '1': 'a number\n' })
  const call = async (...args: string[]) => (await tenon(['call', ...args, '-w', workspace])).stdout
  expect(await call('read', 'file_path=a.txt', 'offset=2', 'limit=1')).toContain('two\n')
  expect(await call('read', 'path=a.txt')).toContain('three')
  expect(await call('read', 'a.txt')).toContain('three')
  expect(await call('read', '1')).toBe('a number\n')
  expect(await call('grep', 'pattern=t[wh]', 'ignoreCase=true')).toMatch(/two[^]*three/)
  expect(await call('exec', 'FOO=bar; echo "x=$FOO"')).toBe('x=bar\n')
  expect(await call('write', 'file_path=b.txt', 'content=a=b')).toContain('b.txt')
  expect(readFileSync(path.join(workspace, 'b.txt'), 'utf8')).toBe('a=b')
  expect(await tenon(['explain', 'exec', 'rm -rf x', '-w', workspace])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('\n  rm -rf x\n    delete x and below\n'),
  })
})

test('a command that fails is exit code 1, and its output comes once', async () => {
  const { code, stdout } = await tenon(['call', 'exec', 'echo a; sleep 0.3; echo b; exit 3'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'a\nb\n\nCommand exited with code 3\n' })
})

test('a command that a signal ended, and one that nothing can reach any more, are exit code 1', async () => {
  expect((await tenon(['call', 'exec', 'kill -9 $$'])).code).toBe(1)
  const background = await tenon(['call', 'exec', 'sleep 60', 'background=true'])
  expect(background).toMatchObject({ code: 1, stderr: expect.stringContaining('was killed when `tenon call` ended') })
})

test('a replay that compared nothing is exit code 1', async () => {
  const directory = workspaceOf({ 'r.jsonl': '{"type":"called"}\nno record\n' })
  const { code, stdout, stderr } = await tenon(['replay', path.join(directory, 'r.jsonl'), '-w', directory])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '0 equal, 0 different, 0 skipped\n' })
  expect(stderr).toContain('Nothing was compared')
})

test('changes are shown as a diff, in colors where they are wanted', async () => {
  const workspace = workspaceOf({ 'a.txt': 'one\n' })
  const edit = (to: string, ...args: string[]) =>
    tenon([
      'call',
      'edit',
      JSON.stringify({ file_path: 'a.txt', edits: [{ oldText: readFileSync(path.join(workspace, 'a.txt'), 'utf8').trim(), newText: to }] }),
      '-w',
      workspace,
      ...args,
    ])
  expect((await edit('two')).stdout).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n'.replaceAll(',1', ''))
  expect((await edit('three', '--color')).stdout).toContain('\u001b[32m+three\u001b[39m')
  expect((await edit('\u202efour', '--no-color')).stdout).toContain('+\\u{202e}four\n')
})

test('tools shows the parameters of one tool, and help is there for each command', async () => {
  const { stdout } = await tenon(['tools', 'read'])
  expect(stdout).toMatch(/^read\n\n[^]*\nParameters:\n {2}file_path \(string, required\)\n {6}\S/)
  expect(JSON.parse((await tenon(['tools', 'read', '--json'])).stdout)).toMatchObject({ name: 'read', inputSchema: { type: 'object' } })
  for (const command of ['tools', 'call', 'explain', 'inspect', 'log', 'mcp', 'init', 'doctor', 'completion']) {
    const { code, stdout } = await tenon([command, '--help'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(new RegExp(`^Usage: tenon ${command}`)) })
    expect((await tenon(['help', command])).stdout).toBe(stdout)
  }
})

test('init writes settings that a toolkit takes, and never over others', async () => {
  const workspace = workspaceOf({ '.env': 'x' })
  const home = workspaceOf()
  const { code, stdout } = await tenon(['init', '-w', workspace], { env: { HOME: home } })
  expect(code).toBe(0)
  expect(stdout).toContain('claude mcp add tenon -- npx tenon mcp')
  const settings = path.join(home, '.config/tenon', `${path.basename(workspace)}.json`)
  const explain = async (...args: string[]) => (await tenon(['explain', ...args, '-w', workspace, '-s', settings])).code
  expect([await explain('ls'), await explain('exec', 'git status -s'), await explain('exec', 'rm -rf x'), await explain('read', '.env')]).toEqual([0, 0, 3, 4])
  const again = await tenon(['init', '-w', workspace], { env: { HOME: home } })
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') })
  // Another project may have the same name: its rules are not to be removed.
  expect(again.stderr).toContain('name another file (`tenon init <file>`)')
})

test('log prints the calls of a record', async () => {
  const workspace = workspaceOf({ 'a.txt': 'x' })
  const record = path.join(workspaceOf(), 'session.jsonl')
  const toolkit = toolkitOf({}, { workspace, record, permissions: { deny: ['Bash(rm:*)'] } })
  await toolkit.execute('read', { file_path: 'a.txt' })
  await toolkit.execute('write', { file_path: 'evil\u001b[2J\u202e.txt', content: 'x' })
  await toolkit.execute('exec', { command: 'rm a.txt' }).catch(() => {})
  await toolkit.close()
  const { code, stdout } = await tenon(['log', record])
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(/^[\d:.]{12} {2}done {5}read a\.txt {2}\(.*tokens\)$/)
  expect(lines[1]).toContain('evil\\u{1b}[2J\\u{202e}.txt')
  expect(lines[2]).toMatch(/ {2}denied {3}exec rm a\.txt/)
  expect(lines[3]).toMatch(/^3 calls: 2 done, 0 failed, 1 denied; about \d+ tokens$/)
  const rows = (await tenon(['log', record, '--json'])).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.map(({ tool, state }) => [tool, state])).toEqual([
    ['read', 'done'],
    ['write', 'done'],
    ['exec', 'denied'],
  ])
})

test.each(['bash', 'zsh', 'fish'])('the completions for %s are valid where it is installed', async (shell) => {
  const { code, stdout } = await tenon(['completion', shell])
  expect(code).toBe(0)
  expect(stdout).toContain('inspect')
  const file = path.join(workspaceOf({ completions: stdout }), 'completions')
  const checked = await run('sh', ['-c', `command -v ${shell} >/dev/null || exit 0; exec ${shell} -n "$0"`, file])
  expect(checked).toMatchObject({ code: 0, stderr: '' })
})

testWith('bash').skipIf(process.platform === 'win32')('bash completes commands, options and tools', async () => {
  const { stdout } = await tenon(['completion', 'bash'])
  const bin = path.join(workspaceOf({ tenon: `#!/bin/sh\nexec '${process.execPath}' '${path.join(ROOT, 'bin/tenon.js')}' "$@"\n` }), 'tenon')
  const complete = async (...words: string[]) => {
    const script = `${stdout}\nCOMP_WORDS=(${[`'${bin}'`, ...words.map((word) => `'${word}'`)].join(' ')}); COMP_CWORD=${words.length}; _tenon; printf '%s\\n' "\${COMPREPLY[@]}"`
    return (await run('bash', ['-c', script])).stdout.trim().split('\n')
  }
  chmodSync(bin, 0o755)
  expect(await complete('ins')).toEqual(['inspect'])
  expect(await complete('call', 'web')).toEqual(['web_fetch'])
  expect(await complete('inspect', '--h')).toEqual(['--html', '--help'])
  expect(await complete('call', 'x', '--dialect', 'ca')).toEqual(['canonical'])
})

test('words behind a tool that does not exist name the tool', async () => {
  const unknown = (await tenon(['call', 'raed'])).stderr
  expect(unknown).toContain('unknown tool `raed`. Did you mean `read`?')
  for (const command of ['call', 'explain']) {
    const { code, stderr } = await tenon([command, 'raed', 'a.txt'])
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 2, stderr: `tenon: ${unknown.replace('tenon: not_found: ', '').trim()}` })
  }
})

test('explain has no verdict about a tool that does not exist', async () => {
  for (const words of [['raed'], ['git push'], ['raed', '{}', '--json']]) {
    expect(await tenon(['explain', ...words])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`unknown tool \`${words[0]}\``) })
  }
})

test('log and inspect take no file for a record that ends in the middle of its first line', async () => {
  const directory = workspaceOf({ 'package.json': '{"name":"app"}', 'empty.jsonl': '' })
  for (const words of [['log'], ['inspect'], ['inspect', '--html', path.join(directory, 'page.html')]]) {
    const { code, stderr } = await tenon([...words, path.join(directory, 'package.json')])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is no record') })
  }
  expect((await tenon(['log', path.join(directory, 'empty.jsonl')])).code).toBe(0)
})

test('init says that the rules of a file inside of the workspace can only restrict', async () => {
  const workspace = workspaceOf()
  const file = path.join(workspace, 'inside.json')
  const { code, stdout } = await tenon(['init', file, '-w', workspace])
  expect({ code, warning: stdout.split('\n')[2] }).toEqual({
    code: 0,
    warning: `Warning: ${file} is inside the workspace, where an agent could change it, so it can only restrict: its \`allow\` rules are ignored. Name a file outside of ${workspace}.`,
  })
  const outside = path.join(workspaceOf(), 'outside.json')
  expect((await tenon(['init', outside, '-w', workspace])).stdout).not.toContain('Warning')
})
