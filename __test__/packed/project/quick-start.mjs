import assert from 'node:assert/strict'

import { createTools, jsonResult, ToolError, Toolkit, toToolDefinitions } from 'tenon'

assert.deepEqual(Object.keys(jsonResult({})), ['content', 'details'])
assert.equal(typeof toToolDefinitions, 'function')

const tools = createTools({ workspace: process.cwd() })
const read = tools.find((tool) => tool.name === 'read')
const { content, details } = await read.execute('call-1', { file_path: 'package.json', limit: 3 })
assert.match(content[0].text, /"name": "scratch"/)
assert.equal(details.startLine, 1)
await assert.rejects(read.execute('call-2', { file_path: 'nowhere' }), (error) => error instanceof ToolError && error.error_type === 'not_found')

const toolkit = new Toolkit({ workspace: process.cwd(), dialect: 'canonical' })
const { details: command } = await toolkit.execute('Bash', { command: 'echo hello' })
assert.deepEqual(command, { stdout: 'hello\n', stderr: '', exit_code: 0 })
await toolkit.close()
