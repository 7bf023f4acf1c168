// @ts-ignore: an optional peer
import { tool } from '@openai/agents'

import agents from './js/adapters/openai-agents.js'

// Over the function of the package as modules import it, not as `require` does.
export const { toAgentsTools, toEditor, toShell } = agents.adapterOver({ tool })
