// Files and commands as interfaces of sandboxes get them, whole.

import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { Files } from '../js/adapters/files.js'
import { SandboxCommands } from '../js/adapters/sandbox-commands.js'
import { SandboxFiles } from '../js/adapters/sandbox-files.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

function filesOf(files: Record<string, Buffer>) {
  const workspace = workspaceOf()
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(workspace, name), bytes)
  return new SandboxFiles(toolkitOf({}, { workspace }))
}

test('bytes whose base64 looks like a secret come as they are', async () => {
  // What is left out of outputs as a secret key of Yandex.
  const bytes = Buffer.from(`${'A'.repeat(35)}/YCV2GCFHuQ60E6U3rqv72AcnxOKS9uTNjZqXoGTB`, 'base64')
  expect(await filesOf({ 'x.bin': bytes }).bytes('x.bin')).toEqual(bytes)
})

test('bytes of all values come in as many parts as they need, repeated ones too', async () => {
  const all = Buffer.concat([
    Buffer.alloc(1_100_000),
    Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256)),
    Buffer.alloc(1_000_000, 255),
  ])
  expect((await filesOf({ 'x.bin': all }).bytes('x.bin'))?.equals(all)).toBe(true)
})

test('the archive of a workspace is one that tar lists', async () => {
  const files = filesOf({ 'x.bin': Buffer.from([0, 1, 2, 255]) })
  const archive = await files.archive()
  expect([archive.length % 512, archive.includes('x.bin'), archive.includes(Buffer.from([0, 1, 2, 255]))]).toEqual([0, true, true])
})

test('a command whose output has long lines and many gives all of it', async () => {
  const commands = new SandboxCommands(toolkitOf({}, { workspace: workspaceOf() }))
  const line = `${'0'.repeat(119_999)}1`
  const many = Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join('')
  const outputs = []
  for (const command of ['printf %0120000d 1', 'printf %0120000d 1; echo; seq 30000', 'seq 30000; printf "a\\r\\nb"'])
    outputs.push((await commands.run({ command })).output)
  expect(outputs.map((output) => output.length)).toEqual([120_000, 120_001 + many.length, many.length + 4])
  expect(outputs).toEqual([line, `${line}\n${many}`, `${many}a\r\nb`])
})

test('a command in the background gives all of its output, piece by piece', async () => {
  const commands = new SandboxCommands(toolkitOf({}, { workspace: workspaceOf() }))
  const process = await commands.start({ command: 'echo first; seq 30000; sleep 0.3; printf "é%.0s" $(seq 200); echo last' })
  let received = ''
  process.listen((text: string) => void (received += text))
  const { output, exitCode } = await process.done
  const many = Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join('')
  expect({ output, received, exitCode }).toEqual({ output: `first\n${many}${'é'.repeat(200)}last\n`, received: output, exitCode: 0 })
})

test('bytes that are no UTF-8 before a cut shift nothing behind it', async () => {
  const commands = new SandboxCommands(toolkitOf({}, { workspace: workspaceOf() }))
  const process = await commands.start({ command: String.raw`printf 'a\377\376b\n'; sleep 0.5; seq 30000; echo last` })
  let received = ''
  process.listen((text: string) => void (received += text))
  const { output } = await process.done
  const many = Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join('')
  expect([output, received]).toEqual([`a\ufffd\ufffdb\n${many}last\n`, output])
})

test('an archive that lacks a file is refused', async () => {
  // A tar that cannot read a file ends like this one; as root every file can be read.
  const workspace = workspaceOf({ 'bin/tar': `#!/bin/sh\nPATH='${process.env.PATH}' command tar "$@"\nexit 2\n` })
  chmodSync(path.join(workspace, 'bin/tar'), 0o755)
  vi.stubEnv('PATH', `${path.join(workspace, 'bin')}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const files = new SandboxFiles(toolkitOf({}, { workspace }))
  await expect(files.archive()).rejects.toThrow('`.` could not be read as a whole: a part of it could not be read. If it was being changed, read it again.')
})

test('a command with a terminal has one', async () => {
  const commands = new SandboxCommands(toolkitOf({}, { workspace: workspaceOf() }))
  const outputOf = async (pty: boolean) => (await (await commands.start({ command: 'test -t 1 && echo terminal || echo none', pty })).done).output.trim()
  expect([await outputOf(true), await outputOf(false)]).toEqual(['terminal', 'none'])
})

test('a page by page reading of an output puts its cut lines together', async () => {
  const toolkit = toolkitOf({}, { workspace: workspaceOf() })
  const whole = async (command: string) => {
    const { details } = await toolkit.execute('exec', { command })
    return new Files(toolkit, {}).text(details.fullOutput ?? '')
  }
  const line = `${'0'.repeat(119_999)}1`
  const texts = [await whole('printf %0120000d 1'), await whole('seq 3; printf %0120000d 1; echo; echo end'), await whole('printf "%0120000d\\n" 1 1')]
  expect(texts.map((text) => text.length)).toEqual([120_000, 6 + 120_001 + 4, 240_002])
  expect(texts).toEqual([line, `1\n2\n3\n${line}\nend\n`, `${line}\n${line}\n`])
})
