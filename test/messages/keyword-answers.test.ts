import type { Selectable, Updateable } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realKinds } from '../../src/connectors/registry.ts'
import { dayMs } from '../../src/runtime/clock.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { InboundReceiver } from '../../src/dispatch/inbound/inbound-receiver.ts'
import type { InboundMessage, KeywordTerms } from '../../src/messages/inbound/inbound-message.ts'
import { receiveMessages } from '../../src/messages/inbound/receive-messages.ts'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import type { DeviceTable } from '../../src/storage/tables/device-tables.ts'
import type { AccountTable } from '../../src/storage/tables/account-tables.ts'
import type { Mode } from '../../src/storage/tables/schema.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { openTestStorage, type TestStorage } from '../open-test-storage.ts'
import { sendRequest } from '../send-request.ts'
import { keywordTerms } from './keyword-terms.ts'
import { takeChange } from '../../src/messages/core/change-number.ts'

/** Whom an account answers: anybody can send a keyword, and the account pays for what is answered. */

const number = '+4915112345678'
const accountId = 'acc_ada'
let base: TestStorage
beforeEach(async () => {
  base = await openTestStorage()
  const at = base.clock.now()
  await base.storage.writer.write(async (tx) => {
    await insertRows(tx, 'accounts', [
      { id: accountId, name: 'Ada', state: 'active', created_at: at, updated_at: at },
    ])
    await openWallets(
      tx,
      { ids: base.ids, nowMs: at },
      { accountId, freeSms: 100, playSms: 100, lowThreshold: 0, actor: 'test' },
    )
  })
})
afterEach(() => base.close())

const send = (to = number, mode: Mode = 'live') =>
  base.storage.writer.write((tx) =>
    sendMessages(
      tx,
      [
        sendRequest(
          { ids: base.ids, nowMs: base.clock.now() },
          { accountId, mode, recipients: [{ to, country: null }] },
        ),
      ],
      takeChange(tx, base.clock.now()),
    ),
  )
const limit = (account: Updateable<AccountTable>) =>
  base.storage.writer.write((tx) => tx.updateTable('accounts').set(account).execute())
/** How many answers a keyword had, and how many numbers have opted out. */
async function hear(
  text: string,
  from = number,
  more: Partial<KeywordTerms> = {},
  piece: Pick<InboundMessage, 'fragment' | 'isOwnDevice' | 'answerFrom'> = {},
) {
  await base.clock.advance(1)
  const message = {
    deviceId: 'dev_s', accountId, mode: 'live', from, to: '12345', country: null, text, encoding: 'gsm7', units: text.length, parts: 1,
    storedAt: base.clock.now(), inReplyTo: null, fingerprint: base.ids('evt'), ...piece,
  } as const // prettier-ignore
  const [followed] = await base.storage.writer.write(async (tx) =>
    receiveMessages(tx, { ids: base.ids, unit: await takeChange(tx, base.clock.now()) }, [message], {
      joinMs: 60_000,
      maxCharacters: 160,
      keywords: { ...keywordTerms, ...more },
    }),
  )
  const optOuts = await base.storage.read.selectFrom('opt_outs').select('recipient').execute()
  return { answers: followed?.routes.length, stopped: optOuts.length }
}

test('who was written to is answered', async () => {
  await send()
  expect(await hear('HELP')).toEqual({ answers: 1, stopped: 0 })
  expect(await hear('STOP')).toEqual({ answers: 1, stopped: 1 })
})

/** The answers that wait. */
const answers = () =>
  base.storage.read
    .selectFrom('messages')
    .innerJoin('queue', 'queue.message_id', 'messages.id')
    .select(['paid_by', 'fallback', 'queue.route_key', 'text'])
    .where('text', 'in', [keywordTerms.help, keywordTerms.confirmation])
    .orderBy('messages.id')
    .execute()
const addDevice = (device: Partial<Selectable<DeviceTable>> = {}) =>
  base.storage.writer.write((tx) =>
    insertRows(tx, 'devices', [
      { id: base.ids('dev'), account_id: accountId, mode: 'live', kind: 'android', name: 'Own', state: 'enabled', senders: '["+4915199990001"]', settings: '{}', created_at: 1, updated_at: 1, ...device },
    ]),
  ) // prettier-ignore

test('where own devices are free, what one of them received is answered over own devices at no cost, and nothing else', async () => {
  await send()
  await addDevice()
  await base.storage.writer.write((tx) => tx.updateTable('wallets').set({ granted: 1 }).execute())
  expect(await hear('HELP', number, {}, { isOwnDevice: true })).toMatchObject({ answers: 0 })
  await limit({ own_devices: 'free' })
  expect(await hear('HELP')).toMatchObject({ answers: 0 })
  const free = { paid_by: 'own_device', fallback: null, route_key: 'live+own:' }
  expect(await hear('HELP', number, {}, { isOwnDevice: true })).toMatchObject({ answers: 1 })
  expect(await answers()).toEqual([{ ...free, text: keywordTerms.help }])
  // The STOP takes the other answer out of the queue.
  expect(await hear('STOP', number, {}, { isOwnDevice: true })).toEqual({ answers: 1, stopped: 1 })
  expect(await answers()).toEqual([{ ...free, text: keywordTerms.confirmation }])
})

