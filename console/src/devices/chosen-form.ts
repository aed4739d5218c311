import type { ChosenForm, DeviceKind } from '../../../src/api/console/devices/device-calls.ts'
import type { Settings } from './setting-fields.tsx'

/** What a form asks for. */
export type AskedFor = Pick<DeviceKind, 'settings' | 'usualSettings' | 'secretFields' | 'requiredSecrets'>

/** Returns what a device of this kind is asked for with these settings: of most kinds always the same. */
export function askedFor(kind: AskedFor & Pick<DeviceKind, 'chosen'>, settings: Settings): AskedFor {
  const form = chosenForm(kind, settings)
  return form ?? kind
}

/** Returns the form that these settings choose; null for a kind without forms to choose, and before one was chosen. */
export const chosenForm = ({ chosen }: Pick<DeviceKind, 'chosen'>, settings: Settings): ChosenForm | null =>
  chosen === null ? null : (chosen.forms.find(({ value }) => value === settings[chosen.by]) ?? null)
