import { PasswordInput } from '@mantine/core'
import type { DeviceKind } from '../../../src/api/console/devices/device-calls.ts'
import type { Settings } from './setting-fields.tsx'

/** The secrets of a kind. `stored` says whether the device has them already: then an empty field keeps them. */
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
        stored === undefined
          ? hint
          : stored
            ? 'One is stored; leave this empty to keep it.'
            : 'None is stored.'
      }
      required={stored === undefined}
      autoComplete="off"
      value={values[name] ?? ''}
      onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
    />
  ))
}

/** Those that were entered. */
export const givenSecrets = (values: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
