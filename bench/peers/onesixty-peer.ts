import packageJson from '../../package.json' with { type: 'json' }
import { waitUntilFinal } from '../life-rows.ts'
import { hundred, one } from '../load-job.ts'
import { makeAccount, makeFolder, startServer } from '../server-process.ts'
import { wideLink, withBenchSmsc } from '../smpp-link.ts'
import type { Mode, Peer, RunningPeer } from './peer.ts'
import { runOwn } from './own-process.ts'

/** This program on the embedded database, built, with its default settings and log. */
export const onesixtyPeer = async (): Promise<Peer> => ({
  name: 'onesixty',
  version: `${packageJson.version} (${(await runOwn('git', ['-C', import.meta.dirname, 'rev-parse', '--short', 'HEAD'])).trim()}), Node.js ${process.versions.node}`,
  durability:
    'flushed to the disk (SQLite, WAL with synchronous=FULL), with an ID, the state of each message and what it costs',
  hasLives: true,
  start,
})

/** The SMSC of a life runs as long as the server. */
async function start(mode: Mode): Promise<RunningPeer> {
  if (mode === 'accept') return startOn(async () => undefined)
  const started = Promise.withResolvers<RunningPeer>()
  const stopped = Promise.withResolvers<void>()
  const withSmsc = withBenchSmsc(wideLink, async (addLink) => {
    started.resolve(await startOn(addLink))
    await stopped.promise
  })
  withSmsc.catch(started.reject)
  const running = await started.promise
  return {
    ...running,
    async stop() {
      await running.stop()
      stopped.resolve()
      await withSmsc
    },
  }
}

async function startOn(
  prepare: (made: {
    folder: Awaited<ReturnType<typeof makeFolder>>
    account: Awaited<ReturnType<typeof makeAccount>>
  }) => Promise<void>,
): Promise<RunningPeer> {
  const folder = await makeFolder()
  const account = await makeAccount(folder, ['offline=true'])
  await prepare({ folder, account })
  const { pid, port, readyAfterMs, stop } = await startServer(folder)
  return {
    readyMs: readyAfterMs,
    pids: [pid],
    port,
    token: account.liveKey,
    shapeOf: (recipients) => (recipients === 1 ? one : { ...hundred, recipients }),
    async settled(messages) {
      await waitUntilFinal(folder)
      const [row] = await folder.query(
        "select count(*) as delivered, max(finalized_at) as last from messages where status = 'delivered'",
      )
      if (row?.['delivered'] !== messages)
        throw new Error(`Of ${messages} messages ${String(row?.['delivered'])} were delivered.`)
      return Number(row['last'])
    },
    async stop() {
      await stop()
      await folder.remove()
    },
  }
}
