import { Checkbox, PasswordInput, Skeleton } from '@mantine/core'
import { useState } from 'react'
import { useCall, useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { DeviceName, DeviceSenders } from './device-fields.tsx'
import { SettingFields, type Settings } from './setting-fields.tsx'

/** What most people set; the rest is behind a fold. */
const usual = [
  'host',
  'port',
  'system_id',
  'bind',
  'window',
  'tls',
  'offline',
  'delay_ms',
  'refuse',
  'drop_receipts',
]

/** The form for a link or a simulator. Its settings are those that the kind has, checked by the server. */
export function AddDevice(properties: {
  kind: 'smpp' | 'simulator'
  isOperator: boolean
  onClose: () => void
}) {
  const { kind, isOperator, onClose } = properties
  const kinds = useCall('devices/kinds', {})
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [senders, setSenders] = useState<string[]>([])
  const [settings, setSettings] = useState<Settings>({})
  const [password, setPassword] = useState('')
  const add = useChange('devices/add', ['devices/list'])
  const rules = kinds.data?.kinds.find((found) => found.kind === kind)?.settings
  if (rules === undefined) return <Skeleton height={200} aria-label="Loading" />
  const submit = (): void => {
    const given = Object.entries(settings).filter(([, value]) => value !== '')
    add.mutate(
      {
        kind,
        name,
        isShared,
        senders,
        settings: Object.fromEntries(given),
        secrets: password === '' ? {} : { password },
        pace: null,
      },
      { onSuccess: onClose },
    )
  }
  return (
    <CallForm call={add} onSubmit={submit} onCancel={onClose} action="Add it">
      <DeviceName data-autofocus value={name} onChange={setName} />
      {isOperator ? (
        <Checkbox
          label="Shared: every account may send by it"
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      ) : null}
      <SettingFields rules={rules} usual={usual} values={settings} onChange={setSettings} error={add.error} />
      {kind === 'smpp' ? (
        <PasswordInput
          label="Password"
          description="Stored encrypted, and never shown again. SMPP 3.4 allows 8 characters."
          required
          autoComplete="off"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      ) : null}
      <DeviceSenders value={senders} onChange={setSenders} />
    </CallForm>
  )
}
