import { expect, test } from 'vitest'
import { submissionOf } from '../contracts/contract-subject.ts'
import { openDriver } from '../at-modem/at-driver.ts'
import { startPooledModem } from '../at-modem/modem-pool.ts'
import { hello } from '../at-modem/open-modem.ts'
import type { AnswerRule } from '../peers/at-modem/modem-settings.ts'
import { createMarks, linkTo, openStubLink, type StubLink } from './stub-link.ts'

const count = ({ modem }: Pick<StubLink, 'modem'>, command: string): number =>
  modem.commands().filter((each) => each === command).length
const hourMs = 3_600_000

test('13: the service centre and the name of the network are read hourly, and one that is gone is looked for each minute', async () => {
  const opened = await openStubLink()
  await opened.isOnline()
  const before = [count(opened, 'AT+CSCA?'), count(opened, 'AT+COPS?'), count(opened, 'AT+CSQ')]
  await opened.pass(hourMs - 120_000)
  expect([count(opened, 'AT+CSCA?'), count(opened, 'AT+COPS?')]).toEqual(before.slice(0, 2))
  expect(count(opened, 'AT+CSQ')).toBeGreaterThan(50)
  // home-assistant/core 67449: it vanishes while the modem runs.
  await opened.modem.changeSim({ smsc: null })
  await opened.pass(240_000)
  expect(opened.link.health()).toMatchObject({ status: 'offline', reasons: ['no_smsc'], cannotSend: true })
  await opened.modem.receive({ from: '+491711234567', text: 'still received' })
  await opened.modem.changeSim({ smsc: '+491710760000' })
  await opened.isOnline()
  expect(opened.world.inbound.map(({ text }) => text)).toEqual(['still received'])
})

test('recover: without a network for 5 min the radio is switched off and on, and then every 30 min', async () => {
  const lost = { settings: { network: { cs: 2, ps: 2, eps: null, registerAfterMs: hourMs } } }
  const given = await openStubLink(lost)
  const times = (opened: StubLink): number[] =>
    opened.modem.recordsOf('command').filter(({ command }) => command === 'AT+CFUN=4').map(({ at }) => at) // prettier-ignore
  await given.pass(2_400_000)
  const [first = 0, second = 0, ...more] = times(given)
  expect(Math.round((second - first) / 60_000)).toBe(30)
  expect(more).toEqual([])
  expect(count(given, 'AT+CFUN=1')).toBe(2)
  const kept = await openStubLink(lost, { settings: { recover: 'none' } })
  await kept.pass(600_000)
  expect([times(kept), kept.link.health().reasons]).toEqual([[], ['not_registered']])
})

test('9: a SIM that is changed on the open line is another device, and takes nothing', async () => {
  const modem = await startPooledModem('stub')
  const first = await linkTo(modem)
  await first.isOnline()
  await first.link.stop()
  // The mark that `device add` stores.
  const { createHash } = await import('node:crypto')
  const iccid = (await modem.state()).sim?.iccid ?? ''
  const mark = createHash('sha256').update(iccid).digest('hex').slice(0, 16)
  const opened = await linkTo(modem, { settings: { sim_mark: mark } })
  await opened.isOnline()
  expect((await opened.submit()).kind).toBe('accepted')
  await modem.insertSim({ iccid: '8949020000999999999' })
  await opened.until(() => opened.link.health().status === 'offline')
  expect(opened.link.health().reasons).toEqual(['sim_changed'])
  expect((await opened.submit()).kind).toBe('unavailable')
  expect(modem.taken()).toHaveLength(1)
})

test('a SIM that is pulled is noticed at once where the modem says so, and by the next message where not', async () => {
  const told = await openStubLink()
  await told.isOnline()
  await told.modem.pullSim('+CPIN: NOT READY')
  await told.until(() => told.link.health().reasons[0] === 'no_sim', 5_000)
  const silent = await openStubLink()
  await silent.isOnline()
  await silent.modem.pullSim()
  expect(await silent.submit()).toMatchObject({ kind: 'refused', lasts: 'now', networkCode: 'CMS 310' })
  await silent.until(() => silent.link.health().reasons[0] === 'no_sim', 5_000)
  await silent.modem.insertSim()
  await silent.isOnline()
  expect((await silent.submit()).kind).toBe('accepted')
})

test('11: a SIM that is locked again by a restart is unlocked again, since its PIN was right', async () => {
  const opened = await openStubLink({ sim: { pin: '1234' } }, { pin: '1234' })
  await opened.isOnline()
  await opened.modem.reset()
  await opened.submit()
  await opened.isOnline()
  expect(opened.modem.recordsOf('pin').map(({ what }) => what)).toEqual(['right', 'right'])
})

test('8.5: a wrong PIN is tried once over 20 restarts, two nodes and 100 lines, and the right one unlocks', async () => {
  const modem = await startPooledModem('stub', { sim: { pin: '1234' } })
  const marks = createMarks()
  let startMs: number | undefined
  for (let restart = 0; restart < 20; restart++) {
    const { link, until, world } = await linkTo(modem, { pin: '9999', marks }, startMs)
    for (let line = 0; line < 5; line++) {
      await until(() => link.health().reasons[0] === 'pin_refused')
      await modem.hangUp('rst')
      await until(() => link.health().status === 'offline')
    }
    const stopped = link.stop()
    await world.atRest()
    await stopped
    startMs = world.clock.now()
  }
  expect(modem.recordsOf('pin')).toMatchObject([{ what: 'wrong', triesLeft: 2 }])
  // What a person does who sets the secret anew.
  await marks.unmark('pin')
  const mended = await linkTo(modem, { pin: '1234', marks }, startMs)
  await mended.isOnline()
  expect([marks.names.size, (await mended.submit(submissionOf())).kind]).toEqual([0, 'accepted'])
})

