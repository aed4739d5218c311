import type { Outcome } from '../../src/connectors/connector.ts'
import { judgeOutcome } from '../../src/dispatch/outcomes/retry-policy.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { type Claimed, claimMessages, type ClaimRequest } from '../../src/messages/queue/claim-messages.ts'
import { routeKeyOf } from '../../src/messages/core/route-key.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { SendRequest, SendResult } from '../../src/messages/send/send-request.ts'
import { settleOutcomes } from '../../src/messages/outcomes/settle-outcomes.ts'
import { settleReceipts } from '../../src/messages/outcomes/settle-receipts.ts'
import { sendRequest } from '../send-request.ts'
import { openTestStorage } from '../open-test-storage.ts'
import type { StubClock } from '../stub-clock.ts'
import { expectSums } from './expect-sums.ts'
import type { Db } from '../../src/storage/seam/dialect.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { changeOnDemand, takeChange } from '../../src/messages/core/change-number.ts'
import { together } from '../../src/storage/seam/sets.ts'
import { firstOf, readShown } from './shown-messages.ts'

/** The units of messages by hand, one after another, on one account with 100 SMS: for sentences about states and money. */
export interface UnitHouse {
  store: { db: Db; writer: Writer; dataFolder: string }
  clock: StubClock
  send(request?: Partial<SendRequest>): Promise<SendResult>
  /** The same for several in one batch. */
  sendTogether(requests: readonly Partial<SendRequest>[]): Promise<SendResult[]>
  /** Claims one message, for `dev_s` unless another is named, of the usual route unless another is. */
  claim(deviceId?: string, more?: Partial<Pick<ClaimRequest, 'routeKey' | 'isOwn'>>): Promise<Claimed>
  end(claimed: Claimed, outcome: Outcome): Promise<void>
  receipts(
    words: Readonly<Record<string, 'delivered' | 'undelivered' | 'lost'>>,
    deviceId?: string,
  ): Promise<void>
  message(): ReturnType<typeof readMessage>
  /** Fails when any sum does not hold. */
  sums(): Promise<void>
  close(): Promise<void>
}

export async function openUnitHouse(): Promise<UnitHouse> {
  const { storage, clock, ids, dataFolder, close } = await openTestStorage()
  const store = { db: storage.read, writer: storage.writer, dataFolder }
  const nowMs = clock.now()
  await store.writer.write(async (tx) => {
    const row = { id: 'acc_a', name: 'A', state: 'active', created_at: nowMs, updated_at: nowMs } as const
    await tx.insertInto('accounts').values(row).execute()
    const opening = { accountId: 'acc_a', freeSms: 100, playSms: 0, lowThreshold: 0, actor: 'test' }
    await openWallets(tx, { ids, nowMs }, opening)
  })
  const requestOf = (more: Partial<SendRequest>) => sendRequest({ ids, nowMs: clock.now() }, more)
  const sendTogether = (requests: readonly Partial<SendRequest>[]): Promise<SendResult[]> =>
    store.writer.write((tx) =>
      together(tx, () => sendMessages(tx, requests.map(requestOf), takeChange(tx, clock.now()))),
    )
  return {
    store,
    clock,
    sendTogether,
    send: async (more = {}) => (await sendTogether([more]))[0] as SendResult,
    async claim(deviceId = 'dev_s', more = {}) {
      const routeKey = routeKeyOf({ mode: 'live', sender: null })
      const requests = [
        {
          accountId: 'acc_a',
          mode: 'live',
          routeKey,
          deviceId,
          quota: 1,
          partsOver: 0,
          partsUpTo: 10,
          ...more,
        },
      ] as const
      const { claimed } = await store.writer.write((tx) =>
        together(tx, () =>
          claimMessages(
            tx,
            ids,
            { requests, nowMs: clock.now(), dueMs: clock.now(), fence: 1 },
            changeOnDemand(tx, clock.now()),
          ),
        ),
      )
      if (claimed[0] === undefined) throw new Error('there was nothing to claim')
      return claimed[0]
    },
    end: async (claimed, outcome) =>
      void (await store.writer.write((tx) =>
        together(tx, () =>
          settleOutcomes(tx, [judgeOutcome(claimed, outcome, clock.now())], takeChange(tx, clock.now())),
        ),
      )),
    async receipts(words, deviceId = 'dev_s') {
      const told = Object.entries(words).map(([networkId, result]) => ({
        deviceId,
        networkId,
        result,
        code: null,
        networkCode: null,
        atMs: clock.now(),
      }))
      await store.writer.write((tx) =>
        together(tx, () => settleReceipts(tx, told, takeChange(tx, clock.now()))),
      )
    },
    message: () => readMessage(store),
    sums: () => expectSums(store.db, clock.now()),
    close,
  }
}

const readMessage = async ({ db }: UnitHouse['store']) => firstOf(await readShown(db))
