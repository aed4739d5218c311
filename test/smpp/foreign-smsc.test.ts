import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startSmsc } from '../peers/smsc-control.ts'
import type { NpmPdu } from '../peers/smsc/npm-smpp.ts'
import { judgeTexts } from '../peers/sms-text/reassemble.ts'
import { openEsme, openSmsc, submitFields } from './foreign-house.ts'
import type { NpmEsme } from './npm-esme.ts'

/** The foreign SMSC does what it is told, by the word of an ESME that we did not write either. */

test('an answered submit is in the log with all its fields, though the SMSC is killed', async () => {
  const smsc = await startSmsc()
  onTestFinished(smsc.stop)
  const esme = await openEsme(smsc)
  const answer = await esme.submit({
    service_type: 'OTP',
    source_addr_ton: 5,
    source_addr: 'SHOP',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '491511234567',
    esm_class: 0x40,
    protocol_id: 1,
    priority_flag: 2,
    validity_period: '000000010000000R',
    registered_delivery: 0x11,
    replace_if_present_flag: 1,
    data_coding: 8,
    short_message: Buffer.from('050003070201004100e4', 'hex'),
    user_message_reference: 513,
    source_subaddress: Buffer.from('a0ff', 'hex'),
  })
  expect(answer).toMatchObject({ command: 'submit_sm_resp', command_status: 0, message_id: '1' })
  await smsc.kill()
  expect(smsc.submits()).toEqual([
    {
      kind: 'submit',
      n: 1,
      session: 1,
      sequence: answer.sequence_number,
      command: 'submit_sm',
      at: expect.any(Number),
      serviceType: 'OTP',
      source: 'SHOP',
      sourceTon: 5,
      sourceNpi: 0,
      destination: '491511234567',
      destinationTon: 1,
      destinationNpi: 1,
      esmClass: 0x40,
      protocolId: 1,
      priority: 2,
      scheduleDeliveryTime: '',
      validityPeriod: '000000010000000R',
      registeredDelivery: 0x11,
      replaceIfPresent: 1,
      dcs: 8,
      shortMessage: '050003070201004100e4',
      udh: '050003070201',
      tlvs: { user_message_reference: 513, source_subaddress: 'a0ff' },
      answer: 0,
      status: 0,
      taken: true,
      messageId: '1',
      exact: true,
    },
  ])
})

test('what the package reads otherwise than it was written is not exact; a vendor TLV is', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  const send = (...pdus: Buffer[]): boolean => esme.session.socket.write(Buffer.concat(pdus))
  const twoReferences = '02040002000102040002000a'
  const shortReference = '0204000100 0205000200ff'
  send(
    submitBytes({ tlvs: '14000003414243 0204000200ff' }),
    submitBytes({ source: '53d64f50' }),
    submitBytes({ tlvs: twoReferences }),
    submitBytes({ tlvs: shortReference }),
  )
  const submits = await eventually(
    () => smsc.submits(),
    (seen) => expect(seen).toHaveLength(4),
  )
  expect(submits.map(({ exact }) => exact)).toEqual([true, false, false, false])
  expect(submits[0]?.tlvs).toEqual({ '0x1400': '414243', user_message_reference: 255 })
})

/** A submit_sm written by hand. */
function submitBytes({ source = '53484f50', tlvs = '' }): Buffer {
  const body = `00 0000 ${source}00 0101 34393100 000000 00 00 0000 0000 0141 ${tlvs}`
  const bytes = Buffer.from(body.replaceAll(' ', ''), 'hex')
  const header = Buffer.from('00000000000000040000000000000063', 'hex')
  header.writeUInt32BE(16 + bytes.length, 0)
  return Buffer.concat([header, bytes])
}

test('binds are of the type that was asked, and only what may submit is served', async () => {
  const smsc = await openSmsc()
  const receiver = await openEsme(smsc, { bind: 'receiver' })
  const transmitter = await openEsme(smsc, { bind: 'transmitter', systemId: 'OTHER' })
  expect(receiver.bound).toMatchObject({ command: 'bind_receiver_resp', system_id: 'FOREIGN', sc_interface_version: 0x34 }) // prettier-ignore
  expect((await receiver.submit(submitFields())).command_status).toBe(4)
  expect((await transmitter.submit(submitFields())).command_status).toBe(0)
  const { sessions } = await smsc.state()
  expect(sessions.map(({ bindType, systemId }) => [bindType, systemId])).toEqual([
    ['receiver', 'ESME'],
    ['transmitter', 'OTHER'],
  ])
  expect(smsc.submits().map(({ taken, answer }) => [taken, answer])).toEqual([[false, 4], [true, 0]]) // prettier-ignore
})

