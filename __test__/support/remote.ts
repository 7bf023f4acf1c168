import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'

import { onTestFinished } from 'vitest'

import { Toolkit, type ToolkitOptions } from '../../index.js'
import { remote, unix } from '../../remote.js'
import { ENGINE } from './engine.js'
import { until, workspaceOf } from './workspace.js'

const { CHUNK_FRAME, Decoder, jsonFrame } = require('../../js/remote/frames.js')

export { ENGINE }

export interface RunningEngine {
  socket: string
  pid: number
  kill(signal: NodeJS.Signals): Promise<void>
}

/** An engine that listens on a socket of its own, ended when the test is over. */
export async function engineOf(args: string[] = []): Promise<RunningEngine> {
  const socket = path.join(workspaceOf(), 'engine.sock')
  const child = spawn(ENGINE, ['serve', '--listen', `unix:${socket}`, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  onTestFinished(() => kill('SIGTERM'))
  await until(() => existsSync(socket))
  return { socket, pid: child.pid as number, kill }
}

/** A toolkit over a directory that only the engine works in. */
export function remoteOf(via: any, files: Record<string, string> = {}, { path: there, ...options }: Partial<ToolkitOptions<any>> & { path?: string } = {}) {
  const root = workspaceOf(files)
  const toolkit = new Toolkit<any>({ ...options, workspace: remote({ path: there ?? root, via }) })
  onTestFinished(() => toolkit.close())
  return { toolkit, root }
}

export interface Cut {
  /** After so many bytes to the engine the connection is cut, also in the middle of a frame. */
  sent?: number
  /** After so many bytes from the engine. */
  received?: number
}

/** The way to a socket over connections that are cut, each as the next entry says; those after the last are whole. */
export function cutting(socket: string, cuts: Cut[]) {
  const whole = unix(socket) as any
  const connections: any[] = []
  const open = async (events: any) => {
    const cut = cuts[connections.length] ?? {}
    let { sent = Infinity, received = Infinity } = cut
    const pipe = await whole.open({
      ...events,
      data: (bytes: Buffer) => {
        const some = bytes.subarray(0, Math.min(bytes.length, received))
        received -= bytes.length
        if (some.length > 0) events.data(some)
        if (received <= 0) pipe.close()
      },
    })
    const own = {
      ...pipe,
      write: (bytes: Buffer) => {
        const some = bytes.subarray(0, Math.min(bytes.length, Math.max(sent, 0)))
        sent -= bytes.length
        const mayWrite = pipe.write(some)
        if (sent <= 0) setImmediate(pipe.close)
        return mayWrite
      },
    }
    connections.push(own)
    return own
  }
  return { via: { name: 'a connection that is cut', open }, connections }
}

/** What says the protocol by hand. */
export async function peerOf(socket: string) {
  const stream: Socket = connect(socket)
  await once(stream, 'connect')
  onTestFinished(() => void stream.destroy())
  const decoder = new Decoder()
  const messages: any[] = []
  let isOver = false
  const transfers = new Map<number, Buffer[]>()
  const take = ({ kind, payload }: { kind: number; payload: Buffer }) => {
    if (kind === CHUNK_FRAME) {
      const number = payload.readUInt32BE(0)
      transfers.set(number, [...(transfers.get(number) ?? []), payload.subarray(4)])
      const credit = { jsonrpc: '2.0', method: 'credit', params: { transfer: number, bytes: payload.length - 4 } }
      stream.write(jsonFrame(JSON.stringify(credit)))
      return
    }
    const message = JSON.parse(payload.toString('utf8'))
    if (message.method !== 'whole') return void messages.push(message)
    const body = Buffer.concat(transfers.get(message.params.transfer) ?? []).toString('utf8')
    messages.push({ ...JSON.parse(`{"jsonrpc":"2.0",${body}`), seq: message.params.seq })
  }
  stream.on('data', (bytes: Buffer) => {
    decoder.push(bytes)
    for (let frame = decoder.next(); frame; frame = decoder.next()) take(frame)
  })
  stream.on('close', () => (isOver = true)).on('error', () => {})
  return {
    stream,
    messages,
    say: (message: object) => void stream.write(jsonFrame(JSON.stringify({ jsonrpc: '2.0', ...message }))),
    raw: (bytes: Buffer) => void stream.write(bytes),
    over: () => until(() => isOver),
    answer: async (id: string) => {
      await until(() => messages.some((message) => message.id === id && ('result' in message || 'error' in message)))
      return messages.find((message) => message.id === id && ('result' in message || 'error' in message))
    },
  }
}

/** `hello` and `attach` of a session of its own. */
export async function attachedPeer(socket: string, workspace: string, session = 'session-of-a-test-0', secret = 'secret-of-a-test-00') {
  const peer = await peerOf(socket)
  peer.say({ id: 'hello', method: 'hello', params: { protocol: { min: 1, max: 1 } } })
  peer.say({ id: 'attach', method: 'attach', params: { session, secret, lastSeen: 0, open: { options: { workspace }, parts: [] } } })
  await peer.answer('attach')
  return peer
}

/** The way to a socket, and every byte that was sent on it, as text. */
export function recording(socket: string) {
  const whole = unix(socket) as any
  const pieces: Buffer[] = []
  const open = async (events: any) => {
    const pipe = await whole.open(events)
    return {
      ...pipe,
      write: (bytes: Buffer) => {
        pieces.push(bytes)
        return pipe.write(bytes)
      },
    }
  }
  return { via: { name: 'a connection that is recorded', open }, sent: () => Buffer.concat(pieces).toString('utf8') }
}

/**
 * The way to a socket whose first connection is cut behind a frame of one direction, or with `more` bytes of the next one; and how many frames
 * crossed on that connection.
 */
export function cuttingAtFrame(socket: string, cut?: { direction: 'sent' | 'received'; frame: number; more: number }) {
  const whole = unix(socket) as any
  const frames = { sent: 0, received: 0 }
  let connections = 0
  const open = async (events: any) => {
    connections += 1
    if (connections > 1) return whole.open(events)
    const counters = { sent: counterOf(), received: counterOf() }
    /** As much of some bytes as may cross, and whether that is all that does. */
    const pass = (direction: 'sent' | 'received', bytes: Buffer): [Buffer, boolean] => {
      const at = counters[direction]
      const ends = at.take(bytes)
      const before = frames[direction]
      frames[direction] += ends.length
      if (cut?.direction !== direction) return [bytes, false]
      if (before > cut.frame) return [Buffer.alloc(0), true]
      const end = cut.frame === 0 ? 0 : ends[cut.frame - before - 1]
      if (end === undefined && before !== cut.frame) return [bytes, false]
      return [bytes.subarray(0, (end ?? 0) + cut.more), true]
    }
    let pipe: any
    let isOver = false
    const over = () => {
      isOver = true
      setImmediate(() => pipe?.close())
    }
    pipe = await whole.open({
      ...events,
      data: (bytes: Buffer) => {
        if (isOver) return
        const [some, isLast] = pass('received', bytes)
        if (some.length > 0) events.data(some)
        if (isLast) over()
      },
    })
    return {
      ...pipe,
      write: (bytes: Buffer) => {
        if (isOver) return true
        const [some, isLast] = pass('sent', bytes)
        const mayWrite = some.length === 0 || pipe.write(some)
        if (isLast) over()
        return mayWrite
      },
    }
  }
  return { via: { name: 'a connection that is cut at a frame', open }, frames }
}

/** Where frames end in the bytes of a stream that come in pieces. */
function counterOf() {
  let rest = Buffer.alloc(0)
  return {
    take: (bytes: Buffer) => {
      const known = rest.length
      rest = Buffer.concat([rest, bytes])
      const ends: number[] = []
      let at = 0
      while (rest.length - at >= 4 && rest.length - at >= 4 + rest.readUInt32BE(at)) {
        at += 4 + rest.readUInt32BE(at)
        ends.push(at - known)
      }
      rest = rest.subarray(at)
      return ends
    },
  }
}
