import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { mobileOriginated } from '../peers/sms-text/mobile-originated.ts'
import { openSmppHouse, type SmppHouse } from './smpp-house.ts'

/** Words that stand nowhere else. */
const marks = {
  password: 'Pw-7f31c9',
  wrongPassword: 'Pw-0b44aa',
  systemId: 'esme',
  text: 'Your code is mark-60417',
  refused: 'mark-refused-22871',
  inbound: 'mark-inbound-90035',
  outbind: 'mark-outbind-1',
  to: '+4915112345071',
  refusedTo: '+4915112345072',
  from: '491719988077',
}

const logged = (house: SmppHouse, words: string): Promise<string> =>
  eventually(
    () => house.server.process.output(),
    (output) => expect(output).toContain(words),
    10_000,
  )

test('whatever passes over a link, its log has no password, no text and no number in full, also at level debug', async () => {
  const house = await openSmppHouse({
    ownProcess: true,
    password: marks.password,
    settings: ['trace=on', 'reconnect_first_ms=100'],
    env: { ONESIXTY_LOG_LEVEL: 'debug' },
  })
  await house.smsc.set({
    submit: { rules: [{ destination: marks.refusedTo.slice(1), status: 0x0b }] },
    bind: { password: marks.password },
  })
  await house.send(marks.text, [marks.to])
  await house.send(marks.refused, [marks.refusedTo])
  const [order] = mobileOriginated({ from: marks.from, to: '12345', text: marks.inbound, method: 'none' })
  expect(await house.smsc.deliver(order!)).toMatchObject({ outcome: 0 })
  await house.smsc.tell('outbind', { system_id: 'SMSC', password: marks.outbind })
  // A deliver_sm that ends in the middle of its text.
  await house.smsc.raw(
    Buffer.from(
      `0000002400000005000000000000004d00000000000000000000000000000000${Buffer.from(marks.inbound).toString('hex').slice(0, 8)}`,
      'hex',
    ),
  )
  await logged(house, 'malformed')
  await eventually(
    house.counts,
    (counts) => expect(counts).toEqual({ delivered: 1, failed: 1, received: 1 }),
    10_000,
  )
  await house.smsc.cut('rst')
  await eventually(
    () => house.smsc.links('bound'),
    (bound) => expect(bound).toHaveLength(2),
    10_000,
  )
  await house.smsc.set({ bind: { password: marks.wrongPassword } })
  await house.smsc.cut('rst')
  await eventually(house.status, ({ reasons }) => expect(reasons).toContain('bind_refused'), 10_000)
  await house.server.process.stop()
  const log = house.server.process.output()
  for (const said of [
    'SMPP out',
    'SMPP in',
    'bind_transceiver',
    'submit_sm',
    'deliver_sm',
    'outbind',
    '+49***71',
  ])
    expect(log, said).toContain(said)
  for (const [name, mark] of Object.entries(marks)) {
    const forms = [
      mark,
      mark.replace('+', ''),
      Buffer.from(mark).toString('hex'),
      Buffer.from(mark).toString('base64').replace(/=+$/, ''),
    ]
    for (const form of forms) expect(log.includes(form), `${name} as ${form}`).toBe(false)
  }
}, 60_000)
