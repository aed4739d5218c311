import type { DeviceChange } from '../../devices/core/device-store.ts'
import { simSlots } from '../../devices/core/sim-number.ts'
import { UsageError } from '../core/command-errors.ts'

/** Removes the number. */
const none = 'none'

export interface SimOptions {
  sim?: number | undefined
  number?: string | undefined
}

/** Options that set the number of a SIM: apps report it masked, so that the operator must enter it. */
export const simOptions = {
  sim: { type: 'number', value: 'SLOT', summary: 'Phones: slot of the SIM (1, 2 or 3), with --number.' },
  number: {
    type: 'text',
    value: 'NUMBER',
    summary: `Number of that SIM in E.164, used as a sender; ${none} removes it.`,
  },
} as const

/** Returns the SIM change for `setDevice`; empty without these options. */
export function simOption({ sim, number }: SimOptions): Pick<DeviceChange, 'sim'> {
  if (sim === undefined && number === undefined) return {}
  if (sim === undefined || number === undefined || !simSlots.includes(sim))
    throw new UsageError('To set the number of a SIM, give --sim 1, 2 or 3 and --number +… or none.')
  return { sim: { slot: sim, number: number === none ? null : number } }
}
