// @ts-ignore: an optional peer
import * as sdk from '@openai/agents'

import agents from './js/adapters/openai-agents.js'

// Over the function of the package as modules import it, not as `require` does.
export const { sandboxClient, toAgentsTools, toEditor, toShell } = agents.adapterOver({
  tool: sdk.tool,
  toolSearchTool: sdk.toolSearchTool,
  // @ts-ignore: newer versions of the peer have it
  loadSandbox: () => import('@openai/agents/sandbox'),
})
