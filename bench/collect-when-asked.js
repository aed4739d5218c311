// Loaded into a server before its program, in each of its threads (`node --import`): on SIGUSR2 every thread collects all its garbage, so that what
// is resident then is what the server needs. JavaScript, so that nothing is stripped on its account.
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const channel = new BroadcastChannel('collect garbage')
channel.unref()

/** The flag that gives the collector away is set once the server has started (src/garbage.ts). */
const collect = () =>
  runInNewContext('globalThis.gc')?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })

if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage('now')
    collect()
  })
else channel.addEventListener('message', collect)
