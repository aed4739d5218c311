import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import type { SubmitRule } from '../peers/at-modem/modem-settings.ts'
import { openDriver } from './at-driver.ts'
import { hello, openModem } from './open-modem.ts'

const stub = { clock: 'stub' } as const

test('no prompt: the command is never answered, the line is ready for another one, and a PDU is not taken', async () => {
  const { modem, driver } = await openModem({ settings: { submit: { prompt: 'none' } } })
  driver.write('AT+CMGS=32\r')
  expect(await driver.ask('AT')).toEqual(['OK'])
  driver.write(`${hello}\x1a`)
  expect(await driver.ask('AT')).toEqual(['OK'])
  expect(modem.submits()).toEqual([])
  expect(modem.recordsOf('line').filter(({ what }) => what === 'stray').map(({ detail }) => detail)).toEqual(['1a']) // prettier-ignore
})

test('a late prompt comes when the clock says so, and takes what was written before it', async () => {
  const { modem, driver } = await openModem({ ...stub, settings: { submit: { promptDelayMs: 4_000 } } })
  driver.write(`AT+CMGS=32\r${hello}\x1a`)
  await eventually(() => modem.commands(), (commands) => expect(commands).toContain('AT+CMGS=32')) // prettier-ignore
  await modem.advance(3_999)
  expect(driver.unread).toBe('')
  await modem.advance(1)
  await driver.until(/> \r\n\+CMGS: 1\r\n\r\nOK\r\n/)
})

test('an error in place of the prompt', async () => {
  const { modem, driver } = await openModem({ settings: { submit: { prompt: ['+CMS ERROR: 302'] } } })
  expect(await driver.ask('AT+CMGS=32')).toEqual(['+CMS ERROR: 302'])
  expect((await modem.state()).isAtPrompt).toBe(false)
})

test('the reference after 130 s, on the line that is there then', async () => {
  const { modem, driver } = await openModem({ ...stub, settings: { submit: { answerDelayMs: 130_000 } } })
  driver.write('AT+CMGS=32\r')
  await driver.until(/> /)
  driver.write(`${hello}\x1a`)
  await eventually(() => modem.taken(), (taken) => expect(taken).toHaveLength(1)) // prettier-ignore
  await modem.advance(129_999)
  await driver.close()
  const next = await openDriver(modem.port)
  const opened = (): number => modem.recordsOf('line').filter(({ what }) => what === 'opened').length
  await eventually(opened, (times) => expect(times).toBe(2))
  expect(next.unread).toBe('')
  await modem.advance(1)
  await next.until(/^\r\n\+CMGS: 1\r\n\r\nOK\r\n$/)
})

test('the report before the reference', async () => {
  const rules = [{ statuses: [0], when: 'before-answer' }] as const
  const { driver } = await openModem({ settings: { reports: { rules } } })
  await driver.ask('AT+CNMI=2,1,0,1,0')
  const said = await driver.submit(hello)
  expect(said).toEqual([expect.stringMatching(/^\+CDS: 25$/), expect.stringMatching(/^079194710167000006010C91/), '+CMGS: 1', 'OK']) // prettier-ignore
})

test('reports as a network sends them: still trying, then delivered, with another reference, form and SMSC', async () => {
  const rules = [{ statuses: [0x30, 0], delayMs: 60_000, reference: 9, recipient: { number: '01701234567', type: 0x81 }, smsc: '+49171999' }] // prettier-ignore
  const { modem, driver } = await openModem({ ...stub, settings: { reports: { rules } } })
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await driver.submit(hello)
  await modem.advance(60_000)
  const [, first] = await driver.until(/\+CDS: \d+\r\n([0-9A-F]+)\r\n/)
  expect(first).toMatch(/^059194719199/)
  await modem.advance(60_000)
  const [, second] = await driver.until(/\+CDS: \d+\r\n([0-9A-F]+)\r\n/)
  expect([first!.slice(-2), second!.slice(-2)]).toEqual(['30', '00'])
  expect(second).toContain('06090B811007214365F7')
})

