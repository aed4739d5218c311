import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import type { NpmPdu } from '../peers/smsc/npm-smpp.ts'
import { receiptForms } from '../peers/smsc/receipt-forms.ts'
import type { SmscControl } from '../peers/smsc-control.ts'
import { mobileOriginated, type MobileText } from '../peers/sms-text/mobile-originated.ts'
import { openEsme, openSmsc, submitFields, textOf } from './foreign-house.ts'
import type { NpmEsme } from './npm-esme.ts'

/** Receipts and messages from handsets, as an ESME that we did not write sees them. */

const receivedBy = (esme: NpmEsme, count: number): Promise<NpmPdu[]> =>
  eventually(
    () => esme.received,
    (received) => expect(received).toHaveLength(count),
  )

/** Settles when nothing more is to come. */
const nothingLeft = (smsc: SmscControl) =>
  eventually(
    () => smsc.state(),
    ({ undelivered, waiting }) => expect([undelivered, waiting]).toEqual([0, 0]),
  )

const field = (pdu: NpmPdu | undefined, name: string): unknown =>
  (pdu as unknown as Record<string, unknown>)[name]

test('a receipt is the text of the standard, from the recipient to the sender', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  await esme.submit(submitFields('A text of more than twenty characters'))
  const [receipt] = await receivedBy(esme, 1)
  expect(receipt).toMatchObject({
    command: 'deliver_sm',
    esm_class: 4,
    source_addr: '491511234567',
    source_addr_ton: 1,
    destination_addr: 'SHOP',
    dest_addr_ton: 5,
  })
  expect(textOf(receipt!)).toMatch(
    /^id:1 sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:A text of more than $/,
  )
})

test('receipts come as registered_delivery asks for them', async () => {
  const smsc = await openSmsc({
    receipts: {
      rules: [
        { destination: '41', states: ['ENROUTE', 'DELIVRD'] },
        { destination: '42', states: ['ENROUTE', 'UNDELIV'] },
      ],
    },
  })
  const esme = await openEsme(smsc)
  const statesFor = async (to: string, asked: number): Promise<unknown[]> => {
    esme.received.length = 0
    await esme.submit(submitFields('x', { destination_addr: to, registered_delivery: asked }))
    await nothingLeft(smsc)
    return esme.received.map((pdu) => /stat:(\w+)/.exec(textOf(pdu))?.[1])
  }
  expect(await statesFor('41', 0)).toEqual([])
  expect(await statesFor('41', 1)).toEqual(['DELIVRD'])
  expect(await statesFor('41', 2)).toEqual([])
  expect(await statesFor('42', 2)).toEqual(['UNDELIV'])
  expect(await statesFor('41', 0x11)).toEqual(['ENROUTE', 'DELIVRD'])
  await smsc.set({ receipts: { when: 'always' } })
  expect(await statesFor('42', 0)).toEqual(['ENROUTE', 'UNDELIV'])
  await smsc.set({ receipts: { when: 'never' } })
  expect(await statesFor('42', 1)).toEqual([])
})

test('each form of the text is written as its vendor does', async () => {
  const smsc = await openSmsc({ receipts: { rules: [{ states: ['ACKED'], err: '0A1F' }] } })
  const esme = await openEsme(smsc)
  for (const form of Object.values(receiptForms)) {
    await smsc.set({ receipts: { form } })
    await esme.submit(submitFields())
  }
  await receivedBy(esme, Object.keys(receiptForms).length)
  const masked = esme.received.map((pdu) =>
    textOf(pdu).replaceAll(/\d{10,}/g, (digits) => `<${digits.length}>`),
  )
  expect(masked).toEqual([
    'id:1 sub:001 dlvrd:000 submit date:<10> done date:<10> stat:ACKED err:0A1F text:Hello',
    'id:2 sub:001 dlvrd:000 submit date:<10> done date:<10> stat:ACKED err:0A1F Text:Hello',
    'id:3 submit date:<10> done date:<10> stat:ACKED err:0A1F text:Hello',
    'id:4 sub:001 dlvrd:000 submit date:<12> done date:<12> stat:ACKED err:0A1F text:Hello',
    'id:5 sub:001 dlvrd:000 submit date:<14> done date:<14> stat:ACKED err:0A1F text:Hello',
    'id:6 sub:001 dlvrd:000 submitdate:<10> donedate:<10> stat:ACKED err:0A1F text:Hello',
    'id:7 sub:001 dlvrd:000 submit date:<10> done date:<10> stat:ACKED err:0A1F',
    'ID:8 SUB:001 DLVRD:000 SUBMIT DATE:<10> DONE DATE:<10> STAT:ACKED ERR:0A1F TEXT:Hello',
    'stat:ACKED err:0A1F done date:<12> submit date:<12> id:9',
    'id: 10 sub: 001 dlvrd: 000 submit date: <10> done date: <10> stat: ACKED err: 0A1F text: Hello',
    'id:11 stat:ACKED',
  ])
})

