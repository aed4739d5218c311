import { describe, expect, test } from 'vitest'
import { longHandOver, submissionOf } from '../contracts/contract-subject.ts'
import type { ModemOptions } from '../at-modem/modem-pool.ts'
import { openStubLink, type StubLink } from './stub-link.ts'

/** What real modems do, by public reports that each test names, and no standard says. */
const open = async (options: ModemOptions = {}, settings: Record<string, string> = {}): Promise<StubLink> => {
  const opened = await openStubLink(options, { settings })
  await opened.isOnline()
  return opened
} // prettier-ignore

const isEmpty = async ({ modem }: StubLink): Promise<boolean> => {
  const { SM, ME, SR } = (await modem.state()).used
  return SM + ME + SR === 0
}
const texts = ({ world }: StubLink): string[] => world.inbound.map(({ text }) => text)

describe('what a modem announces', () => {
  // IchthysMaranatha/asterisk-chan-quectel 75: the report is in SR, and SM 0 is an SMS.
  test.for([20, 0])('a report under the place of an SMS loses neither, with %i places for reports named', async (named) => {
    const opened = await open(
      { profile: 'quectel', settings: { storage: { sizes: { SM: 50, ME: 0, SR: 10 } }, indications: { cdsi: 'other-memory' }, ...(named === 0 && { answers: { rules: [{ command: String.raw`^AT\+CPMS=\?$`, lines: ['+CPMS: ("SM","ME"),("SM","ME"),("SM","ME")', 'OK'] }] } }) } },
      { report_route: 'stored' },
    )
    opened.world.canStore = false
    await opened.modem.receive({ from: '+491711234567', text: 'keep me' })
    await opened.pass(1_000)
    expect((await opened.modem.state()).used.SM).toBe(1)
    opened.world.canStore = true
    const outcome = await opened.submit()
    const [networkId] = outcome.kind === 'accepted' ? outcome.networkIds : []
    await opened.until(() => opened.world.stored.length > 0, 5_000)
    expect(opened.world.stored).toMatchObject([{ networkId, result: 'delivered' }])
    await opened.pass(120_000)
    expect(texts(opened)).toEqual(['keep me'])
    expect(await isEmpty(opened)).toBe(true)
  }) // prettier-ignore

  // wdoekes/asterisk-chan-dongle 121, zabsalahid/serialport-gsm 12.
  test('what goes to another port of the stick is found by reading: SMS always, reports where they are stored', async () => {
    const indications = { otherPortUntil: 'AT^PORTSEL=1' }
    const direct = await open({ profile: 'huawei', settings: { indications } })
    await direct.modem.receive({ from: '+491711234567', text: 'found' })
    await direct.submit()
    await direct.until(() => texts(direct).length > 0)
    expect([texts(direct), direct.world.stored]).toEqual([['found'], []])
    const stored = await open({ profile: 'huawei', settings: { indications } }, { report_route: 'stored' })
    await stored.submit()
    await stored.until(() => stored.world.stored.length > 0)
    const told = await open({ profile: 'huawei', settings: { indications } }, { init: 'AT^PORTSEL=1' })
    await told.submit()
    await told.until(() => told.world.stored.length > 0, 5_000)
  })

  // T-SIM7600X 63.
  test('an SMS without its place is found at once', async () => {
    const opened = await open({ settings: { indications: { cmti: 'minus-one' } } })
    await opened.modem.receive({ from: '+491711234567', text: 'somewhere' })
    await opened.until(() => texts(opened).length > 0, 5_000)
    expect(await isEmpty(opened)).toBe(true)
  })

  // pkot/gnokii 1.
  test('an SMS that is listed and cannot be read by its place is taken from the list', async () => {
    const rules = [{ command: String.raw`^AT\+CMGR=`, lines: ['+CMS ERROR: 500'] }]
    const opened = await open({ settings: { answers: { rules } } })
    await opened.modem.receive({ from: '+491711234567', text: 'listed' })
    await opened.until(() => texts(opened).length > 0, 5_000)
    expect(await isEmpty(opened)).toBe(true)
  })
})

