import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AtAnswer, type AtCommand, valuesOf } from '../../src/connectors/modem/at/at-command.ts'
import { openChannel } from './channel-fixture.ts'

/** Asks, lets the modem say this, and gives the answer. */
async function ask(
  command: Partial<AtCommand>,
  ...said: string[]
): Promise<AtAnswer & { unsolicited: string[] }> {
  const { channel, pass, agree, say, unsolicited } = openChannel()
  await agree()
  const asked = channel.ask({ text: 'AT+X', timeoutMs: 5_000, ...command })
  await pass(1)
  for (const text of said) say(text)
  await pass(5_000)
  return { ...(await asked), unsolicited: unsolicited.map(({ text }) => text) }
}
const texts = ({ lines }: AtAnswer): string[] => lines.map(({ text }) => text)

test('the pause before a command counts from the last line of the modem, also from one that nothing asked for', async () => {
  // zabsalahid/serialport-gsm 35: a SIM800 loses what comes sooner.
  const { channel, pass, answer, sent, say } = openChannel({ pauseMs: 200 })
  answer(/^AT<CR>$/, '\r\nOK\r\n')
  const agreed = channel.ask({ text: 'AT', timeoutMs: 1_000 })
  await pass(2_000)
  await agreed
  sent.length = 0
  say('\r\nRING\r\n')
  await pass(100)
  const asked = channel.ask({ text: 'AT+CSQ', timeoutMs: 1_000 })
  await pass(90)
  expect(sent).toEqual([])
  await pass(20)
  expect(sent).toEqual(['AT+CSQ<CR>'])
  await pass(1_000)
  await asked
})

describe('6: where a command begins', () => {
  test('the first octet is an ESC, what comes then is dropped, and AT is asked up to five times', async () => {
    const { channel, pass, sent, say, unsolicited } = openChannel()
    const asked = channel.ask({ text: 'AT+CPIN?', timeoutMs: 1_000 })
    await pass(100)
    say('> \r\nhalf a li')
    expect(sent).toEqual(['<ESC>'])
    await pass(60_000)
    expect(sent).toEqual(['<ESC>', 'AT<CR>', 'AT<CR>', 'AT<CR>', 'AT<CR>', 'AT<CR>'])
    expect((await asked).kind).toBe('timeout')
    expect(unsolicited.map(({ text }) => text)).toEqual(['>'])
  })

  test('a modem that wants its PIN first answers AT with an error, and is there', async () => {
    // QualcommM6280 in test/fakemodems.py of python-gsmmodem-new 0.13.0: CME 11 to everything but CPIN.
    const { channel, pass, sent, answer } = openChannel()
    answer(/^AT<CR>/, '\r\n+CME ERROR: 11\r\n')
    const asked = channel.ask({ text: 'AT+CPIN?', timeoutMs: 1_000 })
    await pass(400)
    expect(sent.at(-1)).toBe('AT+CPIN?<CR>')
    await pass(1_000)
    await asked
  })

  test('after a command without an answer both sides agree again before the next, and a late answer is not its', async () => {
    const { channel, pass, agree, sent, say, unsolicited } = openChannel()
    await agree()
    const late = channel.ask({ text: 'AT+COPS?', prefix: '+COPS:', timeoutMs: 1_000 })
    await pass(1_500)
    expect((await late).kind).toBe('timeout')
    const next = channel.ask({ text: 'AT+CSQ', prefix: '+CSQ:', timeoutMs: 5_000 })
    await pass(100)
    say('\r\n+COPS: 0\r\n\r\nOK\r\n')
    await pass(400)
    expect(sent).toEqual(['AT+COPS?<CR>', '<ESC>', 'AT<CR>', 'AT+CSQ<CR>'])
    say('\r\n+CSQ: 17,99\r\n\r\nOK\r\n')
    expect(texts(await next)).toEqual(['+CSQ: 17,99'])
    expect(unsolicited.map(({ text }) => text)).toEqual(['+COPS: 0'])
  })

  test('nothing is asked of a modem that does not answer AT', async () => {
    const { channel, pass, sent } = openChannel({ commandTimeoutMs: 100 })
    const asked = channel.takeTurn((turn) => turn.askForPrompt({ text: 'AT+CMGS=23', timeoutMs: 5_000 }))
    await pass(10_000)
    expect((await asked).kind).toBe('timeout')
    expect(sent.filter((text) => text.includes('CMGS'))).toEqual([])
  })
})

