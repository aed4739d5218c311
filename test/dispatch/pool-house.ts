import { expect } from 'vitest'
import type { ConnectorKind, Link } from '../../src/connectors/connector.ts'
import type { ConnectorTools, LastSession } from '../../src/connectors/connector-tools.ts'
import { DevicePool } from '../../src/dispatch/devices/device-pool.ts'
import { LinkLeases } from '../../src/dispatch/devices/link-leases.ts'
import { createLog } from '../../src/process/log.ts'
import { type Db, StorageError } from '../../src/storage/seam/dialect.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { eventually } from '../eventually.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'

export interface StubLink {
  device: string
  summary: string
  starts: number
  stops: number
  /** What it was told, in turn. */
  told: string[]
  /** What it was handed by the links before it. */
  lastSession: LastSession | undefined
  resumeAgain: ConnectorTools['resumeAgain']
  finishStart(): void
  failStart(): void
  finishStop(): void
}

/** The pool of one node on a real store, with links that a test starts and fails by hand. */
export interface PoolHouse extends TestStorage {
  pool: DevicePool
  /** The pool of another node, and what it does not read while `fails` says so. */
  poolOf(owner: string, fails?: (table: string) => boolean): DevicePool
  /** Every link that was made, in turn. */
  links: StubLink[]
  linkOf(device: string, nth?: number): StubLink
  /** How many links of a device were started and not stopped. */
  aliveOf(device: string): number
  /** How many links of one device were there at once, at most. */
  maxAtOnce(): number
  put(id: string, start: string, updatedAt?: number): Promise<void>
  disable(id: string): Promise<void>
  running(): string[]
  isRunning(...devices: string[]): Promise<unknown>
  /** A start waits for the lease, and that for the database: the clock of the test says nothing of when. */
  isStarting(device: string, nth?: number): Promise<unknown>
  ownerOf(id: string): Promise<string | null>
  isFree(id: string): Promise<unknown>
  /** Everything that waits for nothing but its turn has had it, reads of the database too. */
  drain(): Promise<void>
  /** A reading of the tables, and the second that slow starts may take of it. */
  reload(): Promise<void>
  /** Time goes by, and what falls due has its answer of the database. */
  pass(seconds: number): Promise<void>
}

/** The number of the SIM of each phone. */
export const simNumber = '+4915550001234'

export async function openPoolHouse(): Promise<PoolHouse> {
  const base = await openTestStorage()
  const { storage, clock } = base
  await storage.writer.write((tx) =>
    insertRows(tx, 'instance', [{ id: 1, epoch: 1, directory_version: 1, created_at: 1 }], 'ignore'),
  )
  const stubs = createStubKind()
  const { links } = stubs
  const pool = openPool(base, stubs.kind, 'one')
  const running = (): string[] => pool.all.map(({ facts }) => facts.id).toSorted()
  const ownerOf = async (id: string): Promise<string | null> => {
    const device = storage.read.selectFrom('devices').select('lease_owner').where('id', '=', id)
    return (await device.executeTakeFirstOrThrow()).lease_owner
  }
  const drain = async (): Promise<void> => {
    await storage.read.selectFrom('devices').select('id').execute()
    await clock.advance(0)
  }
  return {
    ...base,
    ...stubs,
    pool,
    poolOf: (owner, fails = () => false) =>
      openPool({ ...base, storage: { ...storage, read: failingAt(storage.read, fails) } }, stubs.kind, owner),
    linkOf: (device, nth = 0) => links.filter((link) => link.device === device)[nth]!,
    put: (id, start, updatedAt = 1) => put(base, { id, start, updatedAt }),
    disable: (id) =>
      storage.writer.write(async (tx) => {
        await tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', id).execute()
        await touchDirectory(tx)
      }),
    running,
    isRunning: (...devices) => eventually(running, (seen) => expect(seen).toEqual(devices)),
    isStarting: (device, nth = 0) =>
      eventually(
        () => links.filter((link) => link.device === device)[nth]?.starts,
        (starts) => expect(starts).toBe(1),
      ),
    ownerOf,
    isFree: (id) =>
      eventually(
        () => ownerOf(id),
        (owner) => expect(owner).toBeNull(),
      ),
    drain,
    async reload() {
      let isDone = false
      const reloading = pool.reloadIfChanged().then(() => (isDone = true))
      const step = async (): Promise<boolean> => {
        await drain()
        if (!isDone) await clock.advance(250)
        return isDone
      }
      await eventually(step, (seen) => expect(seen).toBe(true))
      await reloading
    },
    async pass(seconds) {
      for (let i = 0; i < seconds; i++) {
        await clock.advance(1_000)
        await storage.writer.drain()
        await drain()
      }
    },
    async close() {
      await pool.stop()
      await base.close()
    },
  }
}

