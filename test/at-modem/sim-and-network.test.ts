import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hello, openModem } from './open-modem.ts'

describe('the SIM', () => {
  test('a wrong PIN counts one try, the third asks for the PUK, and the PUK sets a new PIN', async () => {
    const { modem, driver } = await openModem({ sim: { pin: '1234' } })
    await driver.ask('AT+CMEE=1')
    expect(await driver.ask('AT+CPIN?')).toEqual(['+CPIN: SIM PIN', 'OK'])
    expect(await driver.ask('AT+CIMI')).toEqual(['+CME ERROR: 11'])
    expect(await driver.ask('AT+CPINR')).toEqual(['+CPINR: SIM PIN,3,3', '+CPINR: SIM PUK,10,10', 'OK'])
    expect(await driver.ask('AT+CPIN="0000"')).toEqual(['+CME ERROR: 16'])
    await modem.reset()
    await driver.ask('ATE0')
    await driver.ask('AT+CMEE=1')
    expect(await driver.ask('AT+CPIN="0000"')).toEqual(['+CME ERROR: 16'])
    expect(await driver.ask('AT+CPIN="0000"')).toEqual(['+CME ERROR: 12'])
    expect(await driver.ask('AT+CPIN?')).toEqual(['+CPIN: SIM PUK', 'OK'])
    expect(await driver.ask('AT+CPIN="1234"')).toEqual(['+CME ERROR: 12'])
    expect(await driver.ask('AT+CPIN="12345678","4321"')).toEqual(['OK'])
    expect(await driver.ask('AT+CPIN?')).toEqual(['+CPIN: READY', 'OK'])
    expect(modem.recordsOf('pin').map(({ what, triesLeft }) => [what, triesLeft])).toEqual([['wrong', 2], ['wrong', 1], ['wrong', 0], ['puk-right', 10]]) // prettier-ignore
  })

  test('the right PIN gives the tries back, and brings what waited', async () => {
    const { modem, driver } = await openModem({ sim: { pin: '1234', triesLeft: 2 } })
    await modem.receive({ from: '+491709999999', text: 'x' })
    expect((await modem.state()).waiting).toBe(1)
    expect(await driver.ask('AT+CPIN="1234"')).toEqual(['OK'])
    expect((await modem.state()).sim).toMatchObject({ triesLeft: 3 })
    expect((await driver.ask('AT+CMGL=4'))[0]).toBe('+CMGL: 1,0,,20')
    await modem.reset()
    await driver.ask('ATE0')
    expect(await driver.ask('AT+CPIN?')).toEqual(['+CPIN: SIM PIN', 'OK'])
  })

  test.for([
    ['huawei', 'AT^CPIN?', '^CPIN: SIM PIN,2,10,2,10,3'],
    ['quectel', 'AT+QPINC="SC"', '+QPINC: "SC",2,10'],
    ['simcom-lte', 'AT+SPIC', '+SPIC: 2,10,3,10'],
  ] as const)('the tries left of %s', async ([profile, command, line]) => {
    const { driver } = await openModem({ profile, sim: { pin: '1234', triesLeft: 2 }, settings: { line: { noise: null } } }) // prettier-ignore
    expect((await driver.ask(command)).slice(-2)).toEqual([line, 'OK'])
  })

  test.for([
    ['generic', 'AT+CCID', '+CCID: 8949020000000000011'],
    ['generic', 'AT+CRSM=176,12258,0,0,10', '+CRSM: 144,0,"989420000000000010F1"'],
    ['huawei', 'AT^ICCID?', '^ICCID: 8949020000000000011'],
    ['quectel', 'AT+QCCID', '+QCCID: 8949020000000000011'],
  ] as const)('the ICCID of %s by %s', async ([profile, command, line]) => {
    const { driver } = await openModem({ profile, settings: { line: { noise: null } } })
    expect((await driver.ask(command)).slice(-2)).toEqual([line, 'OK'])
  })

  test('pulled, and another one in: its SMS and its SMSC are its own', async () => {
    const { modem, driver } = await openModem()
    await driver.ask('AT+CMEE=1')
    await modem.receive({ from: '+491709999999', text: 'x' })
    await modem.pullSim('^SIMST:0')
    await driver.until(/\^SIMST:0\r\n/)
    expect(await driver.ask('AT+CPIN?')).toEqual(['+CME ERROR: 10'])
    expect(await driver.ask('AT+CMGF=0')).toEqual(['+CMS ERROR: 310'])
    await modem.insertSim({ iccid: '8949020000000000099', smsc: null })
    expect(await driver.ask('AT+CCID')).toEqual(['+CCID: 8949020000000000099', 'OK'])
    expect(await driver.ask('AT+CMGL=4')).toEqual(['OK'])
    expect(await driver.submit(hello)).toEqual(['+CMS ERROR: 330'])
    expect((await driver.submit(`0791947101670000${hello.slice(2)}`))[0]).toBe('+CMGS: 1')
  })

  test('its SMSC vanishes', async () => {
    const { modem, driver } = await openModem()
    await modem.changeSim({ smsc: null })
    expect(await driver.ask('AT+CSCA?')).toEqual(['+CSCA: "",129', 'OK'])
    expect(await driver.submit(hello)).toEqual(['+CMS ERROR: 330'])
  })

  test('a Wavecom says READY without OK, and CME 515 after CFUN=1', async () => {
    const { driver } = await openModem({ profile: 'wavecom' })
    await driver.ask('AT+CMEE=1')
    driver.write('AT+CPIN?\r')
    await driver.until(/^\r\n\+CPIN: READY\r\n$/)
    expect(await driver.ask('AT+CFUN=1')).toEqual(['OK'])
    expect(await driver.ask('AT')).toEqual(['+CME ERROR: 515'])
    expect(await driver.ask('AT')).toEqual(['+CME ERROR: 515'])
    expect(await driver.ask('AT')).toEqual(['OK'])
  })
})

