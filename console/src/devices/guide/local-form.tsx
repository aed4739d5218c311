import { Code, Stack, TextInput } from '@mantine/core'
import { adbLines } from '../../../../src/devices/phones/guide-words.ts'
import { useAccountPlace } from '../../api/place.ts'
import { useChange } from '../../api/use-call.ts'
import { CallForm } from '../../ui/call-form.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { FindPhones } from './find-phones.tsx'
import type { Guide } from './guide.ts'

/** Form with address and login of the Local Server of the app. It stays filled while a try fails. */
export function LocalForm({ guide }: { guide: Guide }) {
  const { accountId, mode } = useAccountPlace()
  const { login, setLogin, note, follow, isShared, facts } = guide
  const connect = useChange('devices/connect-local', ['devices/list'])
  const submit = (): void =>
    connect.mutate(
      { accountId, mode, isShared, ...login },
      {
        onSuccess({ address, login: found, deviceId }) {
          note({ address, login: found })
          if (deviceId !== null) follow({ deviceId })
        },
      },
    )
  return (
    <CallForm call={connect} onSubmit={submit} action="Connect phone">
      {facts.way === 'cable' ? (
        <Stack gap={4}>
          {adbLines.map((line) => (
            <Code key={line} block>
              {line}
            </Code>
          ))}
        </Stack>
      ) : null}
      {facts.way === 'local' ? <FindPhones guide={guide} /> : null}
      <TextInput
        label="Local address"
        description="As the app shows it, such as 192.168.1.20:8080."
        required
        value={login.address}
        onChange={(event) => setLogin({ ...login, address: event.currentTarget.value })}
      />
      <TextInput
        label="Username"
        required
        autoComplete="off"
        value={login.user}
        onChange={(event) => setLogin({ ...login, user: event.currentTarget.value })}
      />
      <PasswordField
        autoComplete="off"
        value={login.password}
        onChange={(password) => setLogin({ ...login, password })}
      />
    </CallForm>
  )
}