describe('7: what a line and its end are', () => {
  test.for([
    ['CR LF', '\r\n+X: 1\r\n\r\nOK\r\n'],
    ['CR CR LF, as Huawei writes (fakemodems.py, E1752)', '+X: 1\r\r\n\r\r\nOK\r\r\n'],
    ['no end before the first line', '+X: 1\r\nOK\r\n'],
    ['the echo before it', 'AT+X\r\r\n+X: 1\r\n\r\nOK\r\n'],
    ['NUL within', '\0\0\r\n+X\0: 1\r\n\0OK\0\r\n'],
    ['a blank before it (fakemodems.py, Wavecom)', ' +X: 1\r\nOK\r\n'],
  ] as const)('%s', async ([, said]) => {
    const answer = await ask({ prefix: '+X:' }, said)
    expect([answer.kind, texts(answer), answer.unsolicited]).toEqual(['ok', ['+X: 1'], []])
  })

  test('an answer is the same however it is cut', () => {
    const said = 'AT+X\r\r\n+X: 1\r\n^RSSI:19\r\n\r\nOK\r\n'
    return fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: said.length })), async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), said.length]
        const pieces = ends.map((end, i) => said.slice(ends[i - 1] ?? 0, end))
        const answer = await ask({ prefix: '+X:' }, ...pieces)
        expect([answer.kind, texts(answer), answer.unsolicited]).toEqual(['ok', ['+X: 1'], ['^RSSI:19']])
      }),
      { numRuns: 50 },
    )
  })

  test('a line without an end is cut at 4 kB', async () => {
    const answer = await ask({ isBare: true }, 'x'.repeat(1_000_000), '\r\nOK\r\n')
    expect(texts(answer).map((text) => text.length)).toEqual([4096])
  })

  test.for([
    ['ERROR', { source: 'plain', code: null }],
    ['+CMS ERROR: 500', { source: 'cms', code: 500 }],
    ['+CME ERROR: 515', { source: 'cme', code: 515 }],
    ['+CMS ERROR: Unknown error', { source: 'cms', code: null }],
    ['+CME ERROR: SIM PIN required', { source: 'cme', code: 11 }],
    ['COMMAND NOT SUPPORT', { source: 'plain', code: null }],
    ['NO CARRIER', { source: 'plain', code: null }],
  ] as const)('%s ends an answer', async ([text, error]) => {
    expect(await ask({}, `\r\n${text}\r\n`)).toMatchObject({ kind: 'error', error: { text, ...error } })
  })
})