test('binds are refused with the status that was set, as often as was set', async () => {
  const smsc = await openSmsc({ bind: { status: 0x0d, refusals: 2 } })
  const statuses = []
  for (let bind = 0; bind < 3; bind += 1) statuses.push((await openEsme(smsc)).bound.command_status)
  expect(statuses).toEqual([0x0d, 0x0d, 0])
  expect(smsc.links('bind-refused').map(({ detail }) => detail['status'])).toEqual([0x0d, 0x0d])
})

test('a wrong name, a wrong password and one bind too many each have their status', async () => {
  const smsc = await openSmsc({ bind: { systemId: 'ESME', password: 'secret', maxBinds: 1 } })
  expect((await openEsme(smsc, { systemId: 'NOBODY' })).bound.command_status).toBe(0x0f)
  expect((await openEsme(smsc, { password: 'guess' })).bound.command_status).toBe(0x0e)
  const first = await openEsme(smsc)
  expect(first.bound.command_status).toBe(0)
  expect((await openEsme(smsc)).bound.command_status).toBe(5)
  first.close()
  await eventually(
    () => smsc.links('closed'),
    (closed) => expect(closed).toHaveLength(1),
  )
  expect((await openEsme(smsc)).bound.command_status).toBe(0)
})

test('answers come after their delay, never before', async () => {
  const smsc = await openSmsc({ submit: { delayMs: 60 } })
  const esme = await openEsme(smsc)
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: 10 }, () => esme.submit(submitFields())))
  const tookMs = performance.now() - startedMs
  expect(tookMs).toBeGreaterThanOrEqual(60)
  expect(tookMs).toBeLessThan(600)
  expect((await smsc.state()).sessions[0]).toMatchObject({ submits: 10, inFlight: 0, maxInFlight: 10 })
})

test('above its rate it throttles, and takes none of those', async () => {
  const smsc = await openSmsc({ submit: { throttlePerSecond: 50, throttleBurst: 20 } })
  const esme = await openEsme(smsc)
  const startedMs = performance.now()
  const statuses: number[] = []
  while (performance.now() - startedMs < 400) {
    statuses.push((await esme.submit(submitFields())).command_status)
  }
  const allowed = 20 + ((performance.now() - startedMs) * 50) / 1_000
  const taken = statuses.filter((status) => status === 0).length
  expect(new Set(statuses)).toEqual(new Set([0, 0x58]))
  expect(taken).toBeGreaterThanOrEqual(30)
  expect(taken).toBeLessThanOrEqual(allowed)
  expect(smsc.submits().filter(({ taken: isTaken }) => isTaken)).toHaveLength(taken)
})

test('a rule answers its destinations with its status, as often as it may', async () => {
  const smsc = await openSmsc({
    submit: {
      rules: [
        { destination: '4999', status: 0x0b },
        { times: 2, status: 0x14 },
      ],
    },
  })
  const esme = await openEsme(smsc)
  const send = async (to: string) =>
    (await esme.submit(submitFields('x', { destination_addr: to }))).command_status
  expect(await send('49991')).toBe(0x0b)
  expect([await send('491'), await send('491'), await send('491')]).toEqual([0x14, 0x14, 0])
  expect(await send('49992')).toBe(0x0b)
  await smsc.set({ submit: { rules: [] } })
  expect(await send('49992')).toBe(0)
})

test('silence falls on a share of the submits, the same ones for the same seed', async () => {
  const silentOnes = async (seed: number): Promise<number[]> => {
    const smsc = await openSmsc({ submit: { rules: [{ how: 'silence', share: 0.3 }] } }, seed)
    const esme = await openEsme(smsc)
    for (let n = 0; n < 100; n += 1) esme.session.submit_sm(submitFields(), () => undefined)
    const submits = await eventually(
      () => smsc.submits(),
      (seen) => expect(seen).toHaveLength(100),
    )
    expect((await smsc.state()).answered).toBe(submits.filter(({ answer }) => answer === 0).length)
    return submits.filter(({ answer, taken }) => answer === 'silence' && taken).map(({ n }) => n)
  }
  const silent = await silentOnes(7)
  expect(silent.length).toBeGreaterThan(15)
  expect(silent.length).toBeLessThan(45)
  expect(await silentOnes(7)).toEqual(silent)
  expect(await silentOnes(8)).not.toEqual(silent)
})

