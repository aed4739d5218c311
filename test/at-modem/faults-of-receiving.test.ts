import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hello, openModem } from './open-modem.ts'

const sms = { from: '+491709999999', text: 'Antwort' }

/** What became of everything that the SMSC had, in order. */
const fates = (modem: Awaited<ReturnType<typeof openModem>>['modem']): string[] =>
  modem.recordsOf('arrival').map(({ n, what }) => `${n} ${what}`)

test('full: what has no room waits at the SMSC, and comes when a place is freed', async () => {
  const { modem, driver } = await openModem({ clock: 'stub', settings: { storage: { sizes: { SM: 2 }, fullLine: '^SMMEMFULL:"{memory}"' } } }) // prettier-ignore
  await driver.ask('AT+CNMI=2,1,0,1,0')
  for (const text of ['one', 'two', 'three']) await modem.receive({ ...sms, text })
  await driver.until(/\^SMMEMFULL:"SM"\r\n/)
  expect(await driver.ask('AT+CPMS?')).toEqual(['+CPMS: "SM",2,2,"SM",2,2,"SM",2,2', 'OK'])
  expect((await modem.state()).waiting).toBe(1)
  await driver.ask('AT+CMGD=2')
  await driver.until(/\+CMTI: "SM",2\r\n/)
  expect(fates(modem)).toEqual(['1 stored', '2 stored', '3 no-room', '2 deleted', '3 stored'])
})

test.for([
  ['lost', ''],
  ['minus-one', '+CMTI: ,-1'],
  ['other-memory', '+CMTI: "ME",1'],
] as const)('+CMTI is %s, and the SMS is stored all the same', async ([cmti, line]) => {
  const { modem, driver } = await openModem({ settings: { indications: { cmti } } })
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await modem.receive(sms)
  const said = await driver.ask('AT+CMGL=4')
  expect(said.filter((each) => !each.startsWith('0791'))).toEqual([...(line === '' ? [] : [line]), '+CMGL: 1,0,,26', 'OK']) // prettier-ignore
})

test('a report that is stored in SR and announced as "SM",0, where another SMS may be', async () => {
  const settings = { storage: { firstIndex: 0 }, indications: { cdsi: 'other-memory' } } as const
  const { modem, driver } = await openModem({ settings })
  await driver.ask('AT+CNMI=2,1,0,2,0')
  await modem.receive(sms)
  await driver.submit(hello)
  await driver.until(/\+CDSI: "SM",0\r\n/)
  const [, pdu] = await driver.ask('AT+CMGR=0')
  expect(pdu).toMatch(/^0791947101670000040C91947190999999/)
  expect((await modem.state()).used).toEqual({ SM: 1, ME: 0, SR: 1 })
})

test('unsolicited lines are on another port until its command', async () => {
  const { modem, driver } = await openModem({ settings: { indications: { otherPortUntil: 'AT^PORTSEL=1' } } })
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await modem.receive(sms)
  expect(await driver.ask('AT^PORTSEL=1')).toEqual(['OK'])
  await modem.receive(sms)
  await driver.until(/^\r\n\+CMTI: "SM",2\r\n/)
})

test('with CSMS=1 a report that is not acknowledged in time comes again, and mt and ds are 0 meanwhile', async () => {
  const { modem, driver } = await openModem({ clock: 'stub' })
  await driver.ask('AT+CSMS=1')
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await driver.submit(hello)
  await driver.until(/\+CDS: 25\r\n[0-9A-F]+\r\n/)
  await modem.advance(15_000)
  expect((await modem.state()).cnmi).toEqual([2, 0, 0, 0, 0])
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await modem.advance(1_000)
  await driver.until(/\+CDS: 25\r\n[0-9A-F]+\r\n/)
  expect(await driver.ask('AT+CNMA')).toEqual(['OK'])
  expect(await driver.ask('AT+CNMA')).toEqual(['+CMS ERROR: 340'])
  expect(fates(modem)).toEqual(['1 routed', '1 not-acknowledged', '1 routed', '1 acknowledged'])
})

test('what is refused by CNMA=2, or routed before a reset, comes again', async () => {
  const { modem, driver } = await openModem({ clock: 'stub' })
  await driver.ask('AT+CSMS=1')
  await driver.ask('AT+CNMI=2,2,0,1,0')
  await modem.receive(sms)
  await driver.until(/\+CMT: ,26\r\n[0-9A-F]+\r\n/)
  expect(await driver.ask('AT+CNMA=2')).toEqual(['OK'])
  await modem.advance(1_000)
  await driver.until(/\+CMT: ,26\r\n[0-9A-F]+\r\n/)
  await modem.reset()
  await modem.advance(1_000)
  expect(fates(modem)).toEqual(['1 routed', '1 not-acknowledged', '1 routed', '1 stored'])
})

test('with CSMS=0 the modem has acknowledged for itself', async () => {
  const { modem, driver } = await openModem()
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await driver.submit(hello)
  await driver.until(/\+CDS: 25\r\n[0-9A-F]+\r\n/)
  expect(await driver.ask('AT+CNMA')).toEqual(['+CMS ERROR: 340'])
  expect((await modem.state()).waiting).toBe(0)
})

test('CNMI falls to 0 without a word, and a read-back shows it', async () => {
  const { modem, driver } = await openModem()
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await modem.forgetIndications()
  expect(await driver.ask('AT+CNMI?')).toEqual(['+CNMI: 0,0,0,0,0', 'OK'])
  await driver.submit(hello)
  await eventually(() => fates(modem), (seen) => expect(seen).toEqual(['1 dropped'])) // prettier-ignore
})

