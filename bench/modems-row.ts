import { startAtModems } from '../test/peers/at-modem-control.ts'
import { freePort } from '../test/free-port.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRun } from './bench-run.ts'
import { startBenchPostgres } from './bench-postgres.ts'
import type { Figure } from './figure.ts'
import { waitUntilFinal } from './life-rows.ts'
import { one } from './load-job.ts'
import { watchProcessor } from './process-usage.ts'
import { type ServedBench, withServer } from './server-process.ts'

const row = 23
const modems = 64
/** Ten parts a minute for each: as much as networks let a SIM send. */
const perSecond = (modems * 10) / 60
const mostOfACore = 0.25
const onlineWithinMs = 120_000

/** Row 23: what a pool of modems costs a server that sends ten parts a minute over each, on both databases. */
export async function measureModems(run: BenchRun): Promise<Figure[]> {
  const embedded = await poolOf(run, 'the embedded database')
  const postgres = await startBenchPostgres()
  try {
    return [embedded, await poolOf(run, 'PostgreSQL', postgres.url)]
  } finally {
    await postgres.stop()
  }
}

async function poolOf(run: BenchRun, database: string, databaseUrl?: string): Promise<Figure> {
  const port = await freePort()
  const emulated = await startAtModems({ count: modems, port })
  try {
    return await withServer({ settings: ['offline=true'], databaseUrl }, async (served) => {
      const { folder, account } = served
      const ports = `tcp://127.0.0.1:${port}-${port + modems - 1}`
      await folder.cli('device', 'add', 'modem', '--account', account.accountId, '--name', 'Pool {n}', '--each', ports)
      await allOnline(served)
      const watched = watchProcessor(served.server.pid)
      const measureMs = run.lengths.modemsMs
      const { messages } = await run.load(`${modems} modems, ${database}`, { server: served.server, token: account.liveKey, shape: one, perSecond, warmUpMs: 0, measureMs, connections: 4 }) // prettier-ignore
      const { total } = watched.stop()
      await waitUntilFinal(folder)
      const taken = emulated.list.reduce((sum, modem) => sum + modem.taken().length, 0)
      const [ended] = await folder.query("select count(*) as n from messages where status = 'delivered'")
      const isExact = taken === messages && Number(ended?.['n']) === messages
      return {
        row,
        name: `${modems} modems that send ten parts a minute each for ${Math.round(measureMs / 1_000)} s, ${database}`,
        value: `${(total * 100).toFixed(1)} % of a core; ${messages} sent, ${taken} on handsets, ${Number(ended?.['n'])} delivered`,
        bar: { kind: 'holds', holds: isExact && total <= mostOfACore, summary: `equal, ≤ ${mostOfACore * 100} % of a core` },
      }
    }) // prettier-ignore
  } finally {
    await emulated.stop()
  }
}

async function allOnline({ server, account }: ServedBench): Promise<void> {
  const headers = { authorization: `Bearer ${account.liveKey}` }
  for (const endMs = performance.now() + onlineWithinMs; ; await sleep(500)) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/status`, { headers })
    const { devices = [] } = (await answer.json()) as { devices?: { status: string }[] }
    const online = devices.filter(({ status }) => status === 'online').length
    if (online === modems) return
    if (performance.now() > endMs) throw new Error(`Only ${online} of ${modems} modems are online.`)
  }
}
