import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConnectorKind, Link } from '../../src/connectors/connector.ts'
import { DevicePool } from '../../src/dispatch/device-pool.ts'
import { LinkLeases } from '../../src/dispatch/link-leases.ts'
import { createLog } from '../../src/log.ts'
import { touchDirectory } from '../../src/storage/directory-version.ts'
import { insertRows } from '../../src/storage/sets.ts'
import { eventually } from '../eventually.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

interface StubLink {
  device: string
  says: string
  starts: number
  stops: number
  /** What it was told, in turn. */
  told: string[]
  finishStart(): void
  failStart(): void
}

let base: TestStorage
let pool: DevicePool
let links: StubLink[]
/** How many links of one device were there at once, at most. */
let mostAtOnce: number
const alive = new Map<string, number>()

/** Devices whose setting `start` is `slow` start when the test says so; one that `knows first` is told of receipts before. */
const stubKind: ConnectorKind<Link> = {
  kind: 'simulator',
  settings: [],
  secretNames: [],
  createLink({ id, settings }) {
    const ready = Promise.withResolvers<void>()
    const stub: StubLink = {
      device: id,
      says: settings['start'] ?? '',
      starts: 0,
      stops: 0,
      told: [],
      finishStart: ready.resolve,
      failStart: () => ready.reject(new Error('no')),
    }
    links.push(stub)
    const count = (change: number): void => {
      const now = (alive.get(id) ?? 0) + change
      alive.set(id, now)
      mostAtOnce = Math.max(mostAtOnce, now)
    }
    return {
      capabilities: { deliveryReports: true, maxParts: 10, alphanumericSender: true, encodingChoice: true },
      window: 10,
      health: () => ({
        status: 'online',
        reasons: [],
        link: 'none',
        lastSeenAt: null,
        nextContactExpectedBy: null,
        appVersion: null,
        battery: null,
        network: null,
        sims: [],
        lastError: null,
      }),
      ...(stub.says === 'knows first' && { resumesFirst: true as const }),
      resume: (expected) => void stub.told.push(...expected.map(({ networkId }) => networkId)),
      start: () => {
        stub.starts += 1
        stub.told.push('start')
        count(1)
        return stub.says === 'slow' ? ready.promise : Promise.resolve()
      },
      stop: async () => {
        if (stub.stops++ === 0) count(-1)
      },
      submit: async () => ({ kind: 'unavailable', detail: 'a stub' }),
    }
  },
}

const put = (id: string, start: string, updatedAt = 1): Promise<void> =>
  base.storage.writer.write(async (tx) => {
    const values = { settings: JSON.stringify({ start }), updated_at: updatedAt }
    const row = { id, mode: 'live' as const, kind: 'simulator', name: id, state: 'enabled' as const, senders: '[]', created_at: 1, ...values } // prettier-ignore
    await tx.insertInto('devices').values(row).onConflict((on) => on.column('id').doUpdateSet(values)).execute() // prettier-ignore
    await touchDirectory(tx)
  })

const disable = (id: string): Promise<void> =>
  base.storage.writer.write(async (tx) => {
    await tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', id).execute()
    await touchDirectory(tx)
  })

const running = (): string[] => pool.all.map(({ facts }) => facts.id).toSorted()
const linkOf = (device: string, nth = 0): StubLink => links.filter((link) => link.device === device)[nth]!

/** A start waits for the lease, and that for the database: the clock of the test says nothing of when. */
const isStarting = (device: string, nth = 0) =>
  eventually(
    () => links.filter((link) => link.device === device)[nth]?.starts,
    (starts) => expect(starts).toBe(1),
  )
const isTrue = (seen: boolean): void => expect(seen).toBe(true)
const isRunning = (...devices: string[]) => eventually(running, (seen) => expect(seen).toEqual(devices))
const ownerOf = async (id: string): Promise<string | null> => {
  const row = await base.storage.read
    .selectFrom('devices')
    .select('lease_owner')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.lease_owner
}
const isFree = (id: string) =>
  eventually(
    () => ownerOf(id),
    (owner) => expect(owner).toBeNull(),
  )
