import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startAtModems } from '../peers/at-modem-control.ts'
import { type ModemOptions, startPooledModem } from './modem-pool.ts'
import { type AtDriver, openDriver } from './at-driver.ts'

/** `Hello {world} 12€` to +491701234567 with a report, as gammu 1.42 and gnokii 0.6.30 write it. */
const hello = '0031000C919471103254760000FF14C8329BFD066D50F7B79C4DDEA44031D9A60C'

async function open(options: ModemOptions = {}) {
  const modem = await startPooledModem('machine', options)
  const driver: AtDriver = await openDriver(modem.port)
  return { modem, driver }
}

test('a PDU at the prompt is in the log of the SMSC before its reference is on the line', async () => {
  const { modem, driver } = await open()
  expect(await driver.ask('ATE0')).toEqual(['OK'])
  expect(await driver.ask('AT+CNMI=2,1,0,1,0')).toEqual(['OK'])
  expect(await driver.submit(hello)).toEqual(['+CMGS: 1', 'OK'])
  expect(modem.taken()).toMatchObject([
    {
      to: '+491701234567',
      text: 'Hello {world} 12€',
      wantsReport: true,
      reference: 1,
      pdu: hello,
      part: null,
    },
  ])
  const [, report] = await driver.until(/\+CDS: \d+\r\n([0-9A-F]+)\r\n/)
  expect(report).toMatch(/^079194710167000006010C91947110325476/)
})

test('ESC at the prompt sends nothing', async () => {
  const { modem, driver } = await open()
  driver.write('AT+CMGS=33\r')
  await driver.until(/> /)
  driver.write(`${hello}\x1b`)
  await driver.until(/OK\r\n/)
  expect(modem.submits()).toEqual([])
  expect(modem.recordsOf('prompt').map(({ what }) => what)).toEqual(['asked', 'escaped'])
})

test('an SMS for the modem is stored before it is announced, and stays until it is deleted', async () => {
  const { modem, driver } = await open()
  await driver.ask('AT+CPMS="SM","SM","SM"')
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await modem.receive({ from: '+491701234567', text: 'Grüße' })
  const [, index] = await driver.until(/\+CMTI: "SM",(\d+)\r\n/)
  expect(index).toBe('1')
  expect(await driver.ask('AT+CMGL=4')).toEqual([
    expect.stringMatching(/^\+CMGL: 1,0,,\d+$/),
    expect.stringMatching(/^0791947101670000040C91947110325476/),
    'OK',
  ])
  expect(await driver.ask('AT+CMGD=1')).toEqual(['OK'])
  await eventually(() => modem.recordsOf('arrival').map(({ what }) => what), (what) => expect(what).toEqual(['stored', 'listed', 'deleted'])) // prettier-ignore
})

test('modems of one process have lines, IMEI and SIM of their own', async () => {
  const modems = await startAtModems({ count: 3 })
  onTestFinished(() => modems.stop())
  const imeis = await Promise.all(
    modems.list.map(async ({ port }) => {
      const driver = await openDriver(port)
      await driver.ask('ATE0')
      return driver.ask('AT+CGSN')
    }),
  )
  expect(imeis.map(([imei]) => imei)).toEqual(['490154203237518', '490154203237519', '490154203237520'])
  expect(modems.list[2]!.commands()).toEqual(['ATE0', 'AT+CGSN'])
})