test('live settings are applied without another line, others need one', async () => {
  const opened = await openStubLink({ settings: { submit: { rules: [{ isTaken: false, answer: ['+CMS ERROR: 500'] }] } } })
  await opened.isOnline()
  expect((await opened.submit()).kind).toBe('unknown')
  const given = { port: opened.modem.address, pause_ms: '0' }
  expect(opened.link.applySettings?.({ ...given, error_classes: '500=now', trace: 'on' })).toBe(true)
  expect(await opened.submit()).toMatchObject({ kind: 'refused', lasts: 'now' })
  const traced = opened.logged.filter(({ message }) => /^AT (?:sent|received)$/.test(message))
  expect(traced.map(({ detail }) => detail['line'])).toContain('<CTRL-Z>')
  expect(opened.link.applySettings?.({ ...given, baud: '9600' })).toBe(false)
  expect(opened.modem.recordsOf('line').filter(({ what }) => what === 'opened')).toHaveLength(1)
}) // prettier-ignore

test('a stop while the line is opened or the modem made ready ends both', async () => {
  const opening = await openStubLink()
  await opening.link.stop()
  const readying = await openStubLink({ settings: { line: { silence: 'hung' } } })
  await readying.pass(1_000)
  const stopped = readying.link.stop()
  await readying.world.atRest()
  await stopped
  for (const { link, world } of [opening, readying])
    expect([link.health().status, world.clock.waiting]).toEqual(['offline', 0])
})

test('11: while the database takes no mark a PIN is not tried, and the modem is made ready once it does', async () => {
  const marks = createMarks()
  let isBusy = true
  const mark = async (name: string): Promise<boolean> => {
    if (isBusy) throw new Error('The database is busy.')
    return marks.mark(name)
  }
  const opened = await openStubLink({ sim: { pin: '1234' } }, { pin: '1234', marks: { ...marks, mark } })
  await opened.until(() => opened.logged.filter(({ message }) => message === 'a modem could not be asked').length > 1)
  expect([opened.link.health().status, opened.modem.recordsOf('pin')]).toEqual(['pending', []])
  isBusy = false
  await opened.isOnline(30_000)
  expect(opened.modem.recordsOf('pin').map(({ what }) => what)).toEqual(['right'])
}) // prettier-ignore

test('15: a report that the modem has acknowledged is kept while it cannot be stored, over the end of the line', async () => {
  const opened = await openStubLink({
    settings: {
      indications: { hasService1: false },
      reports: { rules: [{ statuses: [0], delayMs: 1_000 }] },
    },
  })
  await opened.isOnline()
  opened.world.canStore = false
  expect((await opened.submit()).kind).toBe('accepted')
  await opened.until(() => opened.world.said.length > 2)
  await opened.modem.hangUp('rst')
  opened.world.canStore = true
  await opened.until(() => opened.world.stored.length > 0)
  expect(opened.world.stored).toMatchObject([{ result: 'delivered' }])
})

/** Starts a link to a modem that waits for the acknowledgement of a report, as after a kill; returns what became of that in a minute. */
async function fatesOfLeftReport(rules: readonly AnswerRule[] = []): Promise<string[]> {
  const modem = await startPooledModem('stub', { settings: { answers: { rules }, network: { retryMs: 30_000 } } })
  const killed = await openDriver(modem.port)
  for (const command of ['ATE0', 'AT+CSMS=1', 'AT+CNMI=2,1,0,1,0']) await killed.ask(command)
  await killed.submit(hello)
  await killed.until(/\+CDS: 25\r\n[0-9A-F]+\r\n/)
  await killed.close()
  const opened = await linkTo(modem)
  await opened.isOnline()
  await opened.pass(58_000)
  const fates = modem.recordsOf('arrival').map(({ what, detail }) => `${what} ${detail}`)
  return [...fates, ...opened.world.stored.map(({ result }) => `stored as ${result}`)]
} // prettier-ignore

test('14: a report that a killed process left unacknowledged is refused, so that CNMI stays, and comes again', async () => {
  expect(await fatesOfLeftReport()).toEqual([
    'routed +CDS',
    'not-acknowledged CNMA=2',
    'routed +CDS',
    'acknowledged ',
    'stored as delivered',
  ])
})

test('14: where a modem takes no refusal, CNMI is looked at once the time of what was left has run out', async () => {
  // AT+CNMA of a Siemens MC55 has no other value than 0.
  const rules = [{ command: String.raw`^AT\+CNMA=2$`, lines: ['+CMS ERROR: 302'] }]
  expect(await fatesOfLeftReport(rules)).toEqual([
    'routed +CDS',
    'not-acknowledged too late',
    'routed +CDS',
    'acknowledged ',
    'stored as delivered',
  ])
})
