import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import type { ModemProfile } from '../peers/at-modem/modem-profiles.ts'
import type { ModemChange } from '../peers/at-modem/modem-settings.ts'
import { hasCommands, hasFetched, pythonEnv } from '../peers/foreign-tools.ts'
import { openBench } from './driver-bench.ts'

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

const script = [
  'import sys',
  'from gsmmodem.modem import GsmModem',
  'modem = GsmModem(sys.argv[1], 115200)',
  'modem.connect()',
  'sms = modem.sendSms("+491701234567", "Hello {world} 12€")',
  'print("SENT", sms.reference, flush=True)',
  'modem.close()',
]

/** python-gsmmodem-new 0.13.0 knows the noise and the errors of these makers from its own users. */
describe.skipIf(!hasCommands('python3', 'socat') || !hasFetched('python'))(
  'a driver that knows their oddities',
  () => {
    test.for(profiles)('sends over the profile %s', async ([profile, settings]) => {
      const bench = await openBench({ profile, settings })
      await bench.plug()
      const said = bench.start('python3', [bench.file('send.py', ...script), bench.tty], pythonEnv())
      await eventually(said, (lines) => expect(lines).toContain('SENT 1'), 15_000)
      expect(bench.modem.taken()).toMatchObject([{ text: 'Hello {world} 12€' }])
    })
  },
)
