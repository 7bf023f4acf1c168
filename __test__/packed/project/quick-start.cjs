const assert = require('node:assert/strict')

const { createTools, ToolError } = require('tenon')

async function main() {
  const tools = createTools({ workspace: process.cwd() })
  const { execute } = { ...tools.find((tool) => tool.name === 'grep') }
  const { details } = await execute('call-1', { pattern: '"scratch"', path: 'package.json' })
  assert.deepEqual(details.matches, [{ file: 'package.json', line: 2, text: '  "name": "scratch",' }])
  await assert.rejects(execute('call-2', {}), (error) => ToolError.is(error) && error.error_type === 'invalid_input')
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
