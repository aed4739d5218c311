import { invalidInput } from '../../runtime/invalid-input.ts'
import { withoutSeparators } from '../../numbers/phone-number.ts'

/** As Android counts them. */
export const simSlots: readonly number[] = [1, 2, 3]

/** The setting with the number of the SIM in a slot. */
export const simSetting = (slot: number): string => `sim_${slot}_number`

/**
 * Returns what the number of a SIM changes: the setting that ties it to the slot, and the senders, where it
 * replaces the former one. Apps mask numbers, so a user has to enter them. Null removes the number. Rejects
 * the number of another SIM of the phone.
 */
export function simChange(
  before: { settings: Readonly<Record<string, string>>; senders: readonly string[] },
  slot: number,
  number: string | null,
): { settings: Record<string, string | null>; senders: string[] } {
  const name = simSetting(slot)
  const given = number === null ? null : withoutSeparators(number)
  const former = before.settings[name]
  const elsewhere = Object.entries(before.settings).filter(
    ([key]) => key !== name && /^sim_\d_number$/.test(key),
  )
  if (elsewhere.some(([, known]) => known === given))
    throw invalidInput([
      {
        pointer: `/settings/${name}`,
        code: 'out_of_range',
        detail: `${given} is already the number of another SIM of this phone.`,
      },
    ])
  const kept = before.senders.filter((sender) => sender !== former && sender !== given)
  return { settings: { [name]: given }, senders: given === null ? kept : [...kept, given] }
}