test.for<[string, SubmitRule, string[], boolean]>([
  ['500 after taking it', { isTaken: true, answer: ['+CMS ERROR: 500'] }, ['+CMS ERROR: 500'], true],
  ['500 without taking it', { isTaken: false, answer: ['+CMS ERROR: 500'] }, ['+CMS ERROR: 500'], false],
  ['a bare ERROR', { isTaken: true, answer: ['ERROR'] }, ['ERROR'], true],
  ['OK without a reference', { isTaken: false, answer: ['+CSCN: 1', 'OK'] }, ['+CSCN: 1', 'OK'], false],
  ['a reference that is a lie', { isTaken: false, answer: 'ok' }, ['+CMGS: 1', 'OK'], false],
  [
    'a reference that is no number',
    { isTaken: true, answer: ['+CMGS: x{mr}', 'OK'] },
    ['+CMGS: x1', 'OK'],
    true,
  ],
])('%s', async ([, rule, said, isTaken]) => {
  const { modem, driver } = await openModem({ settings: { submit: { rules: [rule] } } })
  expect(await driver.submit(hello)).toEqual(said)
  expect(modem.submits().map(({ taken }) => taken)).toEqual([isTaken])
})

test('a rule holds for its recipient and for as many as it says', async () => {
  const rules = [{ to: '49170', skip: 1, times: 1, isTaken: false, answer: ['+CMS ERROR: 28'] }]
  const { driver } = await openModem({ settings: { submit: { rules } } })
  const said = [await driver.submit(hello), await driver.submit(hello), await driver.submit(hello)]
  expect(said.map(([line]) => line)).toEqual(['+CMGS: 1', '+CMS ERROR: 28', '+CMGS: 2'])
})

test('silence after Ctrl-Z, a held answer, and one that is given instead', async () => {
  const rules: SubmitRule[] = [
    { times: 1, isTaken: true, answer: 'silence' },
    { isTaken: true, answer: 'held' },
  ]
  const { modem, driver } = await openModem({ settings: { submit: { rules } } })
  driver.write('AT+CMGS=32\r')
  await driver.until(/> /)
  driver.write(`${hello}\x1a`)
  expect(await driver.ask('AT')).toEqual(['OK'])
  const second = driver.submit(hello)
  await eventually(() => modem.answerHeld(), (isHeld) => expect(isHeld).toBe(true)) // prettier-ignore
  expect(await second).toEqual(['+CMGS: 2', 'OK'])
  const third = driver.submit(hello)
  await eventually(() => modem.answerHeld(['+CMS ERROR: 332']), (isHeld) => expect(isHeld).toBe(true)) // prettier-ignore
  expect(await third).toEqual(['+CMS ERROR: 332'])
  expect(modem.taken()).toHaveLength(3)
})

test.for(['reset', 'cut'] as const)('%s in place of the answer', async (answer) => {
  const settings = { identity: { bootLines: ['RDY'] }, submit: { rules: [{ isTaken: true, answer }] } }
  const { modem, driver } = await openModem({ settings })
  driver.write('AT+CMGS=32\r')
  await driver.until(/> /)
  driver.write(`${hello}\x1a`)
  if (answer === 'reset') await driver.until(/^\r\nRDY\r\n$/)
  else expect(await driver.ended).toBe('rst')
  expect(modem.taken()).toHaveLength(1)
})

test('the reference is always 0, or wraps after 255', async () => {
  const { modem, driver } = await openModem({
    settings: { submit: { reference: 'constant', firstReference: 0 } },
  })
  expect([await driver.submit(hello), await driver.submit(hello)].map(([line]) => line)).toEqual(['+CMGS: 0', '+CMGS: 0']) // prettier-ignore
  await modem.set({ submit: { reference: 'counts', firstReference: 255 } })
  await modem.reset()
  await driver.ask('ATE0')
  const counted = [await driver.submit(hello), await driver.submit(hello)]
  expect(counted.map(([line]) => line)).toEqual(['+CMGS: 1', '+CMGS: 2'])
  const { driver: other } = await openModem({ settings: { submit: { firstReference: 255 } } })
  expect([await other.submit(hello), await other.submit(hello)].map(([line]) => line)).toEqual(['+CMGS: 255', '+CMGS: 0']) // prettier-ignore
})

