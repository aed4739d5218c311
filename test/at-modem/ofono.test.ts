import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { foreignEnv, hasCommands } from '../peers/foreign-tools.ts'
import { type DriverBench, openBench } from './driver-bench.ts'

/** oFono 1.31 of Debian 12, whose plugin `phonesim` drives a modem over TCP, on a bus of its own. It routes by +CMT and +CDS, and answers each by CNMA. */
describe.skipIf(!hasCommands('ofonod', 'dbus-daemon', 'gdbus'))('oFono', () => {
  async function startOfono(bench: DriverBench) {
    const bus = join(bench.folder, 'bus')
    const address = `unix:path=${bus}`
    const conf = bench.file('bus.conf', '<busconfig><type>session</type>', `<listen>${address}</listen><auth>EXTERNAL</auth>`, '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>', '</busconfig>') // prettier-ignore
    const phonesim = bench.file(
      'phonesim.conf',
      '[phonesim]',
      'Address=127.0.0.1',
      `Port=${bench.modem.port}`,
    )
    const env = foreignEnv({ DBUS_SYSTEM_BUS_ADDRESS: address, OFONO_PHONESIM_CONFIG: phonesim })
    bench.start('dbus-daemon', [`--config-file=${conf}`, '--nofork', '--nopidfile'])
    await eventually(
      () => existsSync(bus),
      (isThere) => expect(isThere).toBe(true),
    )
    const monitor = bench.start('gdbus', ['monitor', '--address', address, '--dest', 'org.ofono'])
    bench.start('ofonod', ['-n'], env)
    const call = (path: string, method: string, ...args: string[]): Promise<string> =>
      bench.runBare('gdbus', ['call', '--address', address, '--dest', 'org.ofono', '--object-path', path, '--method', `org.ofono.${method}`, ...args]) // prettier-ignore
    await eventually(() => call('/', 'Manager.GetModems').catch(() => ''), (modems) => expect(modems).toContain('/phonesim')) // prettier-ignore
    await call('/phonesim', 'Modem.SetProperty', 'Powered', '<true>')
    await eventually(() => call('/phonesim', 'Modem.SetProperty', 'Online', '<true>').catch(String), (said) => expect(said).toBe('()\n')) // prettier-ignore
    const properties = (): Promise<string> => call('/phonesim', 'Modem.GetProperties')
    await eventually(properties, (said) => expect(said).toContain('org.ofono.MessageManager'), 10_000)
    return { call, monitor }
  }

  test('sends, receives, and gets its report', async () => {
    const bench = await openBench()
    const { call, monitor } = await startOfono(bench)
    await call('/phonesim', 'MessageManager.SetProperty', 'UseDeliveryReports', '<true>')
    await call('/phonesim', 'MessageManager.SendMessage', '+491701234567', 'Hello {world} 12€')
    await eventually(() => bench.modem.taken(), (taken) => expect(taken).toMatchObject([{ to: '+491701234567', text: 'Hello {world} 12€', wantsReport: true }])) // prettier-ignore
    const arrivals = () => bench.modem.recordsOf('arrival').map(({ of, what }) => `${of} ${what}`)
    const report = ['report routed', 'report acknowledged']
    await eventually(arrivals, (seen) => expect(seen).toEqual(report), 15_000)
    await bench.modem.receive({ from: '+491709999999', text: 'Grüße' })
    await eventually(monitor, (said) => expect(said).toMatch(/IncomingMessage \('Grüße'/), 15_000)
    await eventually(
      arrivals,
      (seen) => expect(seen).toEqual([...report, 'sms routed', 'sms acknowledged']),
      15_000,
    )
  }, 40_000)
})