test('a CNMI out of its ranges is refused, and the ranges are told', async () => {
  const cnmi = [[2], [0, 1, 3], [0, 2], [0, 1], [0]]
  const { driver } = await openModem({ settings: { indications: { cnmi, cnmiAtStart: [2, 0, 0, 0, 0] } } })
  expect(await driver.ask('AT+CNMI=?')).toEqual(['+CNMI: (2),(0,1,3),(0,2),(0,1),(0)', 'OK'])
  expect(await driver.ask('AT+CNMI=2,1,0,2,0')).toEqual(['+CMS ERROR: 303'])
  expect(await driver.ask('AT+CNMI=2,1,0,1,0')).toEqual(['OK'])
  const { modem, driver: other } = await openModem()
  expect(await other.ask('AT+CNMI=?')).toEqual(['+CNMI: (0-3),(0-3),(0,2),(0-2),(0,1)', 'OK'])
  await modem.set({ indications: { rangeForm: 'list' } })
  expect((await other.ask('AT+CNMI=?'))[0]).toBe('+CNMI: (0,1,2,3),(0,1,2,3),(0,2),(0,1,2),(0,1)')
})

test('SM and ME are one memory', async () => {
  const { modem, driver } = await openModem({ settings: { storage: { isOne: true } } })
  await modem.receive(sms)
  const [, inSim] = await driver.ask('AT+CMGL=4')
  await driver.ask('AT+CPMS="ME","ME","ME"')
  const [, inModem] = await driver.ask('AT+CMGL=4')
  expect(inModem).toBe(inSim)
  await driver.ask('AT+CMGD=1')
  await driver.ask('AT+CPMS="SM","SM","SM"')
  expect(await driver.ask('AT+CMGL=4')).toEqual(['OK'])
})

test('a delete that fails leaves the SMS, and an empty place is what the profile says', async () => {
  const { modem, driver } = await openModem({ settings: { storage: { refuseDeletes: 1, alpha: '""' } } })
  await modem.receive(sms)
  expect(await driver.ask('AT+CMGD=1')).toEqual(['+CMS ERROR: 500'])
  expect((await driver.ask('AT+CMGR=1'))[0]).toBe('+CMGR: 0,"",26')
  expect(await driver.ask('AT+CMGD=1')).toEqual(['OK'])
  expect(await driver.ask('AT+CMGR=1')).toEqual(['+CMS ERROR: 321'])
  await modem.set({ storage: { emptyPlace: 'bare-ok', emptyList: 'cms-321' } })
  expect(await driver.ask('AT+CMGR=1')).toEqual(['OK'])
  expect(await driver.ask('AT+CMGL=4')).toEqual(['+CMS ERROR: 321'])
})

test.for([
  ['three', 'AT+CPMS="SM","SM","SM"', '+CPMS: ("SM","ME","SR"),("SM","ME","SR"),("SM","ME","SR")', '+CPMS: 0,20,0,20,0,20'],
  ['two', 'AT+CPMS="ME","ME"', '+CPMS: ("SM","ME","SR"),("SM","ME","SR")', '+CPMS: 0,100,0,100'],
  ['nested', 'AT+CPMS="SM","SM"', '+CPMS: (("SM","ME","SR"),("SM"))', '+CPMS: 0,20,0,20'],
] as const)('CPMS=? with %s groups', async ([groups, command, told, set]) => {
  const { driver } = await openModem({ settings: { storage: { groups } } })
  expect(await driver.ask('AT+CPMS=?')).toEqual([told, 'OK'])
  expect(await driver.ask(command)).toEqual([set, 'OK'])
}) // prettier-ignore

test('a memory that is not for receiving, none at all, and a third that there is not', async () => {
  const { modem, driver } = await openModem({ settings: { storage: { receivesInto: ['SM'] } } })
  expect(await driver.ask('AT+CPMS="ME","ME","ME"')).toEqual(['+CMS ERROR: 302'])
  expect(await driver.ask('AT+CPMS="ME","ME","SM"')).toEqual(['+CPMS: 0,100,0,100,0,20', 'OK'])
  await modem.set({ storage: { groups: 'two' } })
  expect(await driver.ask('AT+CPMS="SM","SM","SM"')).toEqual(['+CMS ERROR: 302'])
  await modem.set({ storage: { groups: 'empty' } })
  expect(await driver.ask('AT+CPMS=?')).toEqual(['+CPMS: (),(),()', 'OK'])
})

test('class 0 by +CMT, type 0 not at all', async () => {
  const { modem, driver } = await openModem({ settings: { indications: { class0: 'cmt' } } })
  await driver.ask('AT+CNMI=2,1,0,1,0')
  await modem.receive({ ...sms, dcs: 0x10 })
  await driver.until(/\+CMT: ,26\r\n0791[0-9A-F]+\r\n/)
  await modem.receive({ ...sms, pid: 0x40 })
  await eventually(() => fates(modem), (seen) => expect(seen).toEqual(['1 routed', '2 dropped'])) // prettier-ignore
})

test('parts come in the order that is asked for, each with its place', async () => {
  const { modem, driver } = await openModem()
  await modem.receive({ from: 'Telekom', text: 'x'.repeat(400), reference: 700, order: [3, 1, 2] })
  const said = await driver.ask('AT+CMGL=4')
  const joins = said.flatMap((line) => /060804(02BC03..)/.exec(line)?.[1] ?? [])
  expect(joins).toEqual(['02BC0303', '02BC0301', '02BC0302'])
})

test('a TPDU that no sender writes is handed on as it is', async () => {
  const { modem, driver } = await openModem()
  await modem.receiveTpdu('04')
  expect(await driver.ask('AT+CMGL=4')).toEqual(['+CMGL: 1,0,,1', '079194710167000004', 'OK'])
})
