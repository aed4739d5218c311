import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import type { DeviceKind } from '../../../src/api/console/devices/device-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { Choice } from '../ui/choice.tsx'
import { askedFor, chosenForm } from './chosen-form.ts'
import { DeviceName, DeviceSenders } from './device-fields.tsx'
import { capitalized } from './device-state.tsx'
import { ProviderRequest } from './provider-request.tsx'
import { givenSecrets, SecretFields } from './secret-fields.tsx'
import { SettingFields, type Settings } from './setting-fields.tsx'

/** Form to add a device, with the settings and secrets of its kind. The server validates them. */
export function AddDevice(properties: { kind: DeviceKind; isOperator: boolean; onClose: () => void }) {
  const { kind, isOperator, onClose } = properties
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [senders, setSenders] = useState<string[]>([])
  const [settings, setSettings] = useState<Settings>({})
  const [secrets, setSecrets] = useState<Settings>({})
  const add = useChange('devices/add', ['devices/list'])
  const submit = (): void => {
    const given = Object.entries(settings).filter(([, value]) => value !== '')
    add.mutate(
      {
        kind: kind.kind,
        name,
        isShared,
        senders,
        settings: Object.fromEntries(given),
        secrets: givenSecrets(secrets),
        pace: null,
      },
      { onSuccess: onClose },
    )
  }
  const asked = askedFor(kind, settings)
  const isAsked = kind.chosen === null || chosenForm(kind, settings) !== null
  // What another service is asked for means nothing to this one.
  const choose =
    (by: string) =>
    (value: string): void => {
      setSettings({ [by]: value })
      setSecrets({})
    }
  return (
    <CallForm call={add} onSubmit={submit} onCancel={onClose} action="Add device" disabled={!isAsked}>
      <DeviceName data-autofocus value={name} onChange={setName} />
      {isOperator ? (
        <Checkbox
          label="Shared: all accounts can use it"
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      ) : null}
      {kind.chosen === null ? null : (
        <Choice
          label={capitalized(kind.label)}
          required
          value={settings[kind.chosen.by] ?? ''}
          onChange={choose(kind.chosen.by)}
          data={[
            { value: '', label: 'Choose one' },
            ...kind.chosen.forms.map(({ value, title }) => ({ value, label: title })),
          ]}
        />
      )}
      {isAsked ? (
        <>
          <SettingFields
            rules={asked.settings}
            usual={asked.usualSettings}
            values={settings}
            onChange={setSettings}
            error={add.error}
            kind={kind}
          />
          <SecretFields kind={asked} values={secrets} onChange={setSecrets} />
        </>
      ) : null}
      {kind.chosen !== null && isAsked ? <ProviderRequest settings={settings} /> : null}
      <DeviceSenders value={senders} onChange={setSenders} />
    </CallForm>
  )
}
