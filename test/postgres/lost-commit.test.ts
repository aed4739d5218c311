import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { grantSms } from '../../src/ledger/grants.ts'
import type { StorageError } from '../../src/storage/seam/dialect.ts'
import { eventually } from '../eventually.ts'
import { type MessagesFixture, openMessagesFixture } from '../messages-fixture.ts'
import type { FaultProxy } from '../peers/fault-proxy.ts'
import { databaseSettings, useServer } from '../test-database.ts'
import { openProxy, openSession } from './served-storage.ts'

type Table = 'messages' | 'attempts' | 'ledger_entries'

interface House extends MessagesFixture {
  /** The next transaction that stores something in this table loses its connection as it commits. */
  loseCommit(how: Loss, table: Table): void
  /** Counted around the proxy. */
  count(table: Table): Promise<number>
}

/** Before COMMIT arrived; behind it; behind it with nobody there who could be asked. */
type Loss = 'before' | 'behind' | 'behind and with nobody to ask after'

const longerThanAnybodyAsksMs = 2_500

/** The domain behind a proxy, with somebody who has ten SMS and a device. */
async function openHouse(): Promise<House> {
  let proxy!: FaultProxy
  let beside!: Client
  const house = await openMessagesFixture(undefined, {
    async onFolder(dataFolder) {
      const url = databaseSettings(dataFolder)['DATABASE_URL'] ?? ''
      const opened = await openProxy(url)
      proxy = opened.proxy
      beside = await openSession(url)
      useServer(dataFolder, opened.through)
    },
  })
  onTestFinished(async () => {
    proxy.heal()
    await house.close()
  })
  await house.addAccount('acc_a', 10)
  await house.addDevice('dev_s')
  const count = async (table: Table): Promise<number> =>
    Number((await beside.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]?.count)
  const { writer } = house.storage
  const write = writer.write.bind(writer)
  return {
    ...house,
    count,
    loseCommit(how, table) {
      writer.write = (unit) =>
        write(async (tx) => {
          const result = await unit(tx)
          const { stored } = await tx
            .selectFrom(table)
            .select(({ fn }) => fn.countAll<number>().as('stored'))
            .executeTakeFirstOrThrow()
          if (stored === 0 || writer.write === write) return result
          writer.write = write
          void lose(how, () => count(table))
          return result
        })
    },
  }

  async function lose(how: Loss, stored: () => Promise<number>): Promise<void> {
    if (how === 'before') return void proxy.cut('rst')
    proxy.halfOpen({ forMs: 60_000, direction: 'toClient', newOnes: how === 'behind' ? 'work' : 'refuse' })
    await eventually(stored, (rows) => expect(rows).toBeGreaterThan(0))
    proxy.cut('rst')
    if (how === 'behind') return
    const timer = setTimeout(() => proxy.heal(), longerThanAnybodyAsksMs)
    onTestFinished(() => clearTimeout(timer))
  }
}

const sendFault = async (house: House): Promise<string | null> =>
  house.send().then(
    () => null,
    (error: unknown) => (error as StorageError).fault,
  )

test('a send whose connection was lost at its COMMIT is answered with what became of it', async () => {
  const seen = []
  for (const how of ['before', 'behind', 'behind and with nobody to ask after'] as const) {
    const house = await openHouse()
    house.loseCommit(how, 'messages')
    seen.push([how, await sendFault(house), await house.count('messages')])
  }
  expect(seen).toEqual([
    ['before', 'unavailable', 0],
    ['behind', null, 1],
    ['behind and with nobody to ask after', 'outcome_unknown', 1],
  ])
})

test('a grant whose connection was lost behind its COMMIT is made once', async () => {
  const house = await openHouse()
  const { storage, ids, clock } = house
  house.loseCommit('behind', 'ledger_entries')
  const grant = {
    accountId: 'acc_a',
    mode: 'live',
    sms: 5,
    kind: 'grant',
    note: 'Paid',
    actor: 'test',
  } as const
  const granted = storage.writer.write((tx) => grantSms(tx, { ids, nowMs: clock.now() }, grant))
  expect(await granted).toMatchObject({ granted: 15 })
  expect(await house.count('ledger_entries')).toBe(1)
})

test.each<[Loss, string[]]>([
  ['before', ['accepted']],
  ['behind', ['accepted']],
  ['behind and with nobody to ask after', ['accepted', 'refused']],
])('a claim whose connection was lost %s its COMMIT hands over once', async (how, states) => {
  const house = await openHouse()
  house.loseCommit(how, 'attempts')
  await house.send()
  const sent = async (): Promise<string[]> => {
    await house.clock.advance(1_000)
    // While the server is away it says so, and the next turn makes up for it.
    await house.dispatcher.drain().catch(() => undefined)
    return house.statuses().catch(() => [])
  }
  await eventually(sent, (statuses) => expect(statuses).toEqual(['sent']), 15_000)
  const attempts = await house.storage.read.selectFrom('attempts').select('state').execute()
  expect(attempts.map(({ state }) => state).toSorted()).toEqual(states)
})
