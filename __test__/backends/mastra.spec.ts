// `toWorkspace` of `tenon/mastra` in the `Workspace` of Mastra itself.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test } from 'vitest'

import { toWorkspace } from '../../mastra.js'
import { packagesOf } from '../support/frameworks.js'
import { failureOf, toolkitOf, workspaceOf } from '../support/workspace.js'

const packages = packagesOf('mastra')

describe.skipIf(packages.missing)(`Mastra (${packages.missing ?? 'installed'})`, () => {
  const load = (name: string) => (packages as any).load(name)

  /** The workspace of Mastra over a toolkit, and its own over files of this machine. */
  async function both(files: Record<string, string> = {}) {
    const { LocalFilesystem, Workspace } = load('@mastra/core/workspace')
    const [here, there] = [workspaceOf(files), workspaceOf(files)]
    // Names that a program could take for options are asked about.
    const workspace = new Workspace(toWorkspace(toolkitOf({}, { workspace: there, onApproval: async () => 'once' })))
    await workspace.init()
    // Its own takes `/` for that of the machine.
    const local = new LocalFilesystem({ basePath: here, contained: true })
    const within = (value: unknown) => (typeof value === 'string' && value.startsWith('/') ? path.join(here, value) : value)
    const own = new Proxy(local, {
      get:
        (target, name) =>
        (...args: unknown[]) =>
          target[name](...args.map(within)),
    })
    return { workspace, ours: workspace.filesystem, own, there }
  }

  test('files are answered as its own workspace does, failures too', async () => {
    const { ours, own } = await both({ 'a.txt': 'one\n', 'src/b.ts': 'b' })
    const calls: ((files: any) => Promise<any>)[] = [
      (files) => files.readFile('/a.txt', { encoding: 'utf8' }),
      async (files) => [...(await files.readFile('/a.txt'))],
      (files) => files.readFile('/none', { encoding: 'utf8' }),
      (files) => files.readFile('/src'),
      (files) => files.writeFile('/new/c.txt', 'c', { recursive: true }),
      (files) => files.writeFile('/a.txt', 'x', { overwrite: false }),
      (files) => files.appendFile('/a.txt', 'two\n'),
      (files) => files.appendFile('/fresh.txt', 'first'),
      (files) => files.readFile('/a.txt', { encoding: 'utf8' }),
      (files) => files.copyFile('/a.txt', '/copy/a.txt'),
      (files) => files.moveFile('/copy/a.txt', '/moved.txt'),
      (files) => files.copyFile('/none', '/x'),
      (files) => files.exists('/moved.txt'),
      (files) => files.exists('/copy/a.txt'),
      (files) => files.mkdir('/dir/sub', { recursive: true }),
      (files) => files.rmdir('/dir'),
      (files) => files.rmdir('/dir', { recursive: true }),
      (files) => files.rmdir('/dir', { recursive: true }),
      (files) => files.rmdir('/dir', { recursive: true, force: true }),
      (files) => files.deleteFile('/moved.txt'),
      (files) => files.deleteFile('/moved.txt'),
      (files) => files.deleteFile('/moved.txt', { force: true }),
      // What stands at the other place decides, as in its own.
      (files) => files.mkdir('/e/src', { recursive: true }),
      (files) => files.mkdir('/p/q/r', { recursive: false }),
      (files) => files.copyFile('/src', '/e'),
      (files) => files.copyFile('/src', '/e', { recursive: true }),
      (files) => files.copyFile('/a.txt', '/e'),
      (files) => files.moveFile('/a.txt', '/e'),
      // Names are never options of a program.
      (files) => files.writeFile('/--target-directory=e', 'data'),
      (files) => files.moveFile('/--target-directory=e', '/t.txt'),
      (files) => files.readFile('/t.txt', { encoding: 'utf8' }),
      (files) => files.mkdir('/-rf/x', { recursive: true }),
      (files) => files.copyFile('/t.txt', '/-b.txt'),
      (files) => files.writeFile('/-n', new Uint8Array([0, 255])),
      async (files) => [...(await files.readFile('/-n'))],
      (files) => files.rmdir('/-rf', { recursive: true }),
      // A file with bytes is one with text again.
      (files) => files.writeFile('/-n', 'text\r\n'),
      (files) => files.readFile('/-n', { encoding: 'utf8' }),
      async (files) => (await files.readdir('/')).map(({ name, type }: any) => [name, type]).sort(),
      async (files) => (await files.readdir('/', { recursive: true })).map(({ name }: any) => path.basename(name)).sort(),
      (files) => files.readdir('/none'),
      async ({ stat }) => stat,
    ]
    const outcome = (files: any, call: (files: any) => Promise<any>) =>
      call(files).then(
        (value) => ({ value }),
        (error) => ({ failed: error.code }),
      )
    for (const call of calls.slice(0, -1)) expect(await outcome(ours, call), String(call)).toStrictEqual(await outcome(own, call))
    expect(await ours.stat('/src/b.ts')).toMatchObject({ name: 'b.ts', path: '/src/b.ts', type: 'file', size: 1 })
  })

  test('failures are of the classes that Mastra looks for', async () => {
    const classes = load('@mastra/core/workspace')
    const over = toWorkspace as any
    const { filesystem } = over(toolkitOf({ 'a.txt': 'a', 'd/b.txt': 'b' }), {}, () => classes)
    for (const [fault, work] of [
      ['FileNotFoundError', () => filesystem.readFile('/none')],
      ['FileNotFoundError', () => filesystem.deleteFile('/none')],
      ['FileNotFoundError', () => filesystem.copyFile('/none', '/x')],
      ['FileNotFoundError', () => filesystem.stat('/none')],
      ['DirectoryNotFoundError', () => filesystem.readdir('/none')],
      ['IsDirectoryError', () => filesystem.readFile('/d')],
      ['FileExistsError', () => filesystem.writeFile('/a.txt', 'x', { overwrite: false })],
      ['DirectoryNotEmptyError', () => filesystem.rmdir('/d')],
    ] as const)
      expect(await failureOf(work()), fault).toBeInstanceOf(classes[fault])
    // A program without Mastra gets the same names and codes.
    const alone = over(toolkitOf({}), {}, () => Promise.reject(new Error('not installed')))
    expect(await failureOf(alone.filesystem.readFile('/none'))).toMatchObject({ name: 'FileNotFoundError', code: 'ENOENT', message: 'File not found: /none' })
  })

  /** They came back as UTF-8, and were written as UTF-16, where the lengths were the same. */
  test('bytes are bytes, whatever encoding the file has', async () => {
    const { ours, there } = await both()
    for (const [text, other] of [
      ['日本', '日本'],
      ['日本語テキスト ab c', '日本語テキスト ab d'],
    ] as const) {
      writeFileSync(path.join(there, 'u16'), `\ufeff${text}`, 'utf16le')
      const bytes = readFileSync(path.join(there, 'u16'))
      expect(await ours.readFile('/u16')).toEqual(bytes)
      await ours.writeFile('/u16', other)
      expect(readFileSync(path.join(there, 'u16'))).toEqual(Buffer.from(other))
    }
    writeFileSync(path.join(there, 'l1'), Buffer.from('caf\xe9\r\n', 'latin1'))
    await ours.writeFile('/l1', 'é\n')
    expect(readFileSync(path.join(there, 'l1'))).toEqual(Buffer.from('é\n'))
  })

  test('files are answered as its own workspace does, in 200 operations', async () => {
    const { ours, own } = await both({ 'a.txt': 'one\n', 'src/b.ts': 'b' })
    let seed = 5
    const next = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most
    const names = ['/a.txt', '/src/b.ts', '/src/c.md', '/deep/er/d.txt', '/src']
    const outcome = (work: Promise<any>) =>
      work.then(
        (value) => ({ value }),
        () => 'failed',
      )
    for (let step = 0; step < 200; step += 1) {
      const [name, other] = [names[next(names.length)] as string, names[next(names.length - 1)] as string]
      const text = ['one\ntwo\n', 'x', 'α β\r\n', ''][next(4)]
      const made = [
        (files: any) => files.readFile(name, { encoding: 'utf8' }),
        async (files: any) => [...(await files.readFile(name))],
        (files: any) => files.writeFile(other, text, { recursive: true }),
        (files: any) => files.appendFile(other, text),
        (files: any) => files.deleteFile(other, { force: true }),
        (files: any) => files.exists(name),
        (files: any) => (name === other ? files.exists(name) : files.copyFile(other, '/copy/x.txt')),
        (files: any) => files.mkdir('/dir/sub', { recursive: true }),
        (files: any) => files.rmdir('/dir', { recursive: true, force: true }),
        async (files: any) => (await files.readdir('/')).map(({ name, type }: any) => [name, type]).sort(),
      ][next(10)] as (files: any) => Promise<any>
      const [expected, answered] = [await outcome(made(own)), await outcome(made(ours))]
      expect(answered, `${step}: ${made} ${name} ${other} ${JSON.stringify(text)}`).toEqual(expected)
    }
  })

  test('commands run, stream and are denied; processes are written to and killed', async () => {
    const { workspace, there } = await both()
    const { sandbox } = workspace
    const pieces: string[] = []
    const done = await sandbox.executeCommand('sh', ['-c', 'echo "$A"; pwd; exit 3'], { env: { A: 'b c' }, onStdout: (text: string) => pieces.push(text) })
    expect(done).toMatchObject({ success: false, exitCode: 3, stdout: `b c\n${there}\n`, stderr: '' })
    expect(pieces.join('')).toBe(done.stdout)
    expect(await sandbox.executeCommand('sleep 30', [], { timeout: 300 })).toMatchObject({ success: false, timedOut: true })
    const cat = await sandbox.processes.spawn('cat')
    await cat.sendStdin('one\n')
    await cat.closeStdin()
    expect(await cat.wait()).toMatchObject({ success: true, exitCode: 0, stdout: 'one\n' })
    const sleeper = await sandbox.processes.spawn('exec sleep 60')
    expect(await sandbox.processes.list()).toContainEqual({ pid: sleeper.pid, command: 'exec sleep 60', running: true, exitCode: undefined })
    expect(await sandbox.processes.kill(sleeper.pid)).toBe(true)
    expect((await sleeper.wait()).success).toBe(false)
  })

  test('processes do what the tests of its providers ask for', async () => {
    const { sandbox } = toWorkspace(toolkitOf({})) as any
    const { processes } = sandbox
    expect(await sandbox.isReady()).toBe(true)
    const never = await processes.spawn('sleep 60', { abortSignal: AbortSignal.abort() })
    expect(await never.wait()).toMatchObject({ success: false, stdout: '' })
    await failureOf(never.sendStdin('x'))
    const lines = await processes.spawn('head -2 | tr a-z A-Z')
    lines.writer.write('one\n')
    lines.writer.end('two\n')
    let read = ''
    for await (const chunk of lines.reader) read += chunk
    expect([read, (await lines.wait()).exitCode]).toEqual(['ONE\nTWO\n', 0])
    // One that has ended is given once, by its number.
    expect([(await processes.get(lines.pid)).stdout, await processes.get(lines.pid)]).toEqual(['ONE\nTWO\n', undefined])
  })

  test('rules hold, with their reason', async () => {
    const root = workspaceOf({ '.env': 'SECRET=1\n' })
    const { filesystem, sandbox } = toWorkspace(toolkitOf({}, { workspace: root, permissions: { deny: ['Read(.env)', 'Edit(.env)', 'Bash(rm:*)'] } }))
    for (const call of [
      () => filesystem.readFile('/.env'),
      () => filesystem.writeFile('/.env', 'x'),
      () => sandbox.executeCommand('rm', ['.env']),
      () => sandbox.processes.spawn('rm .env'),
    ]) {
      expect(await failureOf(call())).toMatchObject({ error_type: 'permission_denied' })
    }
    expect(readFileSync(path.join(root, '.env'), 'utf8')).toBe('SECRET=1\n')
  })
})
