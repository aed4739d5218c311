import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderMessage } from '../../src/api/v1/message-view.ts'
import { dayMs, rfc3339 } from '../../src/runtime/clock.ts'
import type { Inbound } from '../../src/connectors/connector.ts'
import { InboundReceiver } from '../../src/dispatch/inbound/inbound-receiver.ts'
import { readConversations } from '../../src/messages/history/conversations.ts'
import type { Tx } from '../../src/storage/seam/dialect.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import type { Writer } from '../../src/storage/seam/writer.ts'
import { deliveredAt, storedMessage } from '../history/stored-messages.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { statementsOf } from '../plans.ts'
import { keywordTerms } from './keyword-terms.ts'

/** Whoever writes is one person, however the network spells the number: for the list of conversations, for STOP, and for whose message it is. */

const number = '+4915112345678'
const keywords = { ...keywordTerms, confirmation: null }
let house: TestStorage
let told = 0
beforeEach(async () => {
  house = await openTestStorage()
  noted.length = 0
  meanwhile = async () => undefined
  const at = house.clock.now()
  const account = { id: 'acc_ada', name: 'Ada', state: 'active' as const, created_at: at, updated_at: at }
  const sent = storedMessage({
    account_id: 'acc_ada',
    id: house.ids('msg'),
    recipient: number,
    device_id: 'dev_1',
    created_at: at,
    ...deliveredAt(at),
  })
  await house.storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [account])
    await insertRows(tx, 'messages', [sent])
  })
})
afterEach(() => house.close())

/** The statements of the transactions that store. */
const noted: string[] = []
const sentTo = async (accountId: string, agoMs: number, recipient: string = number, deviceId = 'dev_1') => {
  const at = house.clock.now() - agoMs
  const row = storedMessage({
    account_id: accountId,
    id: house.ids('msg'),
    recipient,
    created_at: at,
    ...deliveredAt(at),
    device_id: deviceId,
  })
  await house.storage.writer.write((tx) => insertRows(tx, 'messages', [row]))
}
/** What happens between the look for senders and the transaction. */
let meanwhile = async (): Promise<void> => undefined
const notingWriter = () =>
  ({
    async write(unit: (tx: Tx) => Promise<unknown>) {
      await meanwhile()
      return house.storage.writer.write(async (tx) => {
        let done: unknown
        noted.push(
          ...(await statementsOf(tx, async () => void (done = await unit(tx)))).map(({ sql }) => sql),
        )
        return done
      })
    },
  }) as unknown as Writer

/** Receives STOP, or what else is said, through a device, a shared one unless it has an owner; `country` is its setting. Where it does not run, its row says as much. */
const hear = async (from: string, { owner = null, country = null, fromIs, runs = true, said = {} }: { owner?: string | null; country?: string | null; fromIs?: Inbound['fromIs']; runs?: boolean; said?: Partial<Inbound> } = {}) => {
  const { storage, ids, clock } = house
  const facts = { accountId: owner, mode: 'live', senders: new Set(), country }
  const receiver = new InboundReceiver({
    read: storage.read, writer: notingWriter(), ids, clock, keywords,
    config: { inboundJoinMinutes: 30, inboundCharacters: 40_000, inboundPerMinute: 0, sharedReplyDays: 30 },
    pool: { get: () => (runs ? ({ facts, link: {} } as never) : null) },
  })
  await clock.advance(1)
  const inbound = { from, to: '12345', text: 'STOP', networkAt: clock.now(), inReplyTo: null, fingerprint: `f${told++}` }
  await receiver.receive('dev_1', { ...inbound, ...said, ...(fromIs !== undefined && { fromIs }) })
} // prettier-ignore
const optOuts = async () =>
  (await house.storage.read.selectFrom('opt_outs').select(['account_id', 'recipient']).execute()).map(
    (row) => `${row.account_id} ${row.recipient}`,
  )
const conversations = async () =>
  (
    await readConversations(
      house.storage.read,
      { accountId: 'acc_ada', mode: 'live' },
      { beforeId: null, limit: 9 },
    )
  ).conversations.map((each) => each.number)

