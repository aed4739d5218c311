import type { DeviceChange } from '../devices/device-store.ts'
import { simSlots } from '../devices/sim-number.ts'
import { UsageError } from './command-errors.ts'

/** Takes a number away. */
const none = 'none'

export interface SimOptions {
  sim?: number | undefined
  number?: string | undefined
}

/** Options that name a SIM's number: apps tell it masked, so that a person has to say it. */
export const simOptions = {
  sim: { type: 'number', value: 'SLOT', says: 'Of a phone: the SIM in slot 1, 2 or 3, with --number.' },
  number: {
    type: 'text',
    value: 'NUMBER',
    says: `Number of that SIM, in E.164, which it may send from; ${none} takes it away.`,
  },
} as const

/** The SIM that options name, for `setDevice`; nothing when they name none. */
export function simOption({ sim, number }: SimOptions): Pick<DeviceChange, 'sim'> {
  if (sim === undefined && number === undefined) return {}
  if (sim === undefined || number === undefined || !simSlots.includes(sim))
    throw new UsageError('The number of a SIM needs --sim 1, 2 or 3, and --number +… or none.')
  return { sim: { slot: sim, number: number === none ? null : number } }
}
