import type { ListedDevice } from '../devices/list-devices.ts'
import { UsageError } from './command-errors.ts'

/** Takes a number away. */
const none = 'none'
const slots = [1, 2, 3]

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

/** What naming a SIM's number changes: the setting that ties it to the slot, and the senders, where it takes the place of the former one. */
export function simChange(
  before: Pick<ListedDevice, 'settings' | 'senders'>,
  { sim, number }: SimOptions,
): { settings: Record<string, string | null>; senders: string[] } | null {
  if (sim === undefined && number === undefined) return null
  if (sim === undefined || number === undefined || !slots.includes(sim))
    throw new UsageError('The number of a SIM needs --sim 1, 2 or 3, and --number +… or none.')
  const name = `sim_${sim}_number`
  const given = number === none ? null : number.replaceAll(/[\s()-]/g, '')
  const former = before.settings[name]
  const elsewhere = Object.entries(before.settings).filter(
    ([key]) => key !== name && /^sim_\d_number$/.test(key),
  )
  if (elsewhere.some(([, known]) => known === given))
    throw new UsageError(`${given} is the number of another SIM of this phone already.`)
  const kept = before.senders.filter((sender) => sender !== former && sender !== given)
  return { settings: { [name]: given }, senders: given === null ? kept : [...kept, given] }
}
