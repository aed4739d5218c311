import { describe, expect, test } from 'vitest'
import { optedOut, validityEnded } from '../../src/connectors/sms/part-outcomes.ts'
import type { DeviceFault } from '../../src/connectors/modem/submit/error-class.ts'
import { type PartOutcome, sendPart } from '../../src/connectors/modem/submit/send-part.ts'
import { type ChannelFixture, openChannel } from './channel-fixture.ts'

const pdu = { hex: '0011000B916407281553F80000AA0AE8329BFD4697D9EC37', length: 23 }
const refused = (reason: typeof optedOut): PartOutcome => ({ kind: 'refused', reason })

interface Sending extends ChannelFixture {
  sending: Promise<PartOutcome>
  faults: DeviceFault[]
}

/** Sends a part over a modem that is at its command prompt; `refusals` are what is asked before each step. */
async function send(refusals: readonly (PartOutcome | null)[] = []): Promise<Sending> {
  const fixture = openChannel()
  await fixture.agree()
  const faults: DeviceFault[] = []
  let asked = 0
  const sending = sendPart(
    {
      channel: fixture.channel,
      overrides: new Map(),
      sendTimeoutMs: 120_000,
      nameOf: (reference) => `${reference}@1`,
      faulty: (fault) => faults.push(fault),
    },
    { encode: () => pdu, refusal: () => refusals[asked++] ?? null },
  )
  await fixture.pass(1)
  return { ...fixture, sending, faults }
}

/** What the modem says to the PDU, after the right prompt. */
async function answerWith(...said: string[]): Promise<Sending & { outcome: PartOutcome }> {
  const sending = await send()
  sending.say('\r\n> ')
  await sending.pass(1)
  for (const text of said) sending.say(`\r\n${text}\r\n`)
  await sending.pass(120_000)
  return { ...sending, outcome: await sending.sending }
}

describe('21: the steps of a part', () => {
  test('the Ctrl-Z is a write of its own, behind the PDU, behind the prompt', async () => {
    const { sending, sent, say, pass } = await send()
    expect(sent).toEqual(['AT+CMGS=23<CR>'])
    say('AT+CMGS=23\r\r\n> ')
    await pass(1)
    expect(sent).toEqual(['AT+CMGS=23<CR>', pdu.hex, '<Z>'])
    say(`${pdu.hex}\u001a\r\n+CMGS: 214\r\n\r\nOK\r\n`)
    expect(await sending).toEqual({ kind: 'taken', messageId: '214@1' })
  })

  test('a prompt with CR LF behind it is one, too', async () => {
    // test/fakemodems.py of python-gsmmodem-new 0.13.0 is served so in its own tests (`> \r\n`).
    const { sending, sent, say, pass } = await send()
    say('\r\n>\r\n')
    await pass(1)
    expect(sent.at(-1)).toBe('<Z>')
    say('\r\n+CMGS: 0\r\n\r\nOK\r\n')
    expect(await sending).toEqual({ kind: 'taken', messageId: '0@1' })
  })

  test('without a prompt nothing is sent: an ESC, and the next command after both sides agree again', async () => {
    const { channel, sending, sent, pass } = await send()
    await pass(5_000)
    expect((await sending).kind).toBe('not_written')
    expect(sent).toEqual(['AT+CMGS=23<CR>', '<ESC>'])
    const next = channel.ask({ text: 'AT+CSQ', timeoutMs: 100 })
    await pass(500)
    await next
    expect(sent.slice(2)).toEqual(['<ESC>', 'AT<CR>', 'AT+CSQ<CR>'])
  })

  test.for([
    ['+CMS ERROR: 500', { lasts: 'now', code: 'device_error', networkCode: 'CMS 500' }],
    ['ERROR', { lasts: 'now', code: 'device_error', networkCode: 'ERROR' }],
    ['+CMS ERROR: 332', { lasts: 'now', code: 'device_error', networkCode: 'CMS 332' }],
    ['+CMS ERROR: 310', { lasts: 'now', code: 'device_error', networkCode: 'CMS 310', deviceAlone: true }],
  ] as const)('%s in the place of the prompt is definite', async ([error, reason]) => {
    const { sending, say, sent } = await send()
    say(`\r\n${error}\r\n`)
    expect(await sending).toEqual({ kind: 'refused', reason })
    expect(sent).toEqual(['AT+CMGS=23<CR>'])
  })

  test.for([
    ['its validity has ended', validityEnded],
    ['its recipient has opted out', refused(optedOut)],
    ['another node may have the modem', { kind: 'not_written', detail: 'no lease' }],
  ] as const)('a part stays here when %s, before the command and at the prompt', async ([, why]) => {
    const atOnce = await send([why])
    expect([await atOnce.sending, atOnce.sent]).toEqual([why, []])
    const atPrompt = await send([null, why])
    atPrompt.say('\r\n> ')
    await atPrompt.pass(1)
    expect(await atPrompt.sending).toEqual(why)
    expect(atPrompt.sent).toEqual(['AT+CMGS=23<CR>', pdu.hex, '<ESC>'])
  })

  test('a line that closes before the Ctrl-Z has sent nothing', async () => {
    const { sending, channel, pass } = await send()
    channel.closed()
    await pass(1)
    expect((await sending).kind).toBe('not_written')
  })
})