describe('8: an answer is taken by its prefix', () => {
  test.for([
    ['Huawei', '^RSSI:19'],
    ['Huawei in the middle of a call (gammu 126)', '^MODE:5,4'],
    ['Huawei', '^SRVST:2'],
    ['ZTE (fakemodems.py, K3565-Z)', '+ZDONR: "Vodafone",272,1,"CS_PS","ROAM_OFF"'],
    ['ZTE', '+ZPASR: "UMTS"'],
    ['a change of registration', '+CREG: 1'],
    ['an SMS', '+CMTI: "SM",3'],
  ] as const)('%s may say %s anywhere', async ([, noise]) => {
    const answer = await ask(
      { prefix: '+CMGS:' },
      `\r\n${noise}\r\n`,
      '\r\n+CMGS: 5\r\n',
      `${noise}\r\n`,
      '\r\nOK\r\n',
    )
    expect([answer.kind, texts(answer), answer.unsolicited]).toEqual(['ok', ['+CMGS: 5'], [noise, noise]])
  })

  test('an answer without a prefix is what does not look like noise', async () => {
    const answer = await ask(
      { text: 'AT+CGMI', isBare: true },
      '\r\n^RSSI:19\r\n\r\nhuawei\r\n\r\nRING\r\n\r\nOK\r\n',
    )
    expect([texts(answer), answer.unsolicited]).toEqual([['huawei'], ['^RSSI:19', 'RING']])
  })

  const deliver = '07911326040000F0040B911346610089F60000208062917314480CC8F71D14969741F977FD07'
  const report = '07911326040000F006D60B911326880736F4111011719551401110117195714000'

  test('a report between a part and its reference is read with its PDU', async () => {
    const { channel, pass, agree, say, unsolicited } = openChannel()
    await agree()
    const asked = channel.ask({ text: 'AT+X', prefix: '+CMGS:', timeoutMs: 5_000 })
    await pass(1)
    say(`\r\n+CDS: 25\r\n^RSSI:19\r\n${report}\r\n\r\n+CMGS: 214\r\n\r\nOK\r\n`)
    expect(texts(await asked)).toEqual(['+CMGS: 214'])
    expect(unsolicited.map(({ text, tpdu }) => [text, tpdu?.length])).toEqual([
      ['^RSSI:19', undefined],
      ['+CDS: 25', 25],
    ])
  })

  test('a list of stored SMS is read with their PDUs, and one that is no PDU is none', async () => {
    const said = `\r\n+CMGL: 0,1,,30\r\n${deliver}\r\n+CMGL: 1,1,,30\r\n+CMTI: "SM",2\r\n${deliver}\r\n+CMGL: 2,1,,30\r\n0011\r\n\r\nOK\r\n`
    const answer = await ask({ text: 'AT+CMGL=4', prefix: '+CMGL:', hasPdus: true }, said)
    expect(answer.lines.map(({ text, tpdu }) => [text, tpdu?.length])).toEqual([
      ['+CMGL: 0,1,,30', 30],
      ['+CMGL: 1,1,,30', 30],
      ['+CMGL: 2,1,,30', undefined],
    ])
    expect(answer.unsolicited).toEqual(['+CMTI: "SM",2', '0011'])
  })

  test('+CPIN without OK counts after 400 ms (fakemodems.py, Wavecom)', async () => {
    const { channel, pass, agree, say } = openChannel()
    await agree()
    const asked = channel.ask({ text: 'AT+CPIN?', prefix: '+CPIN:', mayLackOk: true, timeoutMs: 20_000 })
    await pass(1)
    say('\r\n+CPIN: READY\r\n')
    await pass(400)
    expect(await asked).toMatchObject({ kind: 'ok', lines: [{ text: '+CPIN: READY' }] })
  })

  test('+CSQ may follow its OK', async () => {
    const answer = await ask({ prefix: '+CSQ:', mayFollowOk: true }, '\r\nOK\r\n', '\r\n+CSQ: 17,99\r\n')
    expect([answer.kind, texts(answer)]).toEqual(['ok', ['+CSQ: 17,99']])
    expect(await ask({ prefix: '+CSQ:', mayFollowOk: true }, '\r\nOK\r\n')).toMatchObject({
      kind: 'ok',
      lines: [],
    })
  })
})

describe('5: one command at a time', () => {
  test('each waits for the answer to the one before, and for a pause', async () => {
    const { channel, pass, clock, agree, sent, say } = openChannel({ pauseMs: 100 })
    await agree()
    await pass(1_000)
    const asked = ['AT+A', 'AT+B'].map((text) => channel.ask({ text, timeoutMs: 5_000 }))
    await pass(1_000)
    expect(sent).toEqual(['AT+A<CR>'])
    say('\r\nOK\r\n')
    await pass(99)
    expect(sent).toEqual(['AT+A<CR>'])
    await pass(1)
    expect(sent).toEqual(['AT+A<CR>', 'AT+B<CR>'])
    say('\r\nOK\r\n')
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['ok', 'ok'])
    expect(clock.waiting).toBe(0)
  })

  test('a line that closes answers what is asked and what waits, and leaves no timer', async () => {
    const { channel, pass, clock, agree, sent } = openChannel({ pauseMs: 100 })
    await agree()
    const asked = ['AT+A', 'AT+B'].map((text) => channel.ask({ text, timeoutMs: 5_000 }))
    await pass(200)
    channel.closed()
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['closed', 'closed'])
    expect((await channel.ask({ text: 'AT+C', timeoutMs: 5_000 })).kind).toBe('closed')
    expect([sent, clock.waiting]).toEqual([['AT+A<CR>'], 0])
  })
})

test.for([
  ['1,"+CSCA, x",,(0-3)', ['1', '+CSCA, x', '', '(0-3)']],
  ['(("SM","BM","SR"),("SM"))', ['(("SM","BM","SR"),("SM"))']],
  ['"O2 - DE",2', ['O2 - DE', '2']],
  ['', ['']],
] as const)('the values of %s', ([text, values]) => {
  expect(valuesOf(text)).toEqual(values)
})