test.for([
  ['its plus sign', number, {}],
  ['00 in its place', '004915112345678', {}],
  ['neither, where the network tells nothing', '4915112345678', {}],
  ['its national form, through a device of its country', '015112345678', { country: 'DE' }],
  ['a national form that the network names so', '15112345678', { country: 'DE', fromIs: 'national' }],
] as const)('a number with %s is the one that was written to', async ([, from, facts]) => {
  await hear(from, facts)
  expect([await optOuts(), await conversations()]).toEqual([[`acc_ada ${number}`], [number]])
})

test('the country of a device that does not run is the one of its row', async () => {
  const at = house.clock.now()
  const row = {
    id: 'dev_1', account_id: null, mode: 'live', kind: 'android', name: 'Old', state: 'disabled', senders: '[]', settings: '{"country":"DE"}',
    created_at: at, updated_at: at,
  } as const // prettier-ignore
  await house.storage.writer.write((tx) => insertRows(tx, 'devices', [row]))
  await hear('015112345678', { runs: false })
  expect(await optOuts()).toEqual([`acc_ada ${number}`])
})

test('a national number of a country that nobody has named opts out nobody, and stays as it came', async () => {
  // With a plus sign in front, the number is the one of somebody else.
  const stranger = '+2079460000'
  const at = house.clock.now()
  const sent = storedMessage({
    account_id: 'acc_ada',
    id: house.ids('msg'),
    recipient: stranger,
    device_id: 'dev_1',
    created_at: at,
    ...deliveredAt(at),
  })
  await house.storage.writer.write((tx) => insertRows(tx, 'messages', [sent]))
  await hear('2079460000', { owner: 'acc_ada', fromIs: 'national' })
  await hear('44123456', { owner: 'acc_ada', fromIs: 'other' })
  expect([await optOuts(), await conversations()]).toEqual([[], ['44123456', '2079460000']])
})

test.for([
  ['without its trunk prefix', '3125550144', '+13125550144', 'bare'],
  ['with it', '13125550144', '+13125550144', 'bare'],
  ['of another area', '6025550144', '+16025550144', 'bare'],
  ['of another plan', '015112345670', '+4915112345670', 'bare'],
  ['that are all of it but the plus', '447911123456', '+447911123456', 'bare'],
  ['that its network calls national', '3125550144', '+13125550144', 'national'],
  ['with brackets', '(312) 555-0144', '+13125550144', 'bare'],
] as const)('digits %s are the one number that the device has written to and that ends so', async ([, from, to, fromIs]) => {
  await sentTo('acc_ada', 0, to)
  await hear(from, { owner: 'acc_ada', fromIs })
  expect([await optOuts(), await conversations()]).toEqual([[`acc_ada ${to}`], [to]])
}) // prettier-ignore

/** Some networks leave out the plus (frimtec/secure-sms-proxy#49), and SMPP links the type of number (0: unknown; SMPP 3.4, section 5.2.5). */
test.for([
  ['of a machine, longer than its plan knows', '47580009083060', '+47580009083060'],
  ['with the prefix that is dialled in its country', '49015112345670', '+4915112345670'],
  ['as they are', '4915112345670', '+4915112345670'],
] as const)('digits %s, of which nothing is told, are the number that was written to', async ([, from, to]) => {
  await hear(from, { owner: 'acc_ada' })
  const isPlain = from !== '47580009083060'
  expect(await conversations(), 'before it was written to').toEqual([isPlain ? to : from])
  await sentTo('acc_ada', 0, to)
  await hear(from, { owner: 'acc_ada' })
  expect(await optOuts()).toEqual([`acc_ada ${to}`])
}) // prettier-ignore

test.for([
  ['to nobody who has such a number', []],
  ['through another device', [['+13125550144', 'dev_2']]],
  ['to two numbers that end so', [['+13125550144', 'dev_1'], ['+3125550144', 'dev_1']]],
  ['to a number that only holds them', [['+131255501440', 'dev_1']]],
] as const)('digits of a phone stay as they came, and opt out nobody, where it has written %s', async ([, sent]) => {
  for (const [to, device] of sent) await sentTo('acc_ada', 0, to, device)
  await hear('3125550144', { owner: 'acc_ada', fromIs: 'bare' })
  expect([await optOuts(), await conversations()]).toEqual([[], ['3125550144']])
}) // prettier-ignore

