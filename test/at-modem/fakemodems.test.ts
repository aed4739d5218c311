import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakemodemNames, type Fakemodems, hasFakemodems, startFakemodems } from '../peers/fakemodems.ts'
import { openDriver } from './at-driver.ts'

const hello = '0031000C919471103254760000FF14C8329BFD066D50F7B79C4DDEA44031D9A60C'

/** The bridge to modems that nobody here wrote: what their authors saw of real ones is what the connector must bear. */
describe.skipIf(!hasFakemodems())('the fake modems of python-gsmmodem-new', () => {
  let modems: Fakemodems
  beforeAll(async () => {
    modems = await startFakemodems({ pin: ['QualcommM6280'], simBusy: 2 })
  })
  afterAll(() => modems.stop())

  test('the M6280 says CME 11 to everything before its PIN, and CME 14 as often as was asked for', async () => {
    const driver = await openDriver(modems.ports.QualcommM6280)
    for (const command of ['AT', 'AT+CMEE=1', 'AT+CSCA?'])
      expect(await driver.ask(command)).toEqual(['+CME ERROR: 11'])
    expect(await driver.ask('AT+CPIN?')).toEqual(['+CPIN: SIM PIN', 'OK'])
    expect(await driver.ask('AT+CPIN="1234"')).toEqual(['OK'])
    expect(await driver.ask('AT+CSCA?')).toEqual(['+CME ERROR: 14'])
    expect(await driver.ask('AT+CSCA?')).toEqual(['+CME ERROR: 14'])
    expect(await driver.ask('AT+CSCA?')).toEqual(['+CSCA: "+491710760000",145', 'OK'])
    await driver.ask('AT+CSMP=49,167,0,0')
    expect(await driver.ask('AT+CSCA?')).toEqual(['OK'])
  })

  test('each takes a PDU', async () => {
    for (const name of fakemodemNames) {
      const driver = await openDriver(modems.ports[name])
      expect(await driver.ask('AT')).toEqual(['OK'])
      expect(await driver.ask('AT+CMGF=0')).toEqual(['OK'])
      const said = await driver.submit(hello)
      const isNoisy = name === 'ZteK3565Z' || name === 'QualcommM6280'
      expect(said.map((line) => line.split(':')[0])).toEqual([
        ...(isNoisy ? ['+ZDONR', '+ZPASR'] : []),
        '+CMGS',
        'OK',
      ])
      expect(said.at(-2)).toBe('+CMGS: 1')
      expect(modems.submits(name)).toEqual([{ pdu: hello, reference: 1 }])
      expect(modems.commands(name).slice(-3)).toEqual(['AT', 'AT+CMGF=0', 'AT+CMGS=32'])
    }
  })

  test('the Wavecom says READY without OK, and CME 515 twice after CFUN=1', async () => {
    const driver = await openDriver(modems.ports.WavecomMultiband900E1800)
    driver.write('AT+CPIN?\r')
    await driver.until(/^\+CPIN: READY\r\n$/)
    expect(await driver.ask('AT+CFUN=1')).toEqual(['OK'])
    expect(await driver.ask('AT')).toEqual(['+CME ERROR: 515'])
    expect(await driver.ask('AT')).toEqual(['+CME ERROR: 515'])
    expect(await driver.ask('AT')).toEqual(['OK'])
  })

  test('ESC at their prompt takes no PDU', async () => {
    const driver = await openDriver(modems.ports.NokiaN79)
    const before = modems.submits('NokiaN79').length
    driver.write('AT+CMGS=32\r')
    await driver.until(/> \r\n/)
    driver.write(`${hello}\x1b`)
    await driver.until(/OK\r\n/)
    expect(modems.submits('NokiaN79')).toHaveLength(before)
    expect(await driver.ask('AT+CNMI=?')).toEqual(['ERROR'])
  })
})
