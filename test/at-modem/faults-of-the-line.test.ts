import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import type { NoisePlace } from '../peers/at-modem/modem-settings.ts'
import { openDriver } from './at-driver.ts'
import { hello, openModem } from './open-modem.ts'

const sms = { from: '+491709999999', text: 'Antwort' }

describe('what a modem writes', () => {
  test('noise is woven into an answer at each place', async () => {
    const where: NoisePlace[] = ['before', 'between', 'before-pdu', 'before-final', 'after']
    const { modem, driver } = await openModem()
    await modem.receive(sms)
    await modem.receive(sms)
    await modem.set({ line: { noise: { lines: ['^RSSI:17'], where } } })
    const said = await driver.ask('AT+CMGL=4')
    const kinds = said.map((line) => (line.startsWith('0791') ? 'PDU' : (/^\W\w+/.exec(line)?.[0] ?? line)))
    expect(kinds).toEqual(['^RSSI', '+CMGL', '^RSSI', 'PDU', '^RSSI', '+CMGL', '^RSSI', 'PDU', '^RSSI', 'OK'])
    await driver.until(/^\r\n\^RSSI:17\r\n$/)
  })

  test('unsolicited lines wait for the answer, or come into it', async () => {
    const { modem, driver } = await openModem({
      settings: { submit: { rules: [{ isTaken: true, answer: 'held' }] } },
    })
    await driver.ask('AT+CNMI=2,1,0,1,0')
    const answer = driver.submit(hello)
    await eventually(() => modem.taken(), (taken) => expect(taken).toHaveLength(1)) // prettier-ignore
    await modem.receive(sms)
    await modem.say('^RSSI:9')
    await modem.answerHeld()
    expect(await answer).toEqual(['^RSSI:9', '+CMGS: 1', 'OK'])
    await driver.until(/\+CMTI: "SM",1\r\n/)
  })

  test('pieces of one byte, NULs, no leading line end, CR CR LF and a bare LF', async () => {
    const { modem, driver } = await openModem()
    await modem.set({ line: { chunkBytes: 1, hasNuls: true } })
    driver.write('AT+CSQ\r')
    await driver.until(/^\r\n\0\+CSQ: 20,99\r\n\r\n\0OK\r\n$/)
    await modem.set({ line: { chunkBytes: null, hasNuls: false, isLed: false, lineEnd: '\r\r\n' } })
    driver.write('AT+CSQ\r')
    await driver.until(/^\+CSQ: 20,99\r\r\nOK\r\r\n$/)
    await modem.set({ line: { lineEnd: '\n' } })
    driver.write('AT+CSQ\r')
    expect((await driver.until(/^[^]*OK\n$/))[0]).toBe('+CSQ: 20,99\nOK\n')
  })

  test('echo of a command, of a PDU, twice, and against ATE0', async () => {
    const { modem, driver } = await openModem({ settings: { line: { echo: 'on' } } })
    driver.write('AT+CMGS=32\r')
    await driver.until(/^AT\+CMGS=32\r\r\n> /)
    driver.write(`${hello}\x1a`)
    expect((await driver.until(/^([^]*)\r\n\+CMGS: 1\r\n/))[1]).toBe(`${hello}\x1a`)
    await driver.until(/OK\r\n/)
    await modem.set({ line: { echo: 'twice' } })
    driver.write('ATE0\r')
    await driver.until(/^ATE0\rATE0\r\r\nOK\r\n/)
    await modem.set({ line: { echo: 'always' } })
    driver.write('AT\r')
    await driver.until(/^AT\r\r\nOK\r\n$/)
  })

  test('garbage is written as it is', async () => {
    const { modem, driver } = await openModem()
    await modem.raw(Buffer.from([0xff, 0x00, 0x41]))
    expect((await driver.until(/^[^]*A$/))[0]).toBe('\xff\0A')
    await modem.raw('\r\n+CMT')
    await modem.raw('I: "SM",1\r\n')
    await driver.until(/\r\n\+CMTI: "SM",1\r\n$/)
  })

  test('errors by CMEE, with a space or without, and words of a maker', async () => {
    const { modem, driver } = await openModem({ sim: null, settings: { line: { unknownCommand: 'COMMAND NOT SUPPORT' } } }) // prettier-ignore
    expect(await driver.ask('AT+CIMI')).toEqual(['ERROR'])
    await driver.ask('AT+CMEE=1')
    expect(await driver.ask('AT+CIMI')).toEqual(['+CME ERROR: 10'])
    expect(await driver.ask('AT+CMGL=4')).toEqual(['+CMS ERROR: 310'])
    await modem.set({ line: { errorForm: 'tight' } })
    driver.write('AT+CIMI\r')
    await driver.until(/\+CME ERROR:10\r\n/)
    expect(await driver.ask('AT+XYZ')).toEqual(['COMMAND NOT SUPPORT'])
  })

  test('any command gets any answer, as often as a rule says', async () => {
    const rules = [{ command: '^AT\\+CSCA\\?$', lines: ['+CME ERROR: 14'], skip: 1, times: 2 }]
    const { driver } = await openModem({ settings: { answers: { rules } } })
    const said: (string | undefined)[] = []
    for (let times = 0; times < 4; times += 1) said.push((await driver.ask('AT+CSCA?'))[0])
    const right = '+CSCA: "+491710760000",145'
    expect(said).toEqual([right, '+CME ERROR: 14', '+CME ERROR: 14', right])
  })
})