test('it answers by generic_nack, twice, to nobody, or with a reset', async () => {
  const smsc = await openSmsc({
    submit: { rules: [{ how: 'nack', status: 8, times: 1 }] },
    receipts: { when: 'never' },
  })
  const esme = await openEsme(smsc)
  const seen: string[] = []
  esme.session.on('pdu', (pdu: NpmPdu) => seen.push(`${pdu.command} ${pdu.sequence_number}`))
  expect(await esme.submit(submitFields())).toMatchObject({ command: 'generic_nack', command_status: 8 })
  await smsc.set({
    submit: {
      rules: [
        { how: 'twice', times: 1 },
        { how: 'stray', times: 1 },
      ],
    },
  })
  await esme.submit(submitFields())
  esme.session.submit_sm(submitFields(), () => undefined)
  await eventually(
    () => seen,
    () => expect(seen).toEqual(['generic_nack 2', 'submit_sm_resp 3', 'submit_sm_resp 3', 'submit_sm_resp 2147483632']), // prettier-ignore
  )
  await smsc.set({ submit: { rules: [{ how: 'cut' }] } })
  await expect(esme.submit(submitFields())).rejects.toThrow('without an answer')
  expect(smsc.submits().map(({ answer, taken }) => [answer, taken])).toEqual([
    ['nack', false],
    ['twice', true],
    ['stray', true],
    ['cut', true],
  ])
})

test('a refusal is a header alone, or has a body where that is set', async () => {
  const smsc = await openSmsc({ submit: { rules: [{ status: 0x58 }] } })
  const esme = await openEsme(smsc)
  expect((await esme.submit(submitFields())) as unknown).toMatchObject({ command_length: 16 })
  await smsc.set({ submit: { bodyOnError: true } })
  expect((await esme.submit(submitFields())) as unknown).toMatchObject({
    command_length: 17,
    command_status: 0x58,
  })
})

test('message ids have the form of the response, beyond 2^53 too, and come round again', async () => {
  const smsc = await openSmsc({ ids: { start: '9007199254740993', count: 2 } })
  const esme = await openEsme(smsc)
  const id = async () => (await esme.submit(submitFields())).message_id
  expect([await id(), await id(), await id()]).toEqual([
    '9007199254740993',
    '9007199254740994',
    '9007199254740993',
  ])
  await smsc.set({ ids: { start: '255', count: null, response: { radix: 16, width: 8, letters: 'upper' } } })
  expect(await id()).toBe('000000FF')
  await smsc.set({ ids: { response: { radix: 16, dashes: true } } })
  expect(await id()).toBe('00000000-0000-0000-0000-000000000100')
})

test('query_sm tells the state of what was taken, and nothing of what was not', async () => {
  const smsc = await openSmsc({
    receipts: { delayMs: 150, rules: [{ destination: '4998', states: ['UNDELIV'] }] },
  })
  const esme = await openEsme(smsc)
  const { message_id } = await esme.submit(submitFields('x', { destination_addr: '49981' }))
  expect(await esme.ask('query_sm', { message_id })).toMatchObject({ command_status: 0, message_state: 1 })
  await eventually(
    () => esme.ask('query_sm', { message_id }),
    (answer) => expect(answer).toMatchObject({ message_id, message_state: 5 }),
  )
  expect((await esme.ask('query_sm', { message_id: '77' })).command_status).toBe(0x67)
})

test('it unbinds, and closes once that is answered', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  expect(await smsc.unbind()).toBe(0)
  await eventually(
    () => esme.isClosed(),
    (closed) => expect(closed).toBe(true),
  )
  expect(smsc.links('unbound-by-smsc')).toHaveLength(1)
})

test('it answers the unbind of an ESME, and says what was still in flight', async () => {
  const smsc = await openSmsc({ submit: { delayMs: 5_000 } })
  const esme = await openEsme(smsc)
  esme.session.submit_sm(submitFields(), () => undefined)
  expect((await esme.ask('unbind')).command_status).toBe(0)
  expect(smsc.links('unbound-by-esme').map(({ detail }) => detail)).toEqual([{ inFlight: 1 }])
})

