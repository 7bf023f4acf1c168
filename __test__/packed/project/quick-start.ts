import { createTools, Toolkit, type AgentTool } from 'tenon'

const toolkit = new Toolkit({ workspace: process.cwd() })
const { content, details } = await toolkit.tool('read').execute('call-1', { file_path: 'package.json', limit: 1 })
if ('lines' in details) {
  const lines: number = details.lines
  if (lines < 5 || content[0]?.type !== 'text') throw new Error(`${lines} lines`)
}
const read = toolkit.tool('read')
// @ts-expect-error a file is required
void read.execute('call-2', {}).catch(() => undefined)

const tools: AgentTool[] = createTools({ workspace: process.cwd(), dialect: 'canonical' })
if (!tools.some((tool) => tool.name === 'Read')) throw new Error('no Read')
await toolkit.close()