test('what another account has sent to a number through a shared device counts too, and what was refused there does not', async () => {
  await sentTo('acc_ada', 0, '+13125550144')
  await house.storage.writer.write((tx) =>
    tx.updateTable('messages').set({ status: 'failed', corrected: 1 }).where('recipient', '=', '+13125550144').execute(),
  ) // prettier-ignore
  await hear('3125550144', { owner: 'acc_ada', fromIs: 'bare' })
  expect([await optOuts(), await conversations()]).toEqual([[], ['3125550144']])
  const at = house.clock.now()
  const ben = { id: 'acc_ben', name: 'Ben', state: 'active' as const, created_at: at, updated_at: at }
  await house.storage.writer.write((tx) => insertRows(tx, 'accounts', [ben]))
  await sentTo('acc_ben', 0, '+13125550144')
  await hear('3125550144', { fromIs: 'bare' })
  expect(await optOuts()).toEqual(['acc_ben +13125550144'])
})

test('a mobile number of the country that its phone is in is that, whoever else was written to', async () => {
  await sentTo('acc_ada', 0, '+4315112345670')
  await hear('015112345670', { owner: 'acc_ada', country: 'DE', fromIs: 'bare' })
  expect([await optOuts(), await conversations()]).toEqual([['acc_ada +4915112345670'], ['+4915112345670']])
})

test('a whole mobile number that its network calls special opts out', async () => {
  await hear('4915112345678', { owner: 'acc_ada', fromIs: 'other' })
  expect(await optOuts()).toEqual(['acc_ada +4915112345678'])
})

test('a STOP through a shared device is about all who had sent when it came, and no writer waits for the look through all accounts', async () => {
  const at = house.clock.now()
  const others = ['acc_ben', 'acc_cara'].map((id) => ({
    id,
    name: id,
    state: 'active' as const,
    created_at: at,
    updated_at: at,
  }))
  await house.storage.writer.write((tx) => insertRows(tx, 'accounts', others))
  await sentTo('acc_ben', 1_000)
  meanwhile = () => sentTo('acc_cara', 0)
  await hear(number)
  expect((await optOuts()).toSorted()).toEqual([`acc_ada ${number}`, `acc_ben ${number}`])
  expect(noted.length).toBeGreaterThan(3)
  expect(noted.filter((sql) => /from accounts a\b/.test(sql))).toEqual([])
})

test.each([
  [false, true],
  [true, false],
])(
  'a STOP that comes again behind START holds only where its device guesses that it is a repeat: %s',
  async (guesses, mayBeWrittenTo) => {
    const stop = { fingerprint: 'stop', ...(guesses && { fingerprintGuessed: true as const }) }
    await hear(number, { owner: 'acc_ada', said: stop })
    await hear(number, { owner: 'acc_ada', said: { text: 'START' } })
    await hear(number, { owner: 'acc_ada', said: stop })
    const nowMs = house.clock.now()
    const rows = await house.storage.read.selectFrom('opt_outs').select('forget_at').execute()
    const isForgotten = rows.every(({ forget_at }) => forget_at !== null && forget_at <= nowMs)
    expect(isForgotten).toBe(mayBeWrittenTo)
  },
)

test('the time at which the network had a message is kept beside the one at which it came here', async () => {
  const twoDaysAgo = house.clock.now() - 2 * dayMs
  await hear('+4915112345678', { owner: 'acc_ada', said: { networkAt: twoDaysAgo } })
  await hear('+4915112345678', { owner: 'acc_ada', said: { networkAt: null } })
  const rows = await house.storage.read.selectFrom('messages').selectAll().where('direction', '=', 'inbound').orderBy('id').execute() // prettier-ignore
  const views = rows.map((row) => renderMessage(row))
  expect(views.map(({ received_at }) => received_at)).toEqual([rfc3339(twoDaysAgo), null])
  expect(views.map(({ parts, parts_sent, attempts }) => [parts, parts_sent, attempts])).toEqual([
    [1, 0, 0],
    [1, 0, 0],
  ])
  expect(views[0]?.created_at).toBe(rfc3339(house.clock.now() - 1))
})