test('enquire_link goes both ways, and either side may be mute', async () => {
  const smsc = await openSmsc({ link: { enquireEveryMs: 30, enquireBeforeBind: true } })
  const esme = await openEsme(smsc)
  expect((await esme.ask('enquire_link')).command_status).toBe(0)
  await eventually(
    () => smsc.state(),
    ({ sessions }) => expect(sessions[0]?.enquires.answered).toBeGreaterThanOrEqual(3),
  )
  await smsc.set({ link: { answerEnquire: false } })
  const waiting = esme.ask('enquire_link').catch((error: unknown) => String(error))
  await eventually(
    () => smsc.links('enquired'),
    (enquired) => expect(enquired).toHaveLength(2),
  )
  await smsc.cut('fin')
  expect(await waiting).toContain('without an answer')
})

test('it asks before any bind where that is set', async () => {
  const smsc = await openSmsc({ link: { enquireBeforeBind: true } })
  const socket = connect(smsc.port, '127.0.0.1')
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(bytes.toString('hex')).toBe('00000010000000150000000000000001')
})

test('it sends what the standard has besides, and bytes that no standard has', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  await smsc.tell('alert_notification', { source_addr: '49', esme_addr: '1' })
  await smsc.tell('outbind', { system_id: 'SMSC', password: 'p' })
  await smsc.raw(Buffer.from('000000100bad0bad0000000000000063', 'hex'))
  await eventually(
    () => esme.received.map(({ command }) => command),
    (commands) => expect(commands).toEqual(['alert_notification', 'outbind', 'unknown']),
  )
  await eventually(
    () => smsc.links('stray-answer').map(({ detail }) => detail),
    (details) => expect(details).toEqual([{ command: 'generic_nack', status: 3, sequence: 0x63 }]),
  )
})

test('an unknown command gets a nack and the session lives; what cannot be read ends it', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  const nacked = once(esme.session, 'generic_nack')
  esme.session.socket.write(Buffer.from('000000100bad0bad0000000000000063', 'hex'))
  expect((await nacked)[0]).toMatchObject({ command_status: 3, sequence_number: 0x63 })
  expect((await esme.ask('enquire_link')).command_status).toBe(0)
  esme.session.socket.write(submitBytes({ tlvs: '020400010f' }))
  await eventually(
    () => esme.isClosed(),
    (closed) => expect(closed).toBe(true),
  )
  expect(smsc.links('unreadable')).toHaveLength(1)
})

test('paused it reads nothing more, and goes on where it stopped', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  await smsc.pause()
  const answer = esme.submit(submitFields())
  // Another connection, so that there has been time for the submit to come through.
  await openEsme(smsc)
  expect((await smsc.state()).submits).toBe(0)
  await smsc.resume(1)
  expect((await answer).command_status).toBe(0)
})

/** A bound on its own work, which holds beside other tests too: 8,100 a second came through on two cores with a load of 5. */
test('it takes 5,000 submits and gives their receipts in less than a second of its CPU', async () => {
  const smsc = await openSmsc()
  const esme = await openEsme(smsc)
  await pour(esme, 2_000)
  const before = await smsc.state()
  await pour(esme, 5_000)
  const after = await eventually(
    () => smsc.state(),
    ({ undelivered }) => expect(undelivered).toBe(0),
  )
  expect(after.submits - before.submits).toBe(5_000)
  expect(after.cpuMs - before.cpuMs).toBeLessThan(1_000)
  expect(esme.received).toHaveLength(7_000)
  const texts = Array.from({ length: 5_000 }, (_, n) => ({ to: '491511234567', text: `Number ${n}` }))
  const verdict = judgeTexts([...texts, ...texts.slice(0, 2_000)], smsc.submits())
  expect(Object.values(verdict).flat()).toEqual([])
})

/** Submits so many, a hundred at once. */
function pour(esme: NpmEsme, count: number): Promise<void> {
  return new Promise((resolve) => {
    let sent = 0
    let answered = 0
    const next = (): void => {
      if (sent === count) return
      esme.session.submit_sm(submitFields(`Number ${sent}`), () => {
        answered += 1
        if (answered === count) resolve()
        else next()
      })
      sent += 1
    }
    for (let window = 0; window < 100; window += 1) next()
  })
}
