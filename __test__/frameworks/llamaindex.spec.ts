// `tenon/llamaindex` with the calls of LlamaIndex.TS.

import { describe, expect, test } from 'vitest'

import { toLlamaIndexTools } from '../../llamaindex.js'
import { FILES, packagesOf } from '../support/frameworks.js'
import { toolkitOf } from '../support/workspace.js'

const packages = packagesOf('llamaindex')

describe.skipIf(packages.missing)(`LlamaIndex.TS (${packages.missing ?? 'installed'})`, () => {
  test('a call gives the text, an image is named, an error is read', async () => {
    const { callTool } = (packages as any).load('@llamaindex/core/agent') as any
    const tools = toLlamaIndexTools(toolkitOf(FILES))
    const read = tools.find(({ metadata }) => metadata.name === 'read')!
    const logger = { log() {}, error() {}, warn() {} }
    const outputOf = async (input: object) => {
      const { output, isError } = await callTool(read as any, { id: '1', name: 'read', input }, logger)
      return [output, isError]
    }
    expect(await outputOf({ file_path: 'notes.txt' })).toEqual(['one\ntwo\n', false])
    expect(await outputOf({ file_path: 'dot.png' })).toEqual([expect.stringContaining('[image, image/png: not shown here]'), false])
    expect((await outputOf({ file_path: 'none.txt' }))[0]).toMatch(/^Error: `none\.txt` does not exist/)
  })
})
