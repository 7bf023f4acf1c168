// @ts-check
'use strict'

const { agentSandbox, cloudflare, daytona, e2b, kubernetes, modal, sandboxSession, vercel } = require('./js/remote/sandboxes.js')
const { command, docker, kubectl, spawn, ssh, tcp, unix, websocket } = require('./js/remote/transports.js')
const { remote } = require('./js/remote/workspace.js')

module.exports = {
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
}