describe('the network', () => {
  test('none: PDUs are refused, and what comes for the modem waits', async () => {
    const { modem, driver } = await openModem()
    await driver.ask('AT+CREG=1')
    await modem.set({ network: { cs: 2, ps: 2 } })
    await driver.until(/\+CREG: 2\r\n/)
    expect(await driver.submit(hello)).toEqual(['+CMS ERROR: 331'])
    expect(await driver.ask('AT+CSQ')).toEqual(['+CSQ: 99,99', 'OK'])
    await modem.receive({ from: '+491709999999', text: 'x' })
    await modem.set({ network: { cs: 5 } })
    expect(await driver.ask('AT+CREG?')).toEqual(expect.arrayContaining(['+CREG: 1,5', 'OK']))
    await eventually(() => modem.state(), ({ used }) => expect(used.SM).toBe(1)) // prettier-ignore
  })

  test('CFUN=4 leaves it, CFUN=1 comes back after a while', async () => {
    const { modem, driver } = await openModem({
      clock: 'stub',
      settings: { network: { registerAfterMs: 5_000 } },
    })
    await driver.ask('AT+CFUN=4')
    expect(await driver.ask('AT+CREG?')).toEqual(['+CREG: 0,0', 'OK'])
    await driver.ask('AT+CFUN=1')
    expect(await driver.ask('AT+CREG?')).toEqual(['+CREG: 0,0', 'OK'])
    await modem.advance(5_000)
    expect(await driver.ask('AT+CREG?')).toEqual(['+CREG: 0,1', 'OK'])
    expect(await driver.ask('AT+COPS?')).toEqual(['+COPS: 0,0,"Testnetz",7', 'OK'])
  })

  test('SMS commands are refused until it is ready', async () => {
    const { modem, driver } = await openModem({
      clock: 'stub',
      profile: 'simcom',
      settings: { line: { deafMs: 0 } },
    })
    expect(await driver.ask('AT+CMGF=0')).toEqual(['+CMS ERROR: 314'])
    await modem.advance(50)
    await driver.until(/Call Ready\r\n\r\nSMS Ready\r\n/)
    expect(await driver.ask('AT+CMGF=0')).toEqual(['OK'])
  })

  test.for([
    ['plain', '+CUSD: 0,"Guthaben: 12,34 EUR",15'],
    ['packed-hex', '+CUSD: 0,"C73A1D1D1697DD3A504CC69AD140C5AA14",15'],
    ['ucs2-hex', `+CUSD: 0,"${Buffer.from('Guthaben: 12,34 EUR', 'utf16le').swap16().toString('hex').toUpperCase()}",72`],
  ] as const)('USSD in %s, before OK and behind it', async ([form, line]) => {
    const { modem, driver } = await openModem({ settings: { ussd: { form, when: 'before-ok' } } })
    expect(await driver.ask('AT+CUSD=1,"*100#",15')).toEqual([line, 'OK'])
    await modem.set({ ussd: { when: 'after-ok' } })
    expect(await driver.ask('AT+CUSD=1,"*100#",15')).toEqual(['OK'])
    expect((await driver.until(/\r\n(\+CUSD.*)\r\n/))[1]).toBe(line)
    await modem.set({ ussd: { when: 'never' } })
    expect(await driver.ask('AT+CUSD=1,"*100#",15')).toEqual(['OK'])
  }) // prettier-ignore
})
