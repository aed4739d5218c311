import type { ListedDevice } from '../devices/list-devices.ts'
import { simChange, simSlots } from '../devices/sim-number.ts'
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

/** What naming a SIM's number changes; null when no option names one. */
export function simOption(
  before: Pick<ListedDevice, 'settings' | 'senders'>,
  { sim, number }: SimOptions,
): ReturnType<typeof simChange> | null {
  if (sim === undefined && number === undefined) return null
  if (sim === undefined || number === undefined || !simSlots.includes(sim))
    throw new UsageError('The number of a SIM needs --sim 1, 2 or 3, and --number +… or none.')
  return simChange(before, sim, number === none ? null : number)
}
