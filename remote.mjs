import remotes from './remote.js'

export const {
  agentSandbox,
  cloudflare,
  command,
  daytona,
  docker,
  e2b,
  kubectl,
  kubernetes,
  modal,
  remote,
  sandboxSession,
  spawn,
  ssh,
  tcp,
  unix,
  vercel,
  websocket,
} = remotes
export default remotes
