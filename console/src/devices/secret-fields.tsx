import { PasswordInput } from '@mantine/core'
import type { DeviceKind } from '../../../src/api/console/devices/device-calls.ts'
import type { Settings } from './setting-fields.tsx'

/** Fields for the secrets of a kind. With `stored`, the device already has them: an empty field keeps them. */
export function SecretFields(properties: {
  kind: Partial<Pick<DeviceKind, 'secretFields' | 'requiredSecrets'>>
  values: Settings
  onChange: (values: Settings) => void
  stored?: boolean
}) {
  const { kind, values, onChange, stored } = properties
  return Object.entries(kind.secretFields ?? {}).map(([name, { label, hint }]) => (
    <PasswordInput
      key={name}
      label={stored === undefined ? label : `New ${inSentence(label)}`}
      description={
        stored === undefined ? hint : stored ? 'Stored. Leave empty to keep it.' : 'Not stored yet.'
      }
      required={stored === undefined && kind.requiredSecrets?.includes(name) === true}
      autoComplete="off"
      value={values[name] ?? ''}
      onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
    />
  ))
}

/** A word begins with a small letter there, an abbreviation such as PIN does not. */
const inSentence = (label: string): string =>
  /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

/** Returns the secrets that were entered. */
export const givenSecrets = (values: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
