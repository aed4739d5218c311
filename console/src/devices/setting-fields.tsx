import { Stack, TextInput } from '@mantine/core'
import type { KindSetting } from '../../../src/api/console/device-calls.ts'

/** What was entered, by the names of settings; empty takes the default. */
export type Settings = Readonly<Record<string, string>>

/** A field for each setting of a kind, with what it does and its default. */
export function SettingFields(properties: {
  rules: readonly KindSetting[]
  values: Settings
  onChange: (values: Settings) => void
}) {
  const { rules, values, onChange } = properties
  return (
    <Stack>
      {rules.map((rule) => (
        <TextInput
          key={rule.name}
          label={rule.name}
          description={rule.says}
          required={rule.isRequired}
          placeholder={rule.default === '' ? 'nothing' : rule.default}
          autoComplete="off"
          value={values[rule.name] ?? ''}
          onChange={(event) => onChange({ ...values, [rule.name]: event.currentTarget.value })}
        />
      ))}
    </Stack>
  )
}
