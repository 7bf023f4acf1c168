// Of the project `remote`: an engine on a Unix socket, for the tests of one file.

import { afterAll, beforeAll } from 'vitest'

import { startEngine } from './engine.js'

let stop: (() => Promise<void>) | undefined

beforeAll(async () => {
  const engine = await startEngine()
  process.env.TENON_TEST_ENGINE = engine.socket
  stop = engine.stop
})

afterAll(() => stop?.())
