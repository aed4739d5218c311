import { type ModemOptions, startPooledModem } from './modem-pool.ts'
import { type AtDriver, openDriver } from './at-driver.ts'

/** `Hello {world} 12€` to +491701234567 with a report, as gammu 1.42 and gnokii 0.6.30 write it. */
export const hello = '0031000C919471103254760000FF14C8329BFD066D50F7B79C4DDEA44031D9A60C'

/** A modem without echo, unless the settings say otherwise, and a driver on its line, which ends with the test. */
export async function openModem({
  clock = 'machine',
  ...options
}: ModemOptions & { clock?: 'machine' | 'stub' } = {}) {
  const modem = await startPooledModem(clock, options)
  const driver: AtDriver = await openDriver(modem.port)
  if (options.settings?.line?.echo === undefined) await driver.ask('ATE0')
  return { modem, driver }
}
