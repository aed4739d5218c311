import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hasCommands, hasFetched, pythonEnv } from '../peers/foreign-tools.ts'
import { openBench } from './driver-bench.ts'

/** What its README has as an example of sending, and of being called when an SMS comes. */
const script = [
  'import sys, threading',
  'from gsmmodem.modem import GsmModem',
  'came = threading.Event()',
  'def receive(sms):',
  '    print("RECEIVED", sms.number, sms.text, flush=True)',
  '    came.set()',
  'modem = GsmModem(sys.argv[1], 115200, smsReceivedCallbackFunc=receive)',
  'modem.connect()',
  'sms = modem.sendSms("+491701234567", "Hello {world} 12€", waitForDeliveryReport=True, deliveryTimeout=10)',
  'print("SENT", sms.reference, sms.report.deliveryStatus, flush=True)',
  'came.wait(10)',
  'modem.close()',
]

/** python-gsmmodem-new 0.13.0. It asks for reports by +CDSI, and reads them from SR. */
describe.skipIf(!hasCommands('python3', 'socat') || !hasFetched('python'))('python-gsmmodem', () => {
  test('sends, gets its report, and receives', async () => {
    const bench = await openBench()
    await bench.plug()
    const said = bench.start('python3', [bench.file('send.py', ...script), bench.tty], pythonEnv('python'))
    await eventually(said, (lines) => expect(lines).toContain('SENT 1 0'), 15_000)
    await bench.modem.receive({ from: '+491709999999', text: 'Grüße' })
    await eventually(said, (lines) => expect(lines).toContain('RECEIVED +491709999999 Grüße'), 10_000)
    expect(bench.modem.taken()).toMatchObject([
      { to: '+491701234567', text: 'Hello {world} 12€', wantsReport: true },
    ])
    expect((await bench.modem.state()).used).toMatchObject({ SR: 0 })
  }, 40_000)
})
