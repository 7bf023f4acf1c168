// The newest pi that runs on this Node: 0.87 asks for Node 22, 0.74 runs on 20.

const [major] = process.versions.node.split('.').map(Number)

export const version = major >= 22 ? '0.87' : '0.74'
export const { Agent } = await (major >= 22 ? import('pi-agent-core-0.87') : import('@earendil-works/pi-agent-core'))
export const { fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, streamSimple } = await (major >= 22
  ? import('pi-ai-0.87/compat')
  : import('@earendil-works/pi-ai'))
