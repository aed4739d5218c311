import type { Outcome, Receipt } from '../../src/connectors/connector.ts'
import { judgeLate } from '../../src/dispatch/outcomes/retry-policy.ts'
import type { Claimed } from '../../src/messages/queue/claim-messages.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import type { ReceiptWord } from '../../src/messages/outcomes/receipt-readings.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { createLog } from '../../src/process/log.ts'
import { createMetrics } from '../../src/process/metrics.ts'
import { referenceOfPart } from '../../src/sms/part-reference.ts'
import { type UnitHouse, openUnitHouse } from './unit-house.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'
import { together } from '../../src/storage/seam/sets.ts'
import { readShown } from './shown-messages.ts'

/** the unit house, in which answers are lost and come late, and receipts come under ids that nobody knows. */
export interface LostHouse extends UnitHouse {
  /** Sends one, which is handed over and not answered. */
  loseOne(request?: Parameters<UnitHouse['send']>[0], wireParts?: number): Promise<Claimed>
  /** Sends one of two parts, which goes again when nobody knows, unless it is to stop: of the first the network told its id, `n1`; the second was not answered. */
  loseSecondPart(onUnknown?: 'resend_once' | 'stop'): Promise<Claimed>
  receive(networkId: string, more?: Partial<Receipt>, deviceId?: string): Promise<unknown>
  /** Receipts that come together. */
  receiveAll(words: readonly Partial<Receipt>[]): Promise<unknown>
  /** The answer that was given up comes after all. */
  late(claimed: Claimed, outcome: Outcome): Promise<unknown>
  statuses(): Promise<string[]>
  rowsOf(table: ShownTable): ReturnType<typeof readRows>
  wallet(): Promise<{ reserved: number; used: number }>
}

type ShownTable = 'receipts_expected' | 'parked_receipts' | 'queue'

export async function openLostHouse(): Promise<LostHouse> {
  const house = await openUnitHouse()
  const { store, clock } = house
  const wordOf = (word: Partial<ReceiptWord>): ReceiptWord => ({ ...plainWord, atMs: clock.now(), ...word })
  return {
    ...house,
    async loseOne(request = {}, wireParts = request.parts ?? 1) {
      await house.send(request)
      const claimed = await house.claim()
      await house.end(claimed, lost(wireParts))
      return claimed
    },
    async loseSecondPart(onUnknown = 'resend_once') {
      await house.send({ onUnknown, parts: 2 })
      const claimed = await house.claim()
      const unknownParts = { parts: [1], wireParts: 2 }
      await house.end(claimed, {
        kind: 'unknown',
        networkIds: ['n1'],
        partsTaken: 1,
        detail: 'no answer in time',
        unknownParts,
      })
      return claimed
    },
    receive: (networkId, more = {}, deviceId = 'dev_s') =>
      store.writer.write((tx) =>
        together(tx, () =>
          settleReceipts(tx, [wordOf({ networkId, ...more, deviceId })], takeChange(tx, clock.now())),
        ),
      ),
    receiveAll: (words) =>
      store.writer.write((tx) =>
        together(tx, () => settleReceipts(tx, words.map(wordOf), takeChange(tx, clock.now()))),
      ),
    late: (claimed, outcome) =>
      store.writer.write((tx) =>
        together(tx, () =>
          settleOutcomes(tx, [judgeLate(claimed, outcome, clock.now())], takeChange(tx, clock.now())),
        ),
      ),
    async statuses() {
      return (await readShown(store.db)).map(({ status }) => status)
    },
    rowsOf: (table) => readRows(house, table),
    wallet: () =>
      store.db
        .selectFrom('wallets')
        .select(['reserved', 'used'])
        .where('mode', '=', 'live')
        .executeTakeFirstOrThrow(),
  }
}

/** What sweepers of receipts need of a house: they wait for 72 hours. */
export const receiptSweeps = ({ clock, store }: Pick<UnitHouse, 'clock' | 'store'>) => ({
  clock,
  log: createLog('silent', { write: () => undefined }),
  read: store.db,
  writer: store.writer,
  metrics: createMetrics(),
  receiptWindowMs: 72 * 3_600_000,
  unmatchedMs: 72 * 3_600_000,
  maxUnmatched: 100,
})

const plainWord = {
  deviceId: 'dev_s',
  networkId: 'n1',
  numbers: ['4915112345678', 'ACME'],
  result: 'delivered',
  code: null,
  networkCode: null,
} as const

const readRows = ({ store }: UnitHouse, table: ShownTable) => store.db.selectFrom(table).selectAll().execute()

export const lost = (wireParts = 1): Outcome => ({
  kind: 'unknown',
  networkIds: [],
  partsTaken: 0,
  detail: 'no answer in time',
  unknownParts: { parts: Array.from({ length: wireParts }, (_, part) => part), wireParts },
})

export const accepted = (...networkIds: string[]): Outcome => ({
  kind: 'accepted',
  networkIds,
  receiptExpected: true,
})

/** What the receipt of a part brings back of its submit. */
export const echoOf = (claimed: Claimed, part = 0): { reference: number } => ({
  reference: referenceOfPart(claimed.attemptId, part),
})
