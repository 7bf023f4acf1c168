import { Worker } from 'node:worker_threads'

const worker = new Worker(new URL('quick-start.mjs', import.meta.url))
worker.once('error', (error) => {
  console.error(error)
  process.exitCode = 1
})
worker.once('exit', (code) => {
  process.exitCode ||= code
})