test('a receipt may be TLVs alone, or both, in a payload, in a data_sm, without its esm_class', async () => {
  const smsc = await openSmsc({ receipts: { carrier: 'tlv', networkErrorCode: '03000a07', esmClass: 0 } })
  const esme = await openEsme(smsc)
  const next = async (): Promise<NpmPdu> => {
    esme.received.length = 0
    await esme.submit(submitFields('Hello', { user_message_reference: 77 }))
    return (await receivedBy(esme, 1))[0] as NpmPdu
  }
  const tlvs = await next()
  expect(tlvs).toMatchObject({ esm_class: 0, receipted_message_id: '1', message_state: 2 })
  expect(field(tlvs, 'network_error_code')).toEqual(Buffer.from('03000a07', 'hex'))
  expect(textOf(tlvs)).toBe('')

  await smsc.set({ receipts: { carrier: 'both', esmClass: 4, networkErrorCode: null, echoReference: true } })
  const both = await next()
  expect(both).toMatchObject({ receipted_message_id: '2', message_state: 2, user_message_reference: 77 })
  expect(textOf(both)).toMatch(/^id:2 /)

  await smsc.set({ receipts: { carrier: 'text', inPayload: true, echoReference: false } })
  const payload = await next()
  expect(textOf(payload)).toBe('')
  expect(field(payload, 'message_payload')).toMatchObject({ message: expect.stringMatching(/^id:3 /) })

  await smsc.set({ receipts: { command: 'data_sm' } })
  const data = await next()
  expect(data).toMatchObject({ command: 'data_sm', esm_class: 4 })
  expect(field(data, 'message_payload')).toMatchObject({ message: expect.stringMatching(/^id:4 /) })
})

test('the text of a receipt may be UCS-2, or end with a NUL', async () => {
  const smsc = await openSmsc({ receipts: { encoding: 'ucs2' } })
  const esme = await openEsme(smsc)
  await esme.submit(submitFields('Žluťoučký'))
  const [ucs2] = await receivedBy(esme, 1)
  expect(ucs2?.data_coding).toBe(8)
  expect(textOf(ucs2!)).toMatch(/^id:1 .*stat:DELIVRD/)
  await smsc.set({ receipts: { encoding: 'latin1', trailingNul: true, form: 'id:{id}' } })
  await esme.submit(submitFields())
  // The package reads 0 as the `@` of GSM.
  expect(textOf((await receivedBy(esme, 2))[1]!)).toBe('id:2@')
})

test('the id of the receipt has another form than that of the response', async () => {
  const smsc = await openSmsc({ ids: { start: '2748', response: { radix: 16, width: 8, letters: 'upper' } } })
  const esme = await openEsme(smsc)
  expect((await esme.submit(submitFields())).message_id).toBe('00000ABC')
  expect(textOf((await receivedBy(esme, 1))[0]!)).toMatch(/^id:2748 /)
})

test('a receipt comes before the response where that is set', async () => {
  const smsc = await openSmsc({ submit: { delayMs: 60 }, receipts: { from: 'submit' } })
  const esme = await openEsme(smsc)
  const order: string[] = []
  esme.session.on('pdu', ({ command }: NpmPdu) => order.push(command))
  await esme.submit(submitFields())
  expect(order).toEqual(['deliver_sm', 'submit_sm_resp'])
})

test('a receipt comes on another session, and waits for one', async () => {
  const smsc = await openSmsc({ receipts: { session: 'other' } })
  const first = await openEsme(smsc)
  await first.submit(submitFields())
  await openEsme(smsc, { bind: 'transmitter' })
  expect((await smsc.state()).undelivered).toBe(1)
  const other = await openEsme(smsc)
  await receivedBy(other, 1)
  expect(first.received).toEqual([])
})

