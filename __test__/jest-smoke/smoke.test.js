// That the package loads inside jest, which runs tests in a context of its own, and that what it
// answers is of that context.
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const { ToolError, Toolkit, createTools } = require('../..')

/** Closed after each test: `jest --detectOpenHandles` must find nothing. */
const toolkits = []
let workspace

function open() {
  const toolkit = new Toolkit({ workspace })
  toolkits.push(toolkit)
  return toolkit
}

beforeEach(() => {
  workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-jest-'))
  fs.writeFileSync(path.join(workspace, 'a.txt'), 'hello\n')
})
afterEach(async () => {
  for (const toolkit of toolkits.splice(0)) await toolkit.close()
  fs.rmSync(workspace, { recursive: true })
})

test('a tool answers with objects of this realm', async () => {
  const tools = createTools({ workspace })
  toolkits.push(tools)
  const read = tools.find((tool) => tool.name === 'read')
  const result = await read.execute('1', { file_path: 'a.txt' })
  expect(result.content).toBeInstanceOf(Array)
  expect(result).toEqual({ content: [{ type: 'text', text: expect.stringContaining('hello') }], details: expect.objectContaining({ path: 'a.txt' }) })
})

test('a failure is an error of this realm', async () => {
  const toolkit = open()
  const call = toolkit.execute('read', { file_path: 'b.txt' })
  await expect(call).rejects.toThrow(ToolError)
  await expect(call).rejects.toBeInstanceOf(Error)
  await expect(call).rejects.toThrow('b.txt')
})

test('a signal of jest aborts', async () => {
  const abort = new AbortController()
  const call = open().execute('exec', { command: 'sleep 60' }, { signal: abort.signal })
  setTimeout(() => abort.abort(), 50)
  await expect(call).rejects.toMatchObject({ error_type: 'aborted' })
})

test('fake timers do not touch the tools', async () => {
  jest.useFakeTimers()
  const updates = []
  const { details } = await open().execute('exec', { command: 'for i in 1 2 3; do echo $i; sleep 0.1; done' }, { onUpdate: (update) => updates.push(update) })
  jest.useRealTimers()
  expect(details.exitCode).toBe(0)
  expect(updates.length).toBeGreaterThan(0)
})
