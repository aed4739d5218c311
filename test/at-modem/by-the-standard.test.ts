import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hello, openModem } from './open-modem.ts'

const sms = { from: '+491709999999', text: 'Antwort' }

/** What 3GPP TS 27.005 and V.250 say, beyond what drivers of others have shown. */
describe('indications', () => {
  test('wait while the mode of CNMI is 0, and come, or are cleared, when it changes', async () => {
    const { modem, driver } = await openModem()
    await driver.ask('AT+CNMI=0,1,0,1,0')
    await modem.receive(sms)
    await driver.submit(hello)
    await eventually(() => modem.recordsOf('arrival'), (seen) => expect(seen).toHaveLength(2)) // prettier-ignore
    expect(driver.unread).toBe('')
    await driver.ask('AT+CNMI=2,1,0,1,0')
    await driver.until(/^\r\n\+CMTI: "SM",1\r\n\r\n\+CDS: 25\r\n[0-9A-F]+\r\n$/)
    await driver.ask('AT+CNMI=0')
    await modem.receive(sms)
    await driver.ask('AT+CNMI=2,1,0,1,1')
    expect(await driver.ask('AT')).toEqual(['OK'])
  })

  test('a report without a route is dropped, or stored without a word', async () => {
    const { modem, driver } = await openModem({ settings: { indications: { unroutedReports: 'stored' } } })
    await driver.submit(hello)
    await eventually(() => modem.state(), ({ used }) => expect(used.SR).toBe(1)) // prettier-ignore
    await driver.ask('AT+CPMS="SR"')
    expect((await driver.ask('AT+CMGR=1'))[0]).toBe('+CMGR: 0,,25')
  })
})

describe('memories', () => {
  test('what is written is sent from its place, and listed as sent', async () => {
    const { modem, driver } = await openModem()
    driver.write('AT+CMGW=32\r')
    await driver.until(/> /)
    driver.write(`${hello}\u001a`)
    expect((await driver.until(/\+CMGW: (\d+)\r\n\r\nOK\r\n/))[1]).toBe('1')
    expect(await driver.ask('AT+CMSS=1')).toEqual(['+CMSS: 1', 'OK'])
    expect(modem.taken()).toMatchObject([{ pdu: hello }])
    expect(await driver.ask('AT+CMGL=3')).toEqual(['+CMGL: 1,3,,32', hello, 'OK'])
    expect(await driver.ask('AT+CMSS=9')).toEqual(['+CMS ERROR: 321'])
  })

  test('CMGD with a flag deletes what was read, and with 4 everything', async () => {
    const { modem, driver } = await openModem()
    for (const text of ['one', 'two', 'three']) await modem.receive({ ...sms, text })
    await driver.ask('AT+CMGR=2')
    await driver.ask('AT+CMGD=1,1')
    const left = await driver.ask('AT+CMGL=4')
    expect(left.filter((line) => line.startsWith('+')).map((line) => line.slice(0, 8))).toEqual(['+CMGL: 1', '+CMGL: 3']) // prettier-ignore
    await driver.ask('AT+CMGD=0,4')
    expect(await driver.ask('AT+CMGL=4')).toEqual(['OK'])
  })

  test('an SMS goes where the modem likes, whatever CPMS chose', async () => {
    const { modem, driver } = await openModem({ settings: { storage: { keptIn: 'ME' } } })
    await driver.ask('AT+CPMS="SM","SM","SM"')
    await driver.ask('AT+CNMI=2,1,0,1,0')
    await modem.receive(sms)
    await driver.until(/\+CMTI: "ME",1\r\n/)
    expect(await driver.ask('AT+CMGL=4')).toEqual(['OK'])
  })
})

describe('commands', () => {
  test('several in one line, up to the first that fails; lower case; and A/ once more', async () => {
    const { driver } = await openModem()
    await driver.ask('AT+CMEE=1')
    expect(await driver.ask('at+cmgf=0;+csq;+none;+cgsn')).toEqual(['+CSQ: 20,99', 'ERROR'])
    expect(await driver.ask('ATE0V1+CSQ')).toEqual(['+CSQ: 20,99', 'OK'])
    driver.write('A/\r')
    await driver.until(/\+CSQ: 20,99\r\n\r\nOK\r\n/)
    expect(await driver.ask('noise AT')).toEqual(['OK'])
  })

  test('a ZTE takes nothing but CPIN before the PIN', async () => {
    const { driver } = await openModem({
      profile: 'zte',
      sim: { pin: '1234' },
      settings: { line: { noise: null } },
    })
    expect(await driver.ask('AT+CMEE=1')).toEqual(['ERROR'])
    await driver.ask('AT+CPIN="1234"')
    expect(await driver.ask('AT+CMEE=1')).toEqual(['OK'])
  })

  test('a prompt of another form, and a reference without OK', async () => {
    const { driver } = await openModem({ settings: { line: { prompt: '>\r\n' }, submit: { isResultWithoutOk: true } } }) // prettier-ignore
    driver.write('AT+CMGS=32\r')
    expect((await driver.until(/^[^]*>[^]*$/))[0]).toBe('\r\n>\r\n')
    driver.write(`${hello}\u001a`)
    await driver.until(/^\r\n\+CMGS: 1\r\n$/)
    expect(await driver.ask('AT')).toEqual(['OK'])
  })

  test('a cut counts both ways', async () => {
    const { modem, driver } = await openModem()
    await modem.set({ line: { cut: { afterBytes: 'AT\r\r\nO'.length, of: 'both', how: 'rst' } } })
    driver.write('AT\r')
    await driver.ended
    expect(driver.unread).toBe('\r\nO')
    expect((await modem.state()).isConnected).toBe(false)
  })
})
