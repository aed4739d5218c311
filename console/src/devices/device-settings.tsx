import { Button, Group, NumberInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ConsoleDevice, DeviceSetUp } from '../../../src/api/console/devices/device-view.ts'
import { useCall, useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { askedFor } from './chosen-form.ts'
import { DeviceName, DeviceSenders } from './device-fields.tsx'
import { givenSecrets, SecretFields } from './secret-fields.tsx'
import { SettingFields, type Settings } from './setting-fields.tsx'

/** Form for name, senders, rate limit and the settings of the kind. */
export function DeviceSettings({ device, setUp }: { device: ConsoleDevice; setUp: DeviceSetUp }) {
  // Only changed fields are sent: later changes by other controls or users must not be reverted.
  const [before, setBefore] = useState({ ...setUp, name: device.name ?? '' })
  const [name, setName] = useState(before.name)
  const [senders, setSenders] = useState(setUp.senders)
  const [parts, setParts] = useState<number | string>(setUp.pace?.partsPerWindow ?? '')
  const [seconds, setSeconds] = useState<number | string>(setUp.pace?.windowSeconds ?? '')
  const [settings, setSettings] = useState<Settings>(setUp.settings)
  const [secrets, setSecrets] = useState<Settings>({})
  const kinds = useCall('devices/kinds', {})
  const change = useChange('devices/change', ['devices/one', 'devices/list'])
  const kind = kinds.data?.kinds.find((each) => each.kind === device.kind)
  const asked = kind === undefined ? null : askedFor(kind, setUp.settings)
  const elsewhere = kind?.controlledSettings ?? []
  // The number of a SIM becomes a sender. It is copied here unless the senders are being edited.
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
    ...(Object.keys(givenSecrets(secrets)).length === 0 ? {} : { secrets: givenSecrets(secrets) }),
  }
  const changedSettings = changedOf(before.settings, settings, elsewhere)
  const isAsSaved = Object.keys({ ...changed, ...changedSettings }).length === 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const onSuccess = (): void => {
      setBefore({ ...before, name, senders, pace, settings: { ...settings } })
      setSecrets({})
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
          <NumberInput label="Rate limit (parts per window)" min={1} value={parts} onChange={setParts} />
          <NumberInput label="Window (seconds)" min={1} value={seconds} onChange={setSeconds} />
        </Group>
        <SecretFields kind={asked ?? {}} values={secrets} onChange={setSecrets} stored={setUp.hasSecrets} />
        <SettingFields
          rules={(asked?.settings ?? []).filter((rule) => !elsewhere.includes(rule.name))}
          usual={asked?.usualSettings ?? []}
          values={settings}
          onChange={setSettings}
          error={change.error}
          kind={kind}
        />
        <CallFault error={change.error} />
        <Group justify="flex-end">
          {change.isSuccess && isAsSaved ? (
            <Text size="sm" role="status">
              Saved. The device applies it immediately.
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

/** Returns the rate limit; the server reports a missing half. */
const paceOf = (parts: number | string, seconds: number | string) =>
  parts === '' && seconds === '' ? null : { partsPerWindow: Number(parts), windowSeconds: Number(seconds) }

const isSameList = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n')

const isSamePace = (a: DeviceSetUp['pace'], b: DeviceSetUp['pace']): boolean =>
  a?.partsPerWindow === b?.partsPerWindow && a?.windowSeconds === b?.windowSeconds

/** Returns the settings that were changed; an emptied field resets to its default. */
function changedOf(
  before: Settings,
  after: Settings,
  elsewhere: readonly string[],
): Record<string, string | null> {
  const changed = Object.entries(after).filter(
    ([name, value]) => !elsewhere.includes(name) && value !== (before[name] ?? ''),
  )
  return Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value]))
}
