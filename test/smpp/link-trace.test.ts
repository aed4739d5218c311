import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSmppSubject } from '../contracts/smpp-subject.ts'
import { submissionOf, type Opened, openSubject, turnUntil } from '../contracts/contract-subject.ts'
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'

let smsc: SmscControl

beforeAll(async () => {
  smsc = await startSmsc()
})
afterAll(() => smsc.stop())

interface Line {
  level: string
  message: string
  detail: Record<string, unknown>
}

/** A link whose log is kept. */
async function openLogged(settings: Record<string, string>): Promise<Opened & { lines: Line[] }> {
  const lines: Line[] = []
  const opened = await openSubject((world) => {
    world.tools = {
      ...world.tools,
      log: (level, message, detail = {}) => void lines.push({ level, message, detail }),
    }
    return createSmppSubject(() => smsc, settings)(world)
  })
  return { ...opened, lines }
}

/** A message there, its receipt and a message of a handset back, and the end of the link. */
async function liveThrough({ world, subject, submit }: Opened): Promise<void> {
  const text = 'Your secret is 4711: Straße'
  expect((await submit(submissionOf({ to: '+4915112345678', from: 'Onesixty', text }))).kind).toBe('accepted')
  await subject.handsetSends()
  await subject.hearOut(world)
  await turnUntil(world, subject.link.stop(), 60_000)
}

const traced = (lines: readonly Line[]): Line[] => lines.filter(({ message }) => message.startsWith('SMPP '))

test('with trace=on every PDU is logged, both ways, with the numbers masked', async () => {
  const opened = await openLogged({ trace: 'on' })
  await liveThrough(opened)
  const said = traced(opened.lines).map(
    ({ level, message, detail }) => `${level} ${message} ${String(detail['command'])}`,
  )
  expect(said.toSorted()).toEqual(
    [
      'info SMPP out bind_transceiver',
      'info SMPP in bind_transceiver_resp',
      'info SMPP out submit_sm',
      'info SMPP in submit_sm_resp',
      'info SMPP in deliver_sm',
      'info SMPP out deliver_sm_resp',
      'info SMPP in deliver_sm',
      'info SMPP out deliver_sm_resp',
      'info SMPP out unbind',
      'info SMPP in unbind_resp',
    ].toSorted(),
  )
  const [submit, receipt] = ['submit_sm', 'deliver_sm'].map(
    (command) => traced(opened.lines).find(({ detail }) => detail['command'] === command)?.detail,
  )
  expect(submit).toMatchObject({ source: '***/5/0', destination: '+49***78', data_coding: 0, octets: 27, sequence: 2 }) // prettier-ignore
  expect(receipt).toMatchObject({ esm_class: 4, source: '+49***78', destination: '***/5/0' })
})

test('the trace of a receipt has what the link reads by its receipt_pattern', async () => {
  const opened = await openLogged({
    trace: 'on',
    receipt_pattern: 'id:{id} sub:{err} dlvrd:{*} stat:{stat} {*}',
  })
  await liveThrough(opened)
  const receipts = traced(opened.lines).flatMap(({ detail }) => detail['receipt'] ?? [])
  expect(receipts).toEqual([{ id: expect.any(String), stat: 'DELIVRD', err: '001' }])
})

test('a trace holds no text, no name, no number in full, no password and no id of an account', async () => {
  const opened = await openLogged({ trace: 'on' })
  await liveThrough(opened)
  const log = JSON.stringify(opened.lines)
  expect(traced(opened.lines)).toHaveLength(10)
  for (const secret of [
    '4711',
    'Straße',
    'Onesixty',
    '15112345678',
    '1511234567',
    'secret',
    'esme',
    'Grüße',
    '12345',
  ])
    expect(log, secret).not.toContain(secret)
  for (const bytes of ['Your secret', 'secret', '4915112345678'])
    expect(log, bytes).not.toContain(Buffer.from(bytes).toString('hex'))
})

test('without trace no PDU is logged', async () => {
  const opened = await openLogged({})
  await liveThrough(opened)
  expect(traced(opened.lines)).toEqual([])
})