describe('what a modem answers', () => {
  // gammu/gammu 4 and 323.
  test('one that never lists its SMS is read place by place', async () => {
    const rules = [{ command: String.raw`^AT\+CMGL`, lines: [] }]
    const opened = await openStubLink({ profile: 'huawei', settings: { storage: { emptyPlace: 'bare-ok', firstIndex: 1 }, answers: { rules } } })
    for (const text of ['one', 'two']) await opened.modem.receive({ from: '+491711234567', text })
    await opened.isOnline(300_000)
    expect(texts(opened)).toEqual(['one', 'two'])
    const [asked] = [opened.modem.commands().filter((command) => command.startsWith('AT+CMGL'))]
    await opened.modem.receive({ from: '+491711234567', text: 'three' })
    await opened.until(() => texts(opened).length === 3, 5_000)
    expect(await isEmpty(opened)).toBe(true)
    expect(opened.modem.commands().filter((command) => command.startsWith('AT+CMGL'))).toEqual(asked)
  }) // prettier-ignore

  // faucamp/python-gsmmodem 87 and 56.
  test('errors without a blank, names that are empty, and every echo twice', async () => {
    const opened = await open({
      settings: { line: { errorForm: 'tight', echo: 'twice' }, storage: { alpha: '""' }, submit: { rules: [{ isTaken: false, answer: ['+CMS ERROR:42'], times: 1 }] } },
    })
    expect(await opened.submit()).toMatchObject({ kind: 'refused', networkCode: 'CMS 42' })
    expect((await opened.submit(longHandOver(2))).kind).toBe('accepted')
    await opened.modem.receive({ from: '+491711234567', text: 'named' })
    await opened.until(() => texts(opened).length > 0, 5_000)
    expect(opened.modem.taken()).toHaveLength(2)
  }) // prettier-ignore

  // JulianWowra/node-pdu 22; 3GPP TS 27.005, section 4.3.
  test('a prompt that comes again behind the PDU, and an acknowledgement behind the reference', async () => {
    const opened = await open({ settings: { line: { echo: 'always' }, submit: { repeatsPrompt: true, ackPdu: '000100' } } })
    expect((await opened.submit(longHandOver(3))).kind).toBe('accepted')
    await opened.until(() => opened.world.stored.length === 3, 5_000)
    expect(opened.modem.taken()).toHaveLength(3)
  }) // prettier-ignore

  // gammu/gammu 823: D-Link DWM222.
  test('garbage before a list is none of it', async () => {
    const noise = { lines: ['^RSSI: 1', '07915892000000F001', '+ZUSIMR:2'], where: ['before'] as const }
    const opened = await open({ settings: { line: { noise } } })
    await opened.modem.receive({ from: '+491711234567', text: 'clean' })
    await opened.until(() => texts(opened).length > 0, 5_000)
    expect([texts(opened), await isEmpty(opened)]).toEqual([['clean'], true])
  })

  // hbjorgo/ATLib 35, zabsalahid/serialport-gsm 66: the network has nothing, and only the missing report shows it.
  test('a reference for what was dropped is the word of the modem, and no report follows', async () => {
    const opened = await open({ settings: { submit: { rules: [{ isTaken: false, answer: 'ok' }] } } })
    expect(await opened.submit()).toMatchObject({ kind: 'accepted', receiptExpected: true })
    await opened.pass(60_000)
    expect(opened.world.stored).toEqual([])
  })

  // gammu/gammu 894.
  test('reports from another service centre than that of the SIM', async () => {
    const opened = await open({
      settings: { reports: { rules: [{ statuses: [0], smsc: '+491720000000' }] } },
    })
    await opened.submit()
    await opened.until(() => opened.world.stored.length > 0, 5_000)
    expect(opened.world.stored).toMatchObject([{ result: 'delivered' }])
  })
})

describe('what a modem can', () => {
  // gammu/gammu 1206 and 1207: Cinterion MC75i.
  test('ME that receives nothing, and a last value of CNMI that is only 1', async () => {
    const cnmi = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2], [0, 1, 2], [1]]
    const opened = await open({ settings: { storage: { receivesInto: ['SM'] }, indications: { cnmi } } })
    expect((await opened.modem.state()).cnmi).toEqual([2, 1, 0, 1, 1])
    expect(opened.modem.commands().filter((command) => /CPMS="ME",/.test(command))).toEqual([])
    await opened.modem.receive({ from: '+491711234567', text: 'in SM' })
    await opened.until(() => texts(opened).length > 0, 5_000)
    await opened.submit()
    await opened.until(() => opened.world.stored.length > 0, 5_000)
  }) // prettier-ignore

  // zabsalahid/serialport-gsm 35: a SIM800 is deaf for a moment after any line. at-channel.test.ts has the pause.
  test('a command that meets a line of the modem is lost, and nothing was sent', async () => {
    const opened = await open({ profile: 'generic' })
    await opened.modem.set({ line: { deafMs: 1_000 } })
    await opened.modem.say('RING')
    const outcome = await opened.submit()
    expect([outcome.kind, opened.modem.taken()]).toEqual(['unavailable', []])
    await opened.modem.set({ line: { deafMs: 0 } })
    expect((await opened.submit()).kind).toBe('accepted')
  })

  // stanleyhuangyc/Freematics 77.
  test('one that goes off by itself is offline at once, and online again after it was switched on', async () => {
    const opened = await open()
    await opened.modem.powerOff('UNDER-VOLTAGE WARNNING POWER DOWN')
    await opened.until(() => opened.link.health().status === 'offline', 2_000)
    expect(opened.logged).toContainEqual(expect.objectContaining({ message: 'a modem switched itself off' }))
    expect((await opened.submit()).kind).toBe('unavailable')
    await opened.pass(60_000)
    expect(opened.link.health().reasons).toEqual(['no_answer'])
    await opened.modem.reset()
    await opened.isOnline()
    expect((await opened.submit(submissionOf())).kind).toBe('accepted')
  })
})
