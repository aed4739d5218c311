import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { epochFile } from '../../src/storage/instance/epoch-file.ts'
import { databaseFile } from '../../src/process/data-folder.ts'
import { sizeOf } from '../proof-sizes.ts'
import { eventually } from '../eventually.ts'
import { type CrashHouse, expectSound, openCrashHouse } from './crash-house.ts'
import { markerOf } from './load.ts'

/** Slower than the load, so that much waits whenever a copy is made. */
const device = { window: '20', submit_delay_ms: '20', delay_ms: '20' }
const rounds = Array.from({ length: sizeOf('PUT_BACKS') }, (_, i) => i)

/** What of the data folder comes back from a copy. */
const ways = ['the database alone', 'the database and its log', 'the whole folder but its epoch'] as const

let house: CrashHouse
let copy: string
beforeEach(async () => {
  house = await openCrashHouse(device)
  // A database that has been closed once has all of it in its file.
  expect(await house.server.stop()).toMatchObject({ code: 0 })
  await house.restart()
  copy = await mkdtemp(join(tmpdir(), 'onesixty-copy-'))
})
afterEach(async () => {
  await house.close()
  await rm(copy, { recursive: true, force: true })
})

/** As a snapshot of the disk takes it: nothing is written meanwhile. */
async function copyFolder(): Promise<void> {
  process.kill(house.server.pid, 'SIGSTOP')
  try {
    await mkdir(join(copy, 'data'))
    await cp(house.dataFolder, join(copy, 'data'), { recursive: true, filter: isOfServer })
  } finally {
    process.kill(house.server.pid, 'SIGCONT')
  }
}

/** The log of the peer lies there, too, and is the truth. */
const isOfServer = (path: string): boolean => !path.endsWith('.ndjson')

async function putBack(way: (typeof ways)[number]): Promise<void> {
  const file = databaseFile(house.dataFolder)
  for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
  const names = {
    'the database alone': ['onesixty.db'],
    'the database and its log': ['onesixty.db', 'onesixty.db-wal'],
    'the whole folder but its epoch': ['onesixty.db', 'onesixty.db-wal', 'hand-overs.log', 'secret'],
  }[way]
  for (const name of names) await cp(join(copy, 'data', name), join(house.dataFolder, name), { force: true })
  if (way === 'the whole folder but its epoch') await rm(epochFile(house.dataFolder))
}

/** What was handed over more than once: by marker and recipient. */
const twice = (): string[] => {
  const times = Map.groupBy(house.peer.records(), ({ text, to }) => `${markerOf(text)} ${to}`)
  return [...times].filter(([, all]) => all.length > 1).map(([name]) => name)
}

describe.for(ways)('a copy made at any time under load, of which is put back: %s', (way) => {
  test.for(rounds)('nothing goes twice, the start holds what waited and says so, and new messages go: round %i', async () => {
    const load = house.load({ perSecond: 300, onUnknown: 'resend_once' })
    load.resume()
    await eventually(() => load.accepted.size, (accepted) => expect(accepted).toBeGreaterThan(50))
    await wait(Math.random() * 1_000)
    await copyFolder()
    const submitted = house.peer.records().length
    await eventually(() => house.peer.records().length, (now) => expect(now).toBeGreaterThan(submitted))
    await wait(Math.random() * 1_500)
    await load.pause()
    await house.server.kill(Math.random() < 0.5 ? 'SIGKILL' : 'SIGTERM')
    await putBack(way)
    await house.restart()
    await eventually(house.server.output, (said) => expect(said).toContain('scheduled and queued messages are held'))

    const sent = await house.client.send(house.liveKey, { to: '+4915112345678', text: 'new' })
    expect(sent.status).toBe(202)
    await eventually(
      () => house.client.message(house.liveKey, sent.body.messages[0]!.id),
      ({ status }) => expect(status).toBe('delivered'),
    )
    expect(twice()).toEqual([])
    await expectSound(house)
  })
}) // prettier-ignore
