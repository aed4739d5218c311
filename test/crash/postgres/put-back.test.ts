import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usualTimes } from '../../../src/runtime/times.ts'
import { eventually } from '../../eventually.ts'
import { type PostgresServer, startPostgres } from '../../postgres-server.ts'
import { sizeOf } from '../../proof-sizes.ts'
import { type CrashHouse, expectSound, openCrashHouse } from '../crash-house.ts'
import { type Load, markerOf } from '../load.ts'
import { copyStopped, makeBaseBackup, putBack, takeSnapshot } from './disk-copies.ts'

/** Slower than the load, so that much waits whenever a copy is made. */
const device = { window: '20', submit_delay_ms: '100', delay_ms: '100' }
const perSecond = 200
const rounds = Array.from({ length: sizeOf('SERVER_PUT_BACKS') }, (_, i) => i)

interface Way {
  summary: string
  copy: (server: PostgresServer, to: string) => Promise<void>
  /** The node runs while the copy is put back under it. */
  runs?: true
  /** Another node comes, with an empty folder, as on a new machine. */
  forgets?: true
}

const ways: readonly Way[] = [
  { summary: 'a snapshot of its disk', copy: takeSnapshot },
  { summary: 'a snapshot of its disk, under a node that runs', copy: takeSnapshot, runs: true },
  { summary: 'a copy that was made while it was stopped', copy: copyStopped },
  {
    summary: 'a base backup that is recovered, to a node with a new folder',
    copy: makeBaseBackup,
    forgets: true,
  },
]

/** An end for what hangs; a busy machine is slow. */
const patienceMs = 60_000
/** Until then the links of a node that was lost with its folder are its own. */
const withinMs = usualTimes.silenceMs + patienceMs
const settings = { ONESIXTY_NODE: 'first' }

let postgres: PostgresServer
let house: CrashHouse
let copies: string
beforeAll(async () => {
  postgres = await startPostgres()
  house = await openCrashHouse(device, { postgresUrl: postgres.url, env: settings })
  // Beside the disk: where that is memory, so is its copy.
  copies = await mkdtemp(join(dirname(postgres.databaseDir), 'copies-'))
})
afterAll(async () => {
  await house?.close()
  await postgres?.stop()
})

const times = new Map<string, number>()
let counted = 0

/** How often each message was handed over. A look counts what is new: the long run has a hundred thousand, and looks 40 times a second. */
function submitted(): ReadonlyMap<string, number> {
  const records = house.peer.records()
  for (const { text, to } of records.slice(counted)) {
    const name = `${markerOf(text)} ${to}`
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  counted = records.length
  return times
}

/** What was answered with 202 and has not been handed over. */
function waitingOf(load: Load): string[] {
  const gone = submitted()
  const accepted = [...load.accepted].flatMap(([marker, { messages }]) =>
    messages.map(({ to }) => `${marker} ${to}`),
  )
  return accepted.filter((name) => !gone.has(name))
}

const twice = (): string[] => [...submitted()].filter(([, count]) => count > 1).map(([name]) => name)

/** But for the log of the peer, which is the truth. The name of the node that was lost is its own until it counts as dead. */
async function takeNewFolder(node: string): Promise<void> {
  settings.ONESIXTY_NODE = node
  for (const name of await readdir(house.dataFolder))
    if (!name.endsWith('.ndjson')) await rm(join(house.dataFolder, name), { recursive: true })
}

/** Copies under load; settles when some of what waits in the copy has been handed over since. */
async function copyUnderLoad({ copy }: Way, name: string, to: string): Promise<void> {
  const load = house.load({ perSecond, name, onUnknown: 'resend_once', isPatient: true })
  load.resume()
  await eventually(
    () => waitingOf(load).length,
    (waiting) => expect(waiting).toBeGreaterThan(60),
    patienceMs,
  )
  await wait(Math.random() * 1_000)
  const before = waitingOf(load)
  await copy(postgres, to)
  const gone = submitted()
  const waits = before.filter((one) => !gone.has(one))
  await eventually(
    () => waits.filter((one) => submitted().has(one)).length,
    (since) => expect(since, 'handed over since the copy').toBeGreaterThan(10),
    patienceMs,
  )
  await wait(Math.random() * 1_000)
  await load.pause()
}

describe.for(ways.slice(0, sizeOf('SERVER_COPIES')))('PostgreSQL put back by $summary', (way) => {
  test.for(rounds)('nothing goes twice, what waited is held and the node says so, and new messages go: round %i', async (round) => {
    const name = `w${ways.indexOf(way)}r${round}`
    const copied = join(copies, name)
    await copyUnderLoad(way, name, copied)

    const saidBefore = way.runs ? house.server.output().length : 0
    if (!way.runs) await house.server.kill(Math.random() < 0.5 ? 'SIGKILL' : 'SIGTERM')
    await postgres.kill()
    await putBack(postgres, copied)
    await rm(copied, { recursive: true })
    if (way.forgets) await takeNewFolder(name)
    await postgres.restart()
    if (!way.runs) await house.restart()

    await eventually(
      () => house.server.output().slice(saidBefore),
      // A claim that fails before says that it waits for it: what is sent then is held, too.
      (said) => expect(said).toMatch(/restored(?: while this node ran)?: scheduled and queued messages are held/),
      30_000,
    )
    const sent = await house.client.send(house.liveKey, { to: '+4915112345678', text: `new-${name}` })
    expect(sent.status).toBe(202)
    await eventually(
      () => house.client.message(house.liveKey, sent.body.messages[0]!.id),
      ({ status }) => expect(status).toBe('delivered'),
      withinMs,
    )
    expect(twice()).toEqual([])
    await expectSound(house)
    // The next round finds nothing held.
    await eventually(
      () => house.onesixty<{ is_more_held: boolean }>('restore', 'settle'),
      ({ is_more_held }) => expect(is_more_held).toBe(false),
      patienceMs,
    )
  })
}) // prettier-ignore