/** Everything that waits for nothing but its turn has had it, reads of the database too. */
async function drain(): Promise<void> {
  await base.storage.read.selectFrom('devices').select('id').execute()
  await base.clock.advance(0)
}

/** A reading of the tables, and the second that slow starts may take of it. */
async function reload(): Promise<void> {
  let isDone = false
  const reloading = pool.reloadIfChanged().then(() => (isDone = true))
  await eventually(async () => {
    await drain()
    if (!isDone) await base.clock.advance(250)
    return isDone
  }, isTrue)
  await reloading
}

beforeEach(async () => {
  base = await openTestStorage()
  links = []
  mostAtOnce = 0
  alive.clear()
  await base.storage.writer.write((tx) =>
    insertRows(tx, 'instance', [{ id: 1, epoch: 1, directory_version: 1, created_at: 1 }], 'ignore'),
  )
  pool = poolOf('one')
})

const poolOf = (owner: string): DevicePool => {
  const log = createLog('silent', { write: () => undefined })
  const { clock, storage } = base
  return new DevicePool({
    read: storage.read,
    clock,
    log,
    leases: new LinkLeases({ writer: storage.writer, clock, log, owner, isAlone: false }),
    random: () => 0.5,
    loadKind: async () => stubKind,
    openSecrets: () => ({}),
    eventsOf: () => ({
      receipt: async () => undefined,
      inbound: async () => undefined,
      late: async () => undefined,
      healthChanged: () => undefined,
    }),
    changed: () => undefined,
    reloadIntervalMs: 500,
    breakerRestMs: 0,
  })
}

afterEach(async () => {
  await pool.stop()
  await base.close()
})

test('a device that takes long to start keeps no other from it', async () => {
  await put('dev_a', 'slow')
  await put('dev_b', 'at once')
  await reload()
  await isRunning('dev_b')
  await put('dev_c', 'at once')
  await reload()
  await isRunning('dev_b', 'dev_c')
  linkOf('dev_a').finishStart()
  await isRunning('dev_a', 'dev_b', 'dev_c')
  expect(pool.forAccount('acc_a', 'live')).toHaveLength(3)
  expect(links).toHaveLength(3)
})

test('a link that judges by them knows the receipts that are expected before it starts, and any other after it', async () => {
  const receipt = { account_id: 'acc_a', mode: 'live' as const, message_id: 'msg_a', attempt_number: 1, wire_parts: 1, sent_at: 1 }
  const expected = ['dev_a', 'dev_b'].map((device_id) => ({ ...receipt, device_id, network_id: `of ${device_id}` }))
  await base.storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [
      { id: 'acc_a', name: 'A', state: 'active', created_at: 1, updated_at: 1 },
    ])
    await insertRows(tx, 'wallets', [
      { account_id: 'acc_a', mode: 'live', granted: 0, reserved: 0, used: 0, low_threshold: 0, refilled_day: null },
    ])
    await insertRows(tx, 'receipts_expected', expected)
  })
  await put('dev_a', 'knows first')
  await put('dev_b', 'at once')
  await reload()
  await isRunning('dev_a', 'dev_b')
  expect(linkOf('dev_a').told).toEqual(['of dev_a', 'start'])
  expect(linkOf('dev_b').told).toEqual(['start', 'of dev_b'])
}) // prettier-ignore

test('a change gives a start under way up, and never are there two links of one device', async () => {
  await put('dev_a', 'slow')
  await reload()
  await isStarting('dev_a')
  await put('dev_a', 'at once', 2)
  await reload()
  await isRunning('dev_a')
  expect(linkOf('dev_a', 0).stops).toBeGreaterThan(0)
  linkOf('dev_a', 0).finishStart()
  await drain()
  await isRunning('dev_a')
  expect(linkOf('dev_a', 1).stops).toBe(0)
  expect(mostAtOnce).toBe(1)
})

