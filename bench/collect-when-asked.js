// Loaded into a server before its program, in each of its threads (`node --import`): on SIGUSR2 every thread collects all its garbage, so that what
// is resident then is what the server needs. Once all have, the server says `collectedLine` (soak.ts) on its standard error. JavaScript, so that
// nothing is stripped on its account.
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const channel = new BroadcastChannel('collect garbage')
channel.unref()

/** Throws while the flag that gives the collector away is not set: src/process/garbage.ts sets it half a second after the start, and not while a thread starts late. */
const collect = () => runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })

if (isMainThread) {
  let threads = 0
  let collecting = 0
  const endIfAllHave = () => {
    if (collecting > 0) return
    collect()
    process.stderr.write('garbage is collected\n')
  }
  channel.addEventListener('message', ({ data }) => {
    if (data === 'started') threads++
    else if (data === 'collected') {
      collecting--
      endIfAllHave()
    }
  })
  process.on('SIGUSR2', () => {
    collecting = threads
    channel.postMessage('collect')
    endIfAllHave()
  })
} else {
  channel.postMessage('started')
  channel.addEventListener('message', ({ data }) => {
    if (data !== 'collect') return
    collect()
    channel.postMessage('collected')
  })
}