const unfit: [string, Partial<Selectable<DeviceTable>>, Partial<KeywordTerms> & { answerFrom?: string }][] = [
  ['is disabled', { state: 'disabled' }, {}],
  ['only receives', { kind: 'smpp', settings: '{"bind":"receiver"}' }, {}],
  ['is a simulator', { kind: 'simulator' }, {}],
  ['is one of the operator', { account_id: null }, {}],
  ['cannot send from the number that was asked', {}, { answerFrom: '+4915199990002' }],
  ['joins fewer parts', {}, { kinds: { ...realKinds, android: { maxParts: 0, alphanumericSender: false, choosesEncoding: false } } }],
] // prettier-ignore
test.for(unfit)('an answer has a fallback for the balance if the only own device %s: on the route of own devices it would expire', async ([, device, { answerFrom = null, ...terms }]) => {
  await send()
  await limit({ own_devices: 'free' })
  await addDevice(device)
  const asked = () => hear('HELP', number, terms, { isOwnDevice: true, answerFrom })
  expect(await asked()).toMatchObject({ answers: 1 })
  const route = { paid_by: 'balance', fallback: 'shared', route_key: `live:${answerFrom ?? ''}` }
  expect(await answers()).toEqual([{ ...route, text: keywordTerms.help }])
  // Another own device can.
  await base.clock.advance(3_600_001)
  await addDevice({ kind: 'smpp', senders: '["+4915199990002"]' })
  expect(await asked()).toMatchObject({ answers: 1 })
  expect((await answers()).map(({ paid_by: paidBy }) => paidBy)).toEqual(['balance', 'own_device'])
}) // prettier-ignore

test('what reached a disabled own device, which still receives, is answered for the balance', async () => {
  await send()
  await limit({ own_devices: 'free' })
  await addDevice({ id: 'dev_own', state: 'disabled' })
  const { storage: { read, writer }, ids, clock } = base // prettier-ignore
  const config = { inboundJoinMinutes: 30, inboundCharacters: 160, inboundPerMinute: 0, sharedReplyDays: 30 }
  const deps = {
    read,
    writer,
    ids,
    clock,
    config,
    pool: { get: () => null },
    keywords: keywordTerms,
  }
  const told = {
    from: number,
    to: '+4915199990001',
    text: 'HELP',
    networkAt: null,
    inReplyTo: null,
    fingerprint: 'f',
  }
  await new InboundReceiver(deps).receive('dev_own', told)
  const answer = { paid_by: 'balance', fallback: 'shared', route_key: 'live:', text: keywordTerms.help }
  expect(await answers()).toEqual([answer])
})

test('strangers cost nothing: their STOP holds and is not answered, nor is their HELP', async () => {
  await send(number, 'test')
  await send('+4915112345679')
  expect(await hear('HELP')).toEqual({ answers: 0, stopped: 0 })
  expect(await hear('STOP')).toEqual({ answers: 0, stopped: 1 })
})

test('who was written to long ago is a stranger, and answers do not count as writing', async () => {
  await send()
  await base.clock.advance(89 * dayMs)
  expect(await hear('HELP')).toMatchObject({ answers: 1 })
  await base.clock.advance(dayMs)
  expect(await hear('HELP')).toMatchObject({ answers: 0 })
})

test('premium numbers are not answered', async () => {
  const premium = '+499001234567'
  await send(premium)
  expect(await hear('STOP', premium)).toEqual({ answers: 0, stopped: 1 })
})

test('numbers of countries that the account may not write to are not answered', async () => {
  await send()
  await limit({ countries: 'FR,GB' })
  expect(await hear('HELP')).toMatchObject({ answers: 0 })
  await limit({ countries: 'DE,FR' })
  expect(await hear('HELP')).toMatchObject({ answers: 1 })
})

test('nobody is answered while too much waits, by the limit of the account or else of the instance', async () => {
  await send()
  expect(await hear('HELP', number, { queueLimit: 1 })).toMatchObject({ answers: 0 })
  await limit({ queue_limit: 2 })
  expect(await hear('HELP', number, { queueLimit: 1 })).toMatchObject({ answers: 1 })
  await limit({ queue_limit: 1 })
  await send('+4915112345679')
  await base.clock.advance(3_600_001)
  expect(await hear('HELP')).toMatchObject({ answers: 0 })
})

test('what is left of a long text is followed by nothing, though it look like a keyword', async () => {
  const fragment = { reference: 7, total: 2, index: 1 }
  await hear('STOP', number, {}, { fragment })
  expect(await hear('Stop it? Never! ', number, {}, { fragment })).toMatchObject({ stopped: 0 })
  const ended = await hear('Go on.', number, {}, { fragment: { ...fragment, index: 2 } })
  expect(ended).toMatchObject({ stopped: 0 })
  const received = base.storage.read.selectFrom('messages').select('text').orderBy('id')
  expect((await received.execute()).map(({ text }) => text)).toEqual(['STOP…', 'Stop it? Never! Go on.'])
})

test('a keyword in several pieces is followed when the last is there', async () => {
  const fragment = { reference: 7, total: 2, index: 1 }
  expect(await hear('ST', number, {}, { fragment })).toMatchObject({ stopped: 0 })
  expect(await hear('OP', number, {}, { fragment: { ...fragment, index: 2 } })).toMatchObject({ stopped: 1 })
})