test('a device that is disabled while it starts does not run when its start ends', async () => {
  await put('dev_a', 'slow')
  await reload()
  await isStarting('dev_a')
  await disable('dev_a')
  await reload()
  linkOf('dev_a').finishStart()
  await isFree('dev_a')
  await drain()
  expect(running()).toEqual([])
  expect(linkOf('dev_a').stops).toBeGreaterThan(0)
})

test('a start that fails late is tried again in half a minute', async () => {
  await put('dev_a', 'slow')
  await reload()
  await isStarting('dev_a')
  linkOf('dev_a').failStart()
  await isFree('dev_a')
  await reload()
  expect(links).toHaveLength(1)
  await base.clock.advance(30_000)
  await reload()
  await isStarting('dev_a', 1)
  linkOf('dev_a', 1).finishStart()
  await isRunning('dev_a')
})

test('a stop waits for no start', async () => {
  await put('dev_a', 'slow')
  const reloading = pool.reloadIfChanged()
  await eventually(() => links.length === 1, isTrue)
  await pool.stop()
  await reloading
  expect(running()).toEqual([])
})

/** Time goes by, and what falls due has its answer of the database. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await base.clock.advance(1_000)
    await base.storage.writer.drain()
    await drain()
  }
}

test('of two nodes one runs a link, and the other does once that one has stopped', async () => {
  const other = poolOf('two')
  await put('dev_a', 'at once')
  await reload()
  await isRunning('dev_a')
  await other.reloadIfChanged()
  expect([running(), other.all]).toEqual([['dev_a'], []])
  expect(alive.get('dev_a')).toBe(1)
  await pool.stop()
  expect(await ownerOf('dev_a')).toBeNull()
  await pass(5)
  await other.reloadIfChanged()
  expect(other.all.map(({ candidate }) => candidate)).toHaveLength(1)
  expect(mostAtOnce).toBe(1)
  await other.stop()
})

test('a link whose lease another node has taken stops, and runs again once that one lets it go', async () => {
  await put('dev_a', 'at once')
  await reload()
  await isRunning('dev_a')
  const [runtime] = pool.all
  expect(runtime?.candidate()).toMatchObject({ free: 10, leaseToken: 1 })
  const taken = { lease_owner: 'two', lease_token: 2, lease_until: base.clock.now() + 3_600_000 }
  await base.storage.writer.write((tx) =>
    tx.updateTable('devices').set(taken).where('id', '=', 'dev_a').execute(),
  )
  await pass(16)
  expect(runtime?.candidate().free).toBe(0)
  expect(runtime?.isHeld).toBe(false)
  expect(linkOf('dev_a').stops).toBe(1)
  expect(running()).toEqual([])
  expect(pool.servingAccount('acc_a', 'live').map(({ facts }) => facts.id)).toEqual(['dev_a'])
  await reload()
  expect(running()).toEqual([])
  expect(await ownerOf('dev_a')).toBe('two')
  await base.storage.writer.write(
    (tx) =>
    tx.updateTable('devices').set({ lease_owner: null, lease_until: null }).where('id', '=', 'dev_a').execute(), // prettier-ignore
  )
  await pass(6)
  await reload()
  await isRunning('dev_a')
  expect(pool.all[0]?.candidate().leaseToken).toBe(3)
  expect(mostAtOnce).toBe(1)
})

test('a change of a device keeps its lease, and one that is switched off gives it back', async () => {
  await put('dev_a', 'at once')
  await reload()
  await isRunning('dev_a')
  await put('dev_a', 'slow', 2)
  await reload()
  await isStarting('dev_a', 1)
  expect(await ownerOf('dev_a')).toBe('one')
  linkOf('dev_a', 1).finishStart()
  await isRunning('dev_a')
  expect(pool.all[0]?.candidate().leaseToken).toBe(1)
  await disable('dev_a')
  await reload()
  await isFree('dev_a')
})

test('a device that cannot be started holds no lease', async () => {
  await put('dev_a', 'slow')
  await reload()
  await isStarting('dev_a')
  expect(await ownerOf('dev_a')).toBe('one')
  linkOf('dev_a').failStart()
  await isFree('dev_a')
})
