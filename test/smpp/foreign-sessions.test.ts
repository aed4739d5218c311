import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { openEsme, openSmsc, submitBytes, submitFields } from './foreign-house.ts'

/** Binds, and what happens on a session besides submits, by the word of an ESME that we did not write. */

test('binds are of the type that was asked, and only what may submit is served', async () => {
  const smsc = await openSmsc()
  const receiver = await openEsme(smsc, { bind: 'receiver' })
  const transmitter = await openEsme(smsc, { bind: 'transmitter', systemId: 'OTHER' })
  expect(receiver.bound).toMatchObject({
    command: 'bind_receiver_resp',
    system_id: 'FOREIGN',
    sc_interface_version: 0x34,
  })
  expect((await receiver.submit(submitFields())).command_status).toBe(4)
  expect((await transmitter.submit(submitFields())).command_status).toBe(0)
  const { sessions } = await smsc.state()
  expect(sessions.map(({ bindType, systemId }) => [bindType, systemId])).toEqual([
    ['receiver', 'ESME'],
    ['transmitter', 'OTHER'],
  ])
  expect(smsc.submits().map(({ taken, answer }) => [taken, answer])).toEqual([
    [false, 4],
    [true, 0],
  ])
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