test('receipts are repeated, dropped, and put in another order', async () => {
  const smsc = await openSmsc({
    receipts: {
      copies: 2,
      rules: [
        { destination: '41', states: [] },
        { destination: '42', states: ['DELIVRD', 'UNDELIV'] },
      ],
    },
  })
  const esme = await openEsme(smsc)
  await esme.submit(submitFields('x', { destination_addr: '41' }))
  await esme.submit(submitFields('x', { destination_addr: '42' }))
  await nothingLeft(smsc)
  const told = (): string[] =>
    esme.received.map((pdu) => /id:(\d+) .*stat:(\w+)/.exec(textOf(pdu))?.slice(1).join(' ') ?? '')
  expect(told()).toEqual(['2 DELIVRD', '2 DELIVRD', '2 UNDELIV', '2 UNDELIV'])

  esme.received.length = 0
  await smsc.set({ receipts: { copies: 1, rules: [], delayMs: [0, 200] } })
  for (let n = 0; n < 30; n += 1) esme.session.submit_sm(submitFields(), () => undefined)
  await receivedBy(esme, 30)
  const ids = told().map((words) => Number.parseInt(words))
  expect(ids).not.toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(30)
})

test('what is not answered when a connection ends comes again on the next one', async () => {
  const smsc = await openSmsc({ deliver: { window: 3 } })
  const first = await openEsme(smsc)
  first.answerWith(null)
  for (let n = 0; n < 10; n += 1) await first.submit(submitFields())
  await receivedBy(first, 3)
  expect((await smsc.state()).undelivered).toBe(10)
  first.close()
  const second = await openEsme(smsc)
  await nothingLeft(smsc)
  const ids = second.received.map((pdu) => Number(/id:(\d+)/.exec(textOf(pdu))?.[1]))
  expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('an ESME that says later gets it later, one that refuses gets it no more, one that is silent again', async () => {
  const smsc = await openSmsc({ deliver: { retryAfterMs: 20, answerWithinMs: 100, attempts: 3 } })
  const esme = await openEsme(smsc)
  const [message] = mobileOriginated({ from: '491', to: '12345', text: 'Hi', method: 'none' })
  esme.answerWith(0x64)
  expect(await smsc.deliver(message!)).toEqual({ outcome: 0x64, session: 1 })
  expect(esme.received).toHaveLength(3)
  esme.answerWith(0x65)
  expect(await smsc.deliver(message!)).toMatchObject({ outcome: 0x65 })
  expect(esme.received).toHaveLength(4)
  esme.answerWith(null)
  expect(await smsc.deliver(message!)).toMatchObject({ outcome: 'silence' })
  esme.answerWith(0)
  expect(await smsc.deliver(message!)).toMatchObject({ outcome: 0 })
  const outcomes = smsc
    .records()
    .flatMap((record) => (record.kind === 'delivery-answer' ? [record.outcome] : []))
  expect(outcomes).toEqual([0x64, 0x64, 0x64, 0x65, 'silence', 'silence', 'silence', 0])
})

test('a text from a handset arrives in every method and encoding, as the package reads it', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  const arrive = async (mobile: Omit<MobileText, 'from' | 'to'>): Promise<NpmPdu[]> => {
    esme.received.length = 0
    const parts = mobileOriginated({ from: '491511234567', to: '12345', ...mobile })
    for (const part of parts) expect(await smsc.deliver(part)).toMatchObject({ outcome: 0 })
    return esme.received
  }
  const joined = (pdus: readonly NpmPdu[]): string => pdus.map(textOf).join('')
  const headersOf = (pdus: readonly NpmPdu[]): string[] =>
    pdus.map((pdu) =>
      Buffer.concat((field(pdu, 'short_message') as { udh?: Buffer[] }).udh ?? []).toString('hex'),
    )
  const text = 'Straße für {Äpfel} & Ödön, 5 €: ¿Ñandù? ' + 'x'.repeat(30)

  const alone = await arrive({ text, method: 'none' })
  expect(alone).toMatchObject([{ esm_class: 0, data_coding: 0 }])
  expect(joined(alone)).toBe(text)

  const udh8 = await arrive({ text, method: 'udh8', reference: 200, partLength: 30 })
  expect(joined(udh8)).toBe(text)
  expect(headersOf(udh8)).toEqual(['0003c80301', '0003c80302', '0003c80303'])

  const udh16 = await arrive({ text: 'Жизнь 😀', method: 'udh16', reference: 513, partLength: 4, encoding: 'ucs2', elementBefore: '05040b8423f0' }) // prettier-ignore
  expect(joined(udh16)).toBe('Жизнь 😀')
  expect(headersOf(udh16)).toEqual(['05040b8423f0080402010201', '05040b8423f0080402010202'])

  const sar = await arrive({ text: 'Grüße', method: 'sar', encoding: 'latin1', partLength: 3, reference: 9 })
  expect(joined(sar)).toBe('Grüße')
  expect(sar).toMatchObject([
    { sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: 1 },
    { sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: 2 },
  ])

  const [payload] = await arrive({ text: text.repeat(5), method: 'payload' })
  expect(field(payload, 'message_payload')).toMatchObject({ message: text.repeat(5) })
})
