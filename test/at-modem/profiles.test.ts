import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import type { ModemProfile } from '../peers/at-modem/modem-profiles.ts'
import type { ModemChange } from '../peers/at-modem/modem-settings.ts'
import { hasCommands, hasFetched, pythonEnv } from '../peers/foreign-tools.ts'
import { type DriverBench, openBench } from './driver-bench.ts'

/** Each profile, without what this driver itself does not bear. */
const profiles: [ModemProfile, ModemChange][] = [
  ['generic', {}],
  // A line in front of every answer is taken for it (babca/python-gsmmodem 47).
  ['huawei', { line: { noise: null } }],
  ['huawei-lte', {}],
  // It makes no pause between commands.
  ['simcom', { line: { deafMs: 0 } }],
  ['simcom-lte', {}],
  ['quectel', {}],
  ['zte', {}],
  ['sierra', {}],
  // It bears that, after 15 s.
  ['wavecom', { identity: { isCpinWithoutOk: false } }],
]

/** A process for all: Python takes longer to start than to send. */
const script = [
  'import sys',
  'from gsmmodem.modem import GsmModem',
  'for tty in sys.argv[1:]:',
  '    modem = GsmModem(tty, 115200)',
  '    modem.connect()',
  '    sms = modem.sendSms("+491701234567", "Hello {world} 12€")',
  '    print("SENT", sms.reference, tty, flush=True)',
  '    modem.close()',
]

/** python-gsmmodem-new 0.13.0 knows the noise and the errors of these makers from its own users. */
describe.skipIf(!hasCommands('python3', 'socat') || !hasFetched('python'))(
  'a driver that knows their oddities',
  () => {
    test('sends over each profile', async () => {
      const benches: DriverBench[] = []
      for (const [profile, settings] of profiles) {
        const bench = await openBench({ profile, settings })
        await bench.plug()
        benches.push(bench)
      }
      const [first] = benches as [DriverBench]
      const ttys = benches.map(({ tty }) => tty)
      const said = first.start('python3', [first.file('send.py', ...script), ...ttys], pythonEnv('python'))
      const isSent = (lines: string): boolean => ttys.every((tty) => lines.includes(`SENT 1 ${tty}\n`))
      await eventually(said, (lines) => expect(lines).toSatisfy(isSent), 30_000)
      for (const { modem } of benches) expect(modem.taken()).toMatchObject([{ text: 'Hello {world} 12€' }])
    }, 45_000)
  },
)
