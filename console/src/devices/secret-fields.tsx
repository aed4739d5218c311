import { PasswordInput } from '@mantine/core'
import type { DeviceKind } from '../../../src/api/console/devices/device-calls.ts'
import type { Settings } from './setting-fields.tsx'

/** Fields for the secrets of a kind. With `stored`, the device already has them: an empty field keeps them. */
export function SecretFields(properties: {
  kind: Pick<DeviceKind, 'secretFields'>
  values: Settings
  onChange: (values: Settings) => void
  stored?: boolean
}) {
  const { kind, values, onChange, stored } = properties
  return Object.entries(kind.secretFields ?? {}).map(([name, { label, hint }]) => (
    <PasswordInput
      key={name}
      label={stored === undefined ? label : `New ${label.toLowerCase()}`}
      description={
        stored === undefined ? hint : stored ? 'Stored. Leave empty to keep it.' : 'Not stored yet.'
      }
      required={stored === undefined}
      autoComplete="off"
      value={values[name] ?? ''}
      onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
    />
  ))
}

/** Returns the secrets that were entered. */
export const givenSecrets = (values: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
