import { atFileEnd } from '../at-file-end.ts'
import {
  type AtModemControl,
  type AtModemOptions,
  type AtModems,
  startAtModems,
} from '../peers/at-modem-control.ts'

/** What a test begins a modem with. */
export type ModemOptions = Pick<AtModemOptions, 'profile' | 'settings' | 'sim'>

/** A modem of the process that this file of tests shares: a start of a process takes longer than most tests. */
export type PooledModem = AtModemControl & Pick<AtModems, 'advance'>

const processes = new Map<'machine' | 'stub', Promise<AtModems>>()

atFileEnd(async () => {
  for (const started of processes.values()) await (await started).stop()
  processes.clear()
})

/** Returns a modem of its own for a test, with the clock of the machine or one that the test turns. It ends with the test file. */
export async function startPooledModem(
  clock: 'machine' | 'stub',
  options: ModemOptions = {},
): Promise<PooledModem> {
  const started = processes.get(clock) ?? startAtModems({ clock, count: 0 })
  processes.set(clock, started)
  const { add, advance } = await started
  return { ...(await add(options)), advance }
}
