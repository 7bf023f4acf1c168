import { expect, test } from '@jest/globals'

import { createTools, ToolError } from 'tenon'

test('tools answer and fail with objects of this realm', async () => {
  const read = createTools({ workspace: process.cwd() }).find((tool) => tool.name === 'read')
  const { content } = await read.execute('1', { file_path: 'package.json' })
  expect(content).toBeInstanceOf(Array)
  expect(content[0].text).toContain('scratch')
  const failure = await read.execute('2', { file_path: 'nowhere' }).catch((error) => error)
  expect(failure).toBeInstanceOf(ToolError)
  expect(failure).toBeInstanceOf(Error)
})