describe('22: an outcome that nobody knows', () => {
  test.for([
    [['+CMS ERROR: 500'], { answered: { networkCode: 'CMS 500' } }],
    [['+CMS ERROR: 332'], { answered: { networkCode: 'CMS 332' } }],
    [['+CMS ERROR: 197'], { answered: { networkCode: 'CMS 197' } }],
    [['+CMS ERROR: 512'], { answered: { networkCode: 'CMS 512' } }],
    [['+CMS ERROR: Unknown error'], { answered: { networkCode: '+CMS ERROR: Unknown error' } }],
    [['ERROR'], { answered: { networkCode: 'ERROR' } }],
    // Its modem says so to AT+CMGS, and its driver took the OK for success: vittorioexp/Sim800L 20.
    [['+CSCN: 1', 'OK'], { answered: { networkCode: null } }],
    [['+CMGS: many', 'OK'], { answered: { networkCode: null } }],
    [['+CMGS: 256', 'OK'], { answered: { networkCode: null } }],
    [[], { asked: 'late' }],
  ] as const)('the outcome is unknown after %j', async ([said, facts]) => {
    const { outcome, sent } = await answerWith(...said)
    expect(outcome).toMatchObject({ kind: 'unknown', ...facts })
    expect(sent.filter((text) => text.includes('CMGS'))).toHaveLength(1)
  })

  test('a line that closes after the Ctrl-Z', async () => {
    const { sending, channel, say, pass } = await send()
    say('\r\n> ')
    await pass(1)
    channel.closed()
    expect(await sending).toMatchObject({ kind: 'unknown', connectionLost: true })
  })

  test('what was acknowledged is taken, also if the OK does not come any more', async () => {
    expect((await answerWith('+CMGS: 7')).outcome).toEqual({ kind: 'taken', messageId: '7@1' })
    const { sending, channel, say, pass } = await send()
    say('\r\n> ')
    await pass(1)
    say('\r\n+CMGS: 8\r\n')
    channel.closed()
    expect(await sending).toEqual({ kind: 'taken', messageId: '8@1' })
  })

  test('what comes after the time-out is not lost, nor taken for another answer', async () => {
    const { channel, pass, say, unsolicited, sent, sending } = await answerWith()
    await sending
    const next = channel.ask({ text: 'AT+CSQ', prefix: '+CSQ:', timeoutMs: 5_000 })
    await pass(1)
    say('\r\n+CMGS: 9\r\n\r\nOK\r\n')
    await pass(400)
    say('\r\n+CSQ: 9,99\r\n\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'ok', lines: [{ text: '+CSQ: 9,99' }] })
    expect(unsolicited.map(({ text }) => text)).toEqual(['+CMGS: 9'])
    expect(sent.slice(3)).toEqual(['<ESC>', 'AT<CR>', 'AT+CSQ<CR>'])
  })
})

test('23: an error that concerns the modem is reported along with the outcome', async () => {
  const { outcome, faults } = await answerWith('+CMS ERROR: 8')
  expect(outcome).toEqual({
    kind: 'refused',
    reason: { lasts: 'now', code: 'sim_blocked', networkCode: 'CMS 8', deviceAlone: true },
  })
  expect(faults).toEqual(['sim_blocked'])
})
