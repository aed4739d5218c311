import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { type DriverBench, openBench } from './driver-bench.ts'

/** smsd of smstools 3.1.21 of Debian 12. It asks several commands in one line, and answers +CDS by AT+CNMA. */
describe.skipIf(!hasCommands('smsd', 'socat'))('smstools', () => {
  const folders = ['outgoing', 'checked', 'incoming', 'report', 'sent', 'failed'] as const

  async function startSmsd(
    bench: DriverBench,
    text: string,
  ): Promise<(name: (typeof folders)[number]) => string[]> {
    for (const name of folders) mkdirSync(join(bench.folder, name))
    const paths = folders.map((name) => `${name} = ${join(bench.folder, name)}`)
    const own = ['logfile', 'pidfile', 'infofile'].map((name) => `${name} = ${join(bench.folder, name)}`)
    const conf = bench.file('conf', 'devices = GSM1', 'delaytime = 1', ...own, ...paths, '[GSM1]', `device = ${bench.tty}`, 'incoming = yes', 'report = yes', 'init = AT+CNMI=2,1,0,1,0') // prettier-ignore
    bench.file('outgoing/one', 'To: 491701234567', 'Report: yes', '', text)
    await bench.plug()
    bench.start('smsd', ['-c', conf, '-t'])
    return (name) =>
      readdirSync(join(bench.folder, name)).map((file) =>
        readFileSync(join(bench.folder, name, file), 'utf8'),
      )
  }

  test('sends, receives, and gets its report', async () => {
    const bench = await openBench({ settings: { storage: { sizes: { SM: 20 } } } })
    await bench.modem.receive({ from: '+491709999999', text: 'Antwort' })
    const files = await startSmsd(bench, 'Hello world')
    await eventually(() => files('report'), ([report]) => expect(report).toMatch(/Message_id: 1\n[^]*Status: 0,Ok/), 15_000) // prettier-ignore
    await eventually(
      () => files('incoming'),
      ([sms]) => expect(sms).toContain('Antwort'),
      15_000,
    )
    expect(files('sent')).toHaveLength(1)
    expect(bench.modem.taken()).toMatchObject([
      { to: '+491701234567', text: 'Hello world', wantsReport: true },
    ])
    expect((await bench.modem.state()).used.SM).toBe(0)
  }, 40_000)
})
