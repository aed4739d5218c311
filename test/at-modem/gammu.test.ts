import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { type DriverBench, openBench } from './driver-bench.ts'

/** gammu and gammu-smsd 1.42.0 of Debian 12. */
describe.skipIf(!hasCommands('gammu', 'gammu-smsd', 'socat'))('gammu', () => {
  test('sends a text in two parts, with reports', async () => {
    const bench = await openBench()
    const rc = bench.file('rc', '[gammu]', `device = ${bench.tty}`, 'connection = at115200')
    const text = `Hello {world} 12€ ${'x'.repeat(160)}`
    const said = await bench.run('gammu', [
      '-c',
      rc,
      'sendsms',
      'TEXT',
      '+491701234567',
      '-report',
      '-len',
      '400',
      '-text',
      text,
    ])
    expect(said).toContain('message reference=2')
    const taken = bench.modem.taken()
    expect(taken).toMatchObject([
      { to: '+491701234567', wantsReport: true, unreadable: null, part: { total: 2, part: 1 } },
      { to: '+491701234567', wantsReport: true, unreadable: null, part: { total: 2, part: 2 } },
    ])
    expect(taken.map((part) => part.text).join('')).toBe(text)
  })

  test('reads what was received, GSM text and UCS-2, and deletes it', async () => {
    const bench = await openBench({ settings: { storage: { sizes: { SM: 20 } } } })
    const rc = bench.file('rc', '[gammu]', `device = ${bench.tty}`, 'connection = at115200')
    await bench.modem.receive({ from: '+491701234567', text: 'Grüße {}' })
    await bench.modem.receive({ from: 'Telekom', text: 'Привет, мир' })
    const said = await bench.run('gammu', ['-c', rc, 'getallsms'])
    expect(said).toContain('Grüße {}')
    expect(said).toContain('Привет, мир')
    expect(said).toContain('"+491701234567"')
    expect(said).toContain('"Telekom"')
    await bench.run('gammu', ['-c', rc, 'deletesms', '1', '1'])
    expect((await bench.modem.state()).used.SM).toBe(1)
  })
})

describe.skipIf(!hasCommands('gammu-smsd', 'socat'))('gammu-smsd', () => {
  // With ds 2 among the ranges it chooses that, is told of "SR" by +CDSI, and reports an empty number (1.42; libgammu/phone/at/at-sms.c knows no SR).
  const cnmi = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2], [0, 1], [0, 1]] // prettier-ignore

  async function startSmsd(bench: DriverBench) {
    const [inbox, outbox, sent, error] = ['inbox', 'outbox', 'sent', 'error'].map((name) => {
      mkdirSync(join(bench.folder, name))
      return `${join(bench.folder, name)}/`
    }) as [string, string, string, string]
    const rc = bench.file('rc', '[gammu]', `device = ${bench.tty}`, 'connection = at115200', '[smsd]', 'service = files', `inboxpath = ${inbox}`, `outboxpath = ${outbox}`, `sentsmspath = ${sent}`, `errorsmspath = ${error}`, `logfile = ${join(bench.folder, 'log')}`, 'deliveryreport = log', 'commtimeout = 1', 'loopsleep = 1', 'receivefrequency = 1', 'checksecurity = 0', 'debuglevel = 1') // prettier-ignore
    bench.file('outbox/OUTC20261127_120000_00_+491701234567_a.txt', 'Hello from smsd')
    await bench.modem.receive({ from: '+491709999999', text: 'Antwort' })
    await bench.plug()
    bench.start('gammu-smsd', ['-c', rc])
    const log = join(bench.folder, 'log')
    return {
      received: () => readdirSync(inbox),
      sent: () => readdirSync(sent),
      log: (): string => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    }
  }

  test('sends, receives once, and gets its report', async () => {
    const bench = await openBench({ settings: { indications: { cnmi }, storage: { sizes: { SM: 20 } } } })
    const smsd = await startSmsd(bench)
    await eventually(smsd.log, (said) => expect(said).toMatch(/Delivery report: Delivered to \+491701234567, message reference 0x01/), 15_000) // prettier-ignore
    await eventually(smsd.received, (files) => expect(files).toHaveLength(1), 15_000)
    expect(smsd.sent()).toHaveLength(1)
    expect(bench.modem.taken()).toMatchObject([{ text: 'Hello from smsd\n' }])
    expect(bench.modem.recordsOf('arrival').filter(({ of }) => of === 'sms').map(({ what }) => what)).toEqual(['stored', 'listed', 'deleted']) // prettier-ignore
  }, 40_000)

  test('stores one SMS twice where SM and ME are one memory (gammu 378)', async () => {
    const bench = await openBench({ settings: { storage: { isOne: true } } })
    const smsd = await startSmsd(bench)
    await eventually(smsd.received, (files) => expect(files).toHaveLength(2), 20_000)
    expect(bench.modem.recordsOf('arrival').filter(({ what }) => what === 'stored')).toHaveLength(1)
  }, 40_000)
})
