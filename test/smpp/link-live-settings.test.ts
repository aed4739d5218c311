import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSmppSubject } from '../contracts/smpp-subject.ts'
import { type Opened, openSubject } from '../contracts/contract-subject.ts'
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'

let smsc: SmscControl

beforeAll(async () => {
  smsc = await startSmsc()
})
afterAll(() => smsc.stop())

type Change = (settings: Readonly<Record<string, string>>) => boolean | undefined

/** A bound link, and a way to change what it was started with. */
async function open(): Promise<Opened & { change: Change }> {
  const opened = await openSubject(createSmppSubject(() => smsc))
  const first = { host: smsc.host, port: String(smsc.port), system_id: 'esme', response_timeout_ms: '8000', enquire_link_ms: '2000', enquire_link_timeout_ms: '5000' } // prettier-ignore
  return { ...opened, change: (settings) => opened.subject.link.applySettings?.({ ...first, ...settings }) }
}

const sessions = async (): Promise<number[]> => (await smsc.state()).sessions.map(({ session }) => session)

test('a changed window and rate hold at once, on the session that is bound', async () => {
  const { world, subject, submit, change } = await open()
  const before = await sessions()
  expect(before).toHaveLength(1)
  for (let i = 0; i < 30; i++) await submit()
  expect(change({ window: '30' })).toBe(true)
  expect(subject.link.window).toBe(30)
  expect(change({ window: '30', max_per_second: '100' })).toBe(true)
  expect(subject.link.window).toBe(10)
  expect(change({ window: '3', max_per_second: '0.01' })).toBe(true)
  expect(subject.link.window).toBe(1)
  await submit()
  expect(subject.link.window).toBe(0)
  expect(change({ window: '3' })).toBe(true)
  await world.clock.advance(10)
  expect(subject.link.window).toBe(3)
  expect(await submit()).toMatchObject({ kind: 'accepted' })
  expect(await sessions()).toEqual(before)
})

test('a changed class of a status decides about the next answer', async () => {
  const { submit, change } = await open()
  const before = await sessions()
  await smsc.set({ submit: { rules: [{ status: 0x400 }] } })
  expect(change({ status_classes: '0x400=good' })).toBe(true)
  expect(await submit()).toMatchObject({ kind: 'refused', lasts: 'good' })
  expect(change({ status_classes: '0x400=now' })).toBe(true)
  expect(await submit()).toMatchObject({ kind: 'refused', lasts: 'now' })
  expect(await sessions()).toEqual(before)
})

test.each([
  { port: '1' },
  { system_id: 'other' },
  { bind: 'pair' },
  { sessions: '2' },
  { receipts: 'none' },
  { message_ids: 'exact' },
  { alphabet: 'latin1' },
  { response_timeout_ms: '9000' },
])('%j is left to a link that is made anew', async (settings) => {
  const { subject, change } = await open()
  expect(change({ ...settings, window: '30' })).toBe(false)
  expect(subject.link.window).toBe(10)
})
