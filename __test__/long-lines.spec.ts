import { execSync } from 'node:child_process'

import { expect, test } from 'vitest'

import { toolkitOf, workspaceOf } from './support/workspace.js'

const textOf = ({ content }: any): string => content[0].text
/** A text with its runs of one letter as their length. */
const counted = (text: string) => text.replace(/([A-Za-z])\1{99,}/g, (run, letter) => `<${run.length} ${letter}>`)

test.skipIf(process.platform === 'win32')('of one line above 8 MiB both ends are shown, with what is omitted', async () => {
  const command = 'yes "hello world" | head -c 9000000 | tr "\\n" " "'
  for (const [dialect, tool] of [
    ['agent', 'exec'],
    ['acp', 'run_command'],
  ] as const) {
    for (const redact of [true, false]) {
      const text = textOf(await toolkitOf({}, { dialect, redact } as never).execute(tool as never, { command } as never))
      const [, start, omitted, next, end] = /^(.*)\[… (\d+) bytes omitted: `output:\/\/1:1:(\d+)`\](.*)\n\n\[1 of 1 line shown in part\. /.exec(text) ?? []
      expect({
        isHello: [start, end].every((part) => /^[helo wrd]{1000,}$/.test(part)),
        bytes: start.length + Number(omitted) + end.length,
        next: Number(next),
      }).toEqual({
        isHello: true,
        bytes: 9_000_000,
        next: start.length + 1,
      })
    }
  }
})

test.skipIf(process.platform === 'win32')('of two cut lines one is shown from its start, the other to its end', async () => {
  const command = 'head -c 5000000 /dev/zero | tr "\\0" "a"; echo; head -c 5000000 /dev/zero | tr "\\0" "b"'
  const text = counted(textOf(await toolkitOf().execute('exec', { command })))
  expect(text.replace(/<\d+ /g, '<n ').replace(/1:1:\d+/, '1:1:n')).toBe(
    '<n a>[… rest of the line omitted: `output://1:1:n`]\n[… start of the line omitted: `output://1:2`]<n b>\n\n[2 of 2 lines shown in part. Full output: `output://1`; read or grep it.]',
  )
})

test.skipIf(process.platform === 'win32')('a long line beside whole ones is omitted, and counted as such', async () => {
  const text = textOf(await toolkitOf().execute('exec', { command: 'seq 1 30; head -c 9000000 /dev/zero | tr "\\0" "a"; echo; seq 1 20' }))
  expect(text.slice(text.indexOf('30\n'))).toBe(
    `30\n[… 1 line omitted: \`output://1:31\`]\n${Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join('')}\n[50 of 51 lines shown. Full output: \`output://1\`; read or grep it.]`,
  )
})

test.skipIf(process.platform === 'win32')('a line of random characters is shown in part, whatever the tokens it costs', async () => {
  const text = textOf(await toolkitOf().execute('exec', { command: 'head -c 60000 /dev/urandom | base64 -w0' }))
  const [, start, omitted, , end] = /^(\S+)\[… (\d+) characters omitted: `output:\/\/1:1:(\d+)`\](\S+)\n\n\[1 of 1 line shown in part\./.exec(text) ?? []
  expect(start.length + Number(omitted) + end.length).toBe(80_000)
})

test.skipIf(process.platform === 'win32')('details and exact output have both ends of a word without whitespace, and true figures', async () => {
  const toolkit = toolkitOf({}, { exec: { output: 'exact' } })
  const result: any = await toolkit.execute('exec', { command: 'head -c 80000 /dev/zero | tr "\\0" "a"' })
  const expected = '<25600 a>\n\n[… 28,800 of 80,000 bytes omitted. Full output: `output://1`; read or grep it.]\n\n<25600 a>'
  expect([counted(textOf(result)), counted(result.details.output)]).toEqual([expected, expected])
})

test.skipIf(process.platform === 'win32')('the rest of a line of an output is read by its address', async () => {
  const line = JSON.stringify(Array.from({ length: 9000 }, (_, id) => ({ id, name: `üser ${id}` })))
  const toolkit = toolkitOf({ 'j.json': line })
  const shown = textOf(await toolkit.execute('exec', { command: 'cat j.json' }))
  const [, start, omitted, next] = /^(.*)\[… (\d+) characters omitted: `(output:\/\/1:1:\d+)`\]/.exec(shown) ?? []
  let [read, address]: [string, string | undefined] = [start, next]
  while (address !== undefined) {
    const page = textOf(await toolkit.execute('read', { file_path: address }))
    const [, text, following]: any = /^(.*)\n\n\[Line 1 cut to [\d.]+KB of [\d.]+KB\. Read `(.*)` for the rest\]$/.exec(page) ?? [undefined, page, undefined]
    ;[read, address] = [read + text, following]
  }
  expect({ isWhole: read === line, next, omitted: Number(omitted) < line.length }).toEqual({
    isWhole: true,
    next: `output://1:1:${start.length + 1}`,
    omitted: true,
  })
  await expect(toolkit.execute('read', { file_path: 'output://1:1:999999' })).rejects.toThrow('Line 1 of `output://1` ends before character 999999.')
})

test.skipIf(process.platform === 'win32')('the command for the rest of a long line repeats and skips nothing', async () => {
  const line = Array.from({ length: 9000 }, (_, index) => `ü${index}`).join(' ')
  const odd = `a${'日本'.repeat(20_000)}`
  const files = { 'utf8.txt': `${line}\nnext\n`, 'odd.txt': `${odd}\n`, 'bom.txt': `\ufeff${line}\nnext\n`, 'crlf.txt': `${line}\r\nnext\r\n` }
  const toolkit = toolkitOf({}, { workspace: workspaceOf({ ...files, 'latin1.txt': Buffer.from(`${line}\nnext\n`, 'latin1') }) })
  const root = textOf(await toolkit.execute('exec', { command: 'pwd' })).trim()
  const rests = Object.keys(files).map(async (name) => {
    const text = textOf(await toolkit.execute('read', { file_path: name }))
    const command = /Use exec: (sed .*) for the rest/.exec(text)?.[1] as string
    return (
      text.slice(0, text.lastIndexOf('\n\n[')) +
      execSync(command, { cwd: root })
        .toString()
        .replace(/\r?\n$/, '')
    )
  })
  expect((await Promise.all(rests)).map((whole, index) => whole === [line, odd, line, line][index])).toEqual([true, true, true, true])
  // Its bytes are not those of the text.
  expect(textOf(await toolkit.execute('read', { file_path: 'latin1.txt' }))).not.toContain('for the rest')
})

test('a first line that is longer than an answer is shown in part', async () => {
  const toolkit = toolkitOf({ 'min.js': `${'x'.repeat(60_000)}\n`, 'two.js': `${'x'.repeat(60_000)}\ny\n` }, { dialect: 'manager' })
  const shown = async (path: string) => counted(textOf(await toolkit.execute('read_file', { path } as never)))
  expect([await shown('min.js'), await shown('two.js')]).toEqual([
    '<51200 x>\n\n[Line 1 cut to 50.0KB of 58.6KB]',
    '<51200 x>\n\n[Line 1 cut to 50.0KB of 58.6KB. Showing line 1 of 2. Use offset=2 to continue.]',
  ])
})

test('notices that are sentences are joined by one period', async () => {
  const toolkit = toolkitOf({ 'l.txt': Buffer.from('caf\xe9 au lait\n'.repeat(3000), 'latin1') })
  expect(
    textOf(await toolkit.execute('read', { file_path: 'l.txt' }))
      .split('\n')
      .at(-1),
  ).toBe('[Showing lines 1-2000 of 3000. Use offset=2001 to continue. Decoded as windows-1252 (guessed)]')
})