/** Devices whose setting `start` is `slow` start when the test says so, and one that `stays` stops then; one that is `visited` is a phone; one that `knows first` is told of receipts before, and of one that `knows too much` these cannot be read in time. */
function createStubKind() {
  const links: StubLink[] = []
  const alive = new Map<string, number>()
  let maxAtOnce = 0
  const kind: ConnectorKind<Link> = {
    kind: 'simulator',
    settings: [],
    secretNames: [],
    runsOn: ({ start = '' }) => /^only (\w+)$/.exec(start)?.[1] ?? null,
    createLink({ id, settings }, { lastSession, resumeAgain }) {
      const ready = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const stub: StubLink = {
        device: id,
        summary: settings['start'] ?? '',
        starts: 0,
        stops: 0,
        told: [],
        lastSession,
        resumeAgain,
        finishStart: ready.resolve,
        failStart: () => ready.reject(new Error('no')),
        finishStop: gone.resolve,
      }
      links.push(stub)
      const count = (change: number): void => {
        const now = (alive.get(id) ?? 0) + change
        alive.set(id, now)
        maxAtOnce = Math.max(maxAtOnce, now)
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
        ...(stub.summary.startsWith('knows') && { resumesFirst: { most: 3 } }),
        resume: (expected) => {
          if (stub.summary === 'knows too much') throw new StorageError('a time-out', 'busy', false)
          stub.told.push(...expected.map(({ networkId }) => networkId))
        },
        start: () => {
          stub.starts += 1
          stub.told.push('start')
          count(1)
          return stub.summary.endsWith('slow') ? ready.promise : Promise.resolve()
        },
        stop: async () => {
          if (stub.stops++ > 0) return
          if (stub.summary.endsWith('stays')) await gone.promise
          count(-1)
        },
        submit: async () => ({ kind: 'unavailable', detail: 'a stub' }),
        ...(stub.summary.startsWith('visited') && {
          leased: true,
          sims: { simOf: new Map([[simNumber, 1]]), turns: [] },
          wake: () => undefined,
          recall: () => undefined,
          remember: () => undefined,
          rest: (isResting: boolean) => void stub.told.push(isResting ? 'rest' : 'wake up'),
        }),
      }
    },
  }
  return { kind, links, aliveOf: (device: string) => alive.get(device) ?? 0, maxAtOnce: () => maxAtOnce }
}

const failingAt = (read: Db, fails: (table: string) => boolean): Db =>
  new Proxy(read, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        if (name === 'selectFrom' && fails(String(args[0])))
          throw new StorageError('a time-out', 'busy', false)
        return Reflect.apply(value, target, args)
      }
    },
  })

function openPool(
  {
    clock,
    storage: { read, writer },
  }: Pick<TestStorage, 'clock'> & { storage: Pick<TestStorage['storage'], 'read' | 'writer'> },
  kind: ConnectorKind<Link>,
  owner: string,
): DevicePool {
  const log = createLog('silent', { write: () => undefined })
  return new DevicePool({
    read,
    clock,
    log,
    leases: new LinkLeases({ writer, clock, log, owner, isAlone: false }),
    random: () => 0.5,
    loadKind: async () => kind,
    openSecrets: () => ({}),
    eventsOf: () => ({
      receipt: async () => undefined,
      inbound: async () => undefined,
      lateOutcome: async () => undefined,
      healthChanged: () => undefined,
    }),
    changed: () => undefined,
    planKey: '5e'.repeat(32),
    reloadIntervalMs: 500,
    breakerRestMs: 0,
  })
}

const put = (
  { storage }: TestStorage,
  { id, start, updatedAt }: { id: string; start: string; updatedAt: number },
): Promise<void> =>
  storage.writer.write(async (tx) => {
    const values = { settings: JSON.stringify({ start }), updated_at: updatedAt }
    const row = { id, mode: 'live' as const, kind: 'simulator', name: id, state: 'enabled' as const, senders: '[]', created_at: 1, ...values } // prettier-ignore
    await tx
      .insertInto('devices')
      .values(row)
      .onConflict((on) => on.column('id').doUpdateSet(values))
      .execute()
    await touchDirectory(tx)
  })