describe('a modem that does not hear', () => {
  test('hung reads and does nothing, mute does all and says nothing', async () => {
    const { modem, driver } = await openModem()
    await modem.set({ line: { silence: 'mute' } })
    driver.write(`AT+CMGS=32\r${hello}\x1a`)
    await eventually(() => modem.taken(), (taken) => expect(taken).toHaveLength(1)) // prettier-ignore
    await modem.set({ line: { silence: 'hung' } })
    driver.write(`AT+CMGS=32\r${hello}\x1a`)
    await modem.state()
    await modem.set({ line: { silence: 'none' } })
    expect(await driver.ask('AT')).toEqual(['OK'])
    expect(modem.taken()).toHaveLength(1)
  })

  test('deaf for a while after an answer, by its clock', async () => {
    const { modem, driver } = await openModem({
      clock: 'stub',
      settings: { line: { deafMs: 100, echo: 'off' } },
    })
    await driver.ask('AT')
    driver.write('AT+LOST\r')
    // In the same direction as the bytes, so that they have arrived.
    await eventually(() => modem.advance(100).then(() => driver.ask('AT')), (said) => expect(said).toEqual(['OK'])) // prettier-ignore
    expect(modem.commands()).not.toContain('AT+LOST')
  })

  test('what comes while a command runs is lost', async () => {
    const { modem, driver } = await openModem({ clock: 'stub' })
    await modem.set({ line: { whileBusy: 'lost', answerDelayMs: 1_000 } })
    driver.write('AT+CSQ\r')
    await eventually(() => modem.commands(), (commands) => expect(commands).toContain('AT+CSQ')) // prettier-ignore
    driver.write('AT+LOST\r')
    await modem.state()
    await modem.advance(1_000)
    await driver.until(/OK\r\n/)
    expect(modem.commands()).toEqual(['ATE0', 'AT+CSQ'])
  })

  test('off by itself, until it is reset', async () => {
    const { modem, driver } = await openModem({ settings: { identity: { bootLines: ['RDY'] } } })
    await modem.powerOff('UNDER-VOLTAGE POWER DOWN')
    await driver.until(/UNDER-VOLTAGE POWER DOWN\r\n/)
    driver.write('AT\r')
    expect((await modem.state()).isRegistered).toBe(false)
    await modem.reset()
    await driver.until(/^\r\nRDY\r\n/)
    expect((await driver.ask('AT')).at(-1)).toBe('OK')
  })
})

describe('a connection that ends', () => {
  test('leaves the prompt open: what the next one writes first is text, and ESC leaves it', async () => {
    const { modem, driver } = await openModem()
    driver.write('AT+CMGS=32\r')
    await driver.until(/> /)
    await driver.close()
    const next = await openDriver(modem.port)
    next.write('AT\r')
    next.write('\x1b')
    await next.until(/^\r\nOK\r\n$/)
    expect(modem.recordsOf('prompt').map(({ what, bytes }) => [what, bytes])).toEqual([['asked', ''], ['hung-up', ''], ['escaped', 'AT']]) // prettier-ignore
    expect(await next.ask('AT')).toEqual(['OK'])
  })

  test('resets a stick: echo is on, CNMI is as after power on', async () => {
    const { modem, driver } = await openModem({ settings: { line: { atHangUp: 'reset' } } })
    await driver.ask('AT+CNMI=2,1,0,1,0')
    await modem.hangUp('rst')
    expect(await driver.ended).toBe('rst')
    const state = await modem.state()
    expect([state.isEchoing, state.isConnected, state.cnmi]).toEqual([true, false, [0, 0, 0, 0, 0]])
  })

  test('a second one is refused while the first is there', async () => {
    const { modem, driver } = await openModem()
    const second = await openDriver(modem.port)
    await second.until(/^Port already in use\r\n$/)
    expect(await second.ended).toBe('fin')
    expect(await driver.ask('AT')).toEqual(['OK'])
    expect(modem.recordsOf('line').map(({ what }) => what)).toEqual(['opened', 'refused'])
  })
})
