// One worker of workers.spec.ts: starts work of every kind, reports that it runs, then ends as the test says.
const { parentPort, workerData } = require('node:worker_threads')

const { Toolkit } = require(workerData.root)

const toolkit = new Toolkit({ workspace: workerData.workspace, onTelemetry() {} })
const ignore = () => {}

async function main() {
  const { content } = await toolkit.execute('read', { file_path: 'a.txt' })
  toolkit.execute('exec', { command: 'echo $$ > pid; exec sleep 61' }).catch(ignore)
  toolkit.execute('exec', { command: 'while true; do echo x; sleep 0.01; done' }, { onUpdate: ignore }).catch(ignore)
  toolkit.execute('grep', { pattern: 'x' }, { onUpdate: ignore }).catch(ignore)
  setTimeout(() => parentPort.postMessage(content[0].text), 200)
  parentPort.on('message', () => process.exit(0))
}

main()
