import { sql } from 'kysely'
import { readConfig } from '../../src/config.ts'
import { createSweepers, type SweepersDeps } from '../../src/dispatch/sweepers/sweepers.ts'
import { UnparsedNotes } from '../../src/dispatch/devices/unparsed-notes.ts'
import { createLog } from '../../src/process/log.ts'
import type { ConnectorKind, Receipt } from '../../src/connectors/connector.ts'
import { ChangeHints } from '../../src/messages/core/change-hints.ts'
import { claimMessages } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import type { Database, Mode } from '../../src/storage/tables/schema.ts'
import { openMessagesFixture, type MessagesFixture } from '../messages-fixture.ts'
import { expectSums } from './expect-sums.ts'
import { changeOnDemand } from '../../src/messages/core/change-number.ts'
import { firstOf, readShown } from './shown-messages.ts'

/** The domain with its janitors, which sweep only when they are told to, and the account `acc_a` with 1,000 SMS. */
export interface TendedHouse extends MessagesFixture {
  /** The janitors of a process whose fencing token is `fence`. */
  janitors(
    more?: Partial<Omit<SweepersDeps, 'config'>> & { settings?: Record<string, string> },
  ): ReturnType<typeof createSweepers>
  /** Moves the wall clock alone: days in which nothing runs but what the test calls. */
  passDays(days: number): void
  message(): ReturnType<typeof readMessage>
  wallet(mode?: Mode): ReturnType<typeof readWallet>
  /** How many rows a table has. */
  countOf(table: keyof Database): Promise<number>
  /** Fails when any sum does not hold. */
  sums(): Promise<void>
  /** Gives every device these settings, and lets the pool see it. */
  setDevices(settings: Record<string, string>): Promise<void>
  /** A receipt of `dev_s` for a part of the only message. */
  receipt(result: Receipt['result'], part?: number): Promise<void>
  /** Claims for `dev_s` as a process with this token would, with a log of hand-overs or without, and dies. Gives how many. */
  claimAndDie(fence: number, more?: { isLogged?: true }): Promise<number>
}

export async function openTendedHouse(kind?: ConnectorKind): Promise<TendedHouse> {
  // Hours pass in its tests: a look into the database at each half second of them would be all that they do.
  const house = await openMessagesFixture(kind, { pollIntervalMs: 10_000 })
  const { storage, clock, ids } = house
  await house.addGrantedAccount()
  return {
    ...house,
    janitors: ({ settings = {}, ...more } = {}) =>
      createSweepers({
        ...house,
        read: storage.read,
        writer: storage.writer,
        log: createLog('silent', { write: () => undefined }),
        config: readConfig(settings),
        fence: 2,
        mailer: null,
        publicUrl: () => 'https://sms.example.org',
        takeKeyUses: () => [],
        unparsed: new UnparsedNotes(clock),
        changes: new ChangeHints(),
        timeOf: async () => clock.now(),
        wake: (route) => house.dispatcher.wake(route),
        ...more,
      }),
    passDays: (days) => clock.jumpWallClock(days * 86_400_000),
    message: () => readMessage(house),
    wallet: (mode = 'live') => readWallet(house, mode),
    countOf: (table) => countRows(house, table),
    sums: () => expectSums(storage.read, clock.now()),
    setDevices: (settings) => setDevices(house, settings),
    async receipt(result, part = 1) {
      const { network_ids } = await storage.read
        .selectFrom('attempts')
        .select('network_ids')
        .where('network_ids', 'is not', null)
        .executeTakeFirstOrThrow()
      const networkId = (JSON.parse(network_ids!) as string[])[part - 1]!
      const code = result === 'undelivered' ? 'unreachable' : null
      await house.dispatcher.receipt('dev_s', { networkId, result, code, networkCode: null })
    },
    async claimAndDie(fence, more = {}) {
      const want = {
        accountId: 'acc_a',
        mode: 'live',
        routeKey: routeKeyOf({ mode: 'live', sender: null }),
        deviceId: 'dev_s',
        quota: 10_000,
        partsOver: 0,
        partsUpTo: 10,
        ...more,
      } as const
      const { claimed } = await storage.writer.write((tx) =>
        claimMessages(
          tx,
          ids,
          { requests: [want], nowMs: clock.now(), dueMs: clock.now(), fence },
          changeOnDemand(tx, clock.now()),
        ),
      )
      return claimed.length
    },
  }
}

const readMessage = async ({ storage }: MessagesFixture) => firstOf(await readShown(storage.read))

const readWallet = ({ storage }: MessagesFixture, mode: Mode) =>
  storage.read
    .selectFrom('wallets')
    .select(['granted', 'reserved', 'used'])
    .where('account_id', '=', 'acc_a')
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow()

const countRows = async ({ storage }: MessagesFixture, table: keyof Database): Promise<number> =>
  (
    await storage.read
      .selectFrom(table)
      .select(sql`1`.as('one'))
      .execute()
  ).length

async function setDevices(
  { storage, pool }: MessagesFixture,
  settings: Record<string, string>,
): Promise<void> {
  await storage.writer.write(async (tx) => {
    await tx
      .updateTable('devices')
      .set((eb) => ({ settings: JSON.stringify(settings), updated_at: eb('updated_at', '+', 1) }))
      .execute()
    await touchDirectory(tx)
  })
  await pool.reloadIfChanged()
}

export const manyNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `+49151${20_000_000 + i}`)
