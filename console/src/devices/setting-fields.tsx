import { Anchor, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { DeviceKind, KindSetting } from '../../../src/api/console/devices/device-calls.ts'
import { Choice } from '../ui/choice.tsx'
import { faultOf } from '../ui/call-fault.tsx'
import { FoundPortsList } from './found-ports-list.tsx'
import { withCode } from './with-code.tsx'

/** Entered values by setting; an empty one means the default. */
export type Settings = Readonly<Record<string, string>>

interface Fields {
  rules: readonly KindSetting[]
  values: Settings
  onChange: (values: Settings) => void
  /** Error of the last attempt; each fault is shown at its field. */
  error: Error | null
  /** The kind, whose setting is a serial port of the server if the viewer can see those. */
  kind?: Pick<DeviceKind, 'portSetting' | 'nodeSetting'> | undefined
}

/** Fields for the usual settings of a kind; the other ones are collapsed. */
export function SettingFields({ usual, ...fields }: Fields & { usual: readonly string[] }) {
  const isUsual = ({ name }: KindSetting): boolean => usual.includes(name)
  const rest = fields.rules.filter((rule) => !isUsual(rule))
  const isWrong = rest.some(({ name }) => faultOf(fields.error, `settings/${name}`) !== undefined)
  const [isMore, more] = useDisclosure()
  const isOpen = isMore || isWrong
  return (
    <Stack>
      {fields.rules.filter(isUsual).map((rule) => (
        <SettingField key={rule.name} rule={rule} {...fields} />
      ))}
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        onClick={more.toggle}
        aria-expanded={isOpen}
      >
        {isOpen ? 'Fewer settings' : `${rest.length} more settings`}
      </Anchor>
      {isOpen ? rest.map((rule) => <SettingField key={rule.name} rule={rule} {...fields} />) : null}
    </Stack>
  )
}

function SettingField({ rule, values, onChange, error, kind = {} }: Fields & { rule: KindSetting }) {
  const { name, summary, isRequired, choices } = rule
  const byDefault = rule.default
  const change = (value: string): void => onChange({ ...values, [name]: value })
  const common = {
    label: name,
    description: withCode(summary),
    error: faultOf(error, `settings/${name}`),
    value: values[name] ?? '',
  }
  return choices === null ? (
    <>
      <TextInput
        {...common}
        required={isRequired}
        placeholder={byDefault === '' ? 'none' : byDefault}
        autoComplete="off"
        onChange={(event) => change(event.currentTarget.value)}
      />
      {name === kind.portSetting ? (
        <FoundPortsList
          chosen={common.value}
          onChoose={(path, node) =>
            onChange({
              ...values,
              [name]: path,
              ...(kind.nodeSetting && node && { [kind.nodeSetting]: node }),
            })
          }
        />
      ) : null}
    </>
  ) : (
    <Choice
      {...common}
      data={choices.map((choice) => ({
        value: choice,
        label: choice === byDefault ? `${choice} (default)` : choice,
      }))}
      value={common.value === '' ? byDefault : common.value}
      onChange={(value) => change(value === byDefault ? '' : value)}
    />
  )
}