test.for<[string, string, string]>([
  ['no SMS-SUBMIT', '0004000C91947110325476', 'It is no SMS-SUBMIT.'],
  ['a user data length that lies', `${hello.slice(0, 28)}15${hello.slice(30)}`, 'TP-UDL is 21, which is 19 octets, and 18 follow.'],
  ['an end within the recipient', '0031000C9194', 'It ends within TP-DA.'],
])('a PDU that no SMSC can read is refused and written down: %s', async ([, pdu, unreadable]) => {
  const { modem, driver } = await openModem()
  expect(await driver.submit(pdu)).toEqual(['+CMS ERROR: 304'])
  expect(modem.submits()).toMatchObject([{ taken: false, unreadable, pdu }])
}) // prettier-ignore

test('a length that does not fit the PDU is refused', async () => {
  const { modem, driver } = await openModem()
  driver.write('AT+CMGS=31\r')
  await driver.until(/> /)
  driver.write(`${hello}\x1a`)
  await driver.until(/\+CMS ERROR: 304\r\n/)
  expect(modem.submits()).toMatchObject([
    { unreadable: 'Its length was said to be 31, and it has 32 octets.' },
  ])
})

test('a prompt that comes twice, and an acknowledgement behind the reference', async () => {
  const { driver } = await openModem({ settings: { submit: { repeatsPrompt: true, ackPdu: '00' } } })
  driver.write('AT+CMGS=32\r')
  await driver.until(/> /)
  driver.write(`${hello}\x1a`)
  expect((await driver.until(/^[^]*OK\r\n$/))[0]).toBe('\r\n> \r\n+CMGS: 1,00\r\n\r\nOK\r\n')
})

test('a cut at each byte of a submit: the SMSC has it if, and only if, the Ctrl-Z came', async () => {
  const { modem, driver: first } = await openModem({ settings: { line: { whenHeld: 'take' } } })
  await first.close()
  const command = 'AT+CMGS=32\r'
  const bytes = command.length + hello.length + 1
  for (let afterBytes = 1; afterBytes <= bytes; afterBytes += 1) {
    const before = modem.taken().length
    const driver = await openDriver(modem.port)
    // What may be left of the one before: half a command, or its prompt.
    driver.write('\x1b\r')
    expect((await driver.ask('AT')).at(-1)).toBe('OK')
    await modem.set({ line: { cut: { afterBytes, of: 'in', how: 'fin' } } })
    driver.write(command)
    if (afterBytes > command.length) {
      await driver.until(/> /)
      driver.write(`${hello}\x1a`)
    }
    await driver.ended
    await eventually(() => modem.recordsOf('line').filter(({ what }) => what === 'cut'), (cuts) => expect(cuts).toHaveLength(afterBytes)) // prettier-ignore
    await modem.set({ line: { cut: null } })
    expect(modem.taken().length - before, `cut after ${afterBytes}`).toBe(afterBytes === bytes ? 1 : 0)
  }
})

test('a cut at each byte of the answer: all before it comes, nothing after it', async () => {
  const answer = '\r\n+CMGS: 1\r\n\r\nOK\r\n'
  const { modem, driver: first } = await openModem({ settings: { submit: { reference: 'constant' }, line: { whenHeld: 'take' } } }) // prettier-ignore
  await first.close()
  for (let afterBytes = 1; afterBytes < answer.length; afterBytes += 1) {
    const driver = await openDriver(modem.port)
    driver.write('AT+CMGS=32\r')
    await driver.until(/> /)
    await modem.set({ line: { cut: { afterBytes, of: 'out', how: 'fin' } } })
    driver.write(`${hello}\x1a`)
    await driver.ended
    expect(driver.unread).toBe(answer.slice(0, afterBytes))
  }
  expect(modem.taken()).toHaveLength(answer.length - 1)
})
