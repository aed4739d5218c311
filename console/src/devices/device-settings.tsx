import { Button, Group, NumberInput, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { DeviceName, DeviceSenders } from './device-fields.tsx'
import { SettingFields, type Settings } from './setting-fields.tsx'

/** Settings that have controls of their own on the page. */
const elsewhere = [
  'offline',
  'drop_receipts',
  'refuse',
  'delay_ms',
  'sim_1_number',
  'sim_2_number',
  'sim_3_number',
]

/** The rest is behind a fold. */
const usual = [
  'host',
  'port',
  'system_id',
  'bind',
  'window',
  'max_per_second',
  'tls',
  'sim_selection',
  'country',
]

/** Name, senders, pace and the settings of its kind. */
export function DeviceSettings({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  // What has changed since, by other controls or other people, is not to be put back.
  const [before, setBefore] = useState({ ...setUp, name: device.name ?? '' })
  const [name, setName] = useState(before.name)
  const [senders, setSenders] = useState(setUp.senders)
  const [parts, setParts] = useState<number | string>(setUp.pace?.partsPerWindow ?? '')
  const [seconds, setSeconds] = useState<number | string>(setUp.pace?.windowSeconds ?? '')
  const [settings, setSettings] = useState<Settings>(setUp.settings)
  const [password, setPassword] = useState('')
  const kinds = useCall('devices/kinds', {})
  const change = useChange('devices/change', ['devices/one', 'devices/list'])
  const rules = kinds.data?.kinds.find(({ kind }) => kind === device.kind)?.settings ?? []
  // A number that was named at a SIM becomes a sender; it is taken over while nobody is changing them here.
  const [known, setKnown] = useState(setUp.senders)
  if (!isSameList(known, setUp.senders)) {
    setKnown(setUp.senders)
    if (isSameList(senders, before.senders)) {
      setSenders(setUp.senders)
      setBefore({ ...before, senders: setUp.senders })
    }
  }
  const pace = paceOf(parts, seconds)
  const changed = {
    ...(name === before.name ? {} : { name }),
    ...(isSameList(senders, before.senders) ? {} : { senders }),
    ...(isSamePace(before.pace, pace) ? {} : { pace }),
    ...(password === '' ? {} : { secrets: { password } }),
  }
  const changedSettings = changedOf(before.settings, settings)
  const isAsSaved = Object.keys({ ...changed, ...changedSettings }).length === 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const onSuccess = (): void => {
      setBefore({ ...before, name, senders, pace, settings: { ...settings } })
      setPassword('')
    }
    change.mutate({ deviceId: device.id, ...changed, settings: changedSettings }, { onSuccess })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={2}>Settings</Title>
        <DeviceName value={name} onChange={setName} />
        <DeviceSenders value={senders} onChange={setSenders} />
        <Group grow align="flex-end">
          <NumberInput label="Pace: parts a window" min={1} value={parts} onChange={setParts} />
          <NumberInput label="Window in seconds" min={1} value={seconds} onChange={setSeconds} />
        </Group>
        {device.kind === 'smpp' ? (
          <PasswordInput
            label="New password"
            description={setUp.hasSecrets ? 'One is stored; leave this empty to keep it.' : 'None is stored.'}
            autoComplete="off"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : null}
        <SettingFields
          rules={rules.filter((rule) => !elsewhere.includes(rule.name))}
          usual={usual}
          values={settings}
          onChange={setSettings}
          error={change.error}
        />
        <CallFault error={change.error} />
        <Group justify="flex-end">
          {change.isSuccess && isAsSaved ? (
            <Text size="sm" role="status">
              Saved; the device follows at once.
            </Text>
          ) : null}
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Both or none; the server says what half a pace lacks. */
const paceOf = (parts: number | string, seconds: number | string) =>
  parts === '' && seconds === '' ? null : { partsPerWindow: Number(parts), windowSeconds: Number(seconds) }

const isSameList = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n')

const isSamePace = (a: DeviceSetUp['pace'], b: DeviceSetUp['pace']): boolean =>
  a?.partsPerWindow === b?.partsPerWindow && a?.windowSeconds === b?.windowSeconds

/** What differs from what is set; an emptied field takes the default again. */
function changedOf(before: Settings, after: Settings): Record<string, string | null> {
  const changed = Object.entries(after).filter(
    ([name, value]) => !elsewhere.includes(name) && value !== (before[name] ?? ''),
  )
  return Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value]))
}
