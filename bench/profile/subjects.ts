import type { BenchRun } from '../bench-run.ts'
import { openLargeDatabase } from '../large-database.ts'
import { live } from '../life-rows.ts'
import { hundred, one, type RequestShape } from '../load-job.ts'
import { type ReadPaths, readPaths } from '../read-paths.ts'
import { type ServedBench, startServer, withServer } from '../server-process.ts'
import { wideLink, withBenchSmsc } from '../smpp-link.ts'
import type { Probe } from './instrument.ts'
import type { ProfileName } from './profile-names.ts'
import { profileStatements } from './statement-profile.ts'
import { lookOn, toPhones } from './stream-subjects.ts'

/** Loads a server that the probe sees. Gives what else there is to say of it, in lines. */
export type Subject = (run: BenchRun, probe: Probe) => Promise<string[]>

export const subjects = {
  accept: accepts(one),
  'accept-many': accepts(hundred),
  life: lives(one),
  'life-many': lives(hundred),
  'smpp-life': livesOverSmpp(one),
  'smpp-life-many': livesOverSmpp(hundred),
  'accept-postgres': onPostgres(accepts, one),
  'life-postgres': onPostgres(lives, one),
  'life-many-postgres': onPostgres(lives, hundred),
  history: reads('newest'),
  'history-of-a-number': reads('ofOneNumber'),
  'changed-since': reads('changedSince'),
  status: reads('status'),
  phones: toPhones,
  'console-streams': lookOn,
} satisfies Readonly<Record<ProfileName, Subject>>

interface Place {
  databaseUrl?: string
  /** Right before the load. */
  begin?: () => Promise<void>
}

/** Accepting alone: the only device is offline. */
function accepts(shape: RequestShape & { kind: 'send' }, place: Place = {}): Subject {
  return (run, probe) =>
    served(probe, 'offline=true', place, async ({ server, account }) => {
      const load = (measureMs: number) =>
        run.load('accept', { server, token: account.liveKey, shape, warmUpMs: 0, measureMs })
      await load(run.lengths.warmUpMs)
      await place.begin?.()
      await probe.measure(async () => ({
        units: (await load(run.lengths.measureMs)).messages,
        unit: 'message',
      }))
    })
}

/** From the acceptance of the first to the final state of the last. */
function lives(shape: RequestShape & { kind: 'send' }, place: Place = {}): Subject {
  return (run, probe) =>
    served(probe, 'delay_ms=0', place, async (server) => {
      await measureLives(run, probe, { served: server, shape, begin: place.begin })
    })
}

function livesOverSmpp(shape: RequestShape & { kind: 'send' }): Subject {
  return (run, probe) =>
    withBenchSmsc(wideLink, (addLink) =>
      served(probe, 'offline=true', {}, async (server) => {
        await addLink(server)
        await measureLives(run, probe, { served: server, shape })
      }),
    )
}

async function measureLives(
  run: BenchRun,
  probe: Probe,
  { served: server, shape, begin }: { served: ServedBench; shape: RequestShape; begin?: Place['begin'] },
): Promise<void> {
  const load = (measureMs: number) =>
    live(run, { name: 'whole life', shape }, { served: server, limits: { measureMs } })
  await load(run.lengths.warmUpMs)
  await begin?.()
  // What a load of this length leaves waiting takes as long again.
  await probe.measure(async () => ({
    units: (await load(run.lengths.measureMs / 2)).messages,
    unit: 'message',
  }))
}

/** On a PostgreSQL that tells what its statements took. */
function onPostgres(
  subject: (shape: RequestShape & { kind: 'send' }, place: Place) => Subject,
  shape: RequestShape & { kind: 'send' },
): Subject {
  return (run, probe) =>
    profileStatements(async ({ databaseUrl, begin }) => {
      await subject(shape, { databaseUrl, begin })(run, probe)
    })
}

async function served(
  { nodeOptions, under }: Probe,
  settings: string,
  { databaseUrl }: Place,
  use: (started: ServedBench) => Promise<void>,
): Promise<string[]> {
  await withServer({ settings: [settings], nodeOptions, under, databaseUrl }, use)
  return []
}

/** Reads among many messages, as fast as they are answered. */
function reads(which: keyof ReadPaths): Subject {
  return async (run, { nodeOptions, under, measure }) => {
    const database = await openLargeDatabase(run.lengths.largeDatabase, run.say)
    const server = await startServer(database.folder, { nodeOptions, under })
    try {
      const shape = { kind: 'get', paths: readPaths[which](database) } as const
      const load = (measureMs: number) =>
        run.load(which, { server, token: database.liveKey, shape, expectedStatus: 200, connections: 4, warmUpMs: 0, measureMs })
      await load(run.lengths.warmUpMs)
      await measure(async () => ({ units: (await load(run.lengths.measureMs)).messages, unit: 'request' }))
      return []
    } finally {
      await server.stop()
    }
  }
} // prettier-ignore
