import { Checkbox, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ListedEndpoint } from '../../../src/webhooks/list-endpoints.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { faultOf } from '../ui/call-fault.tsx'
import { Choice } from '../ui/choice.tsx'

const modes = [
  { value: '', label: 'Live and test' },
  { value: 'live', label: 'Live only' },
  { value: 'test', label: 'Test only' },
] as const

const asMode = (text: string): 'live' | 'test' | null => (text === 'live' || text === 'test' ? text : null)

/** Form for the URL, mode and event types of an endpoint: a new one, or `of` to edit. */
export function EndpointForm(properties: {
  eventTypes: readonly string[]
  of?: ListedEndpoint
  onClose: () => void
  onMade?: (secret: string) => void
}) {
  const { eventTypes, of, onClose, onMade } = properties
  const [url, setUrl] = useState(of?.url ?? 'https://')
  const [mode, setMode] = useState<string>(of?.mode ?? '')
  const [everything, setEverything] = useState(of === undefined || of.types.length === 0)
  const [types, setTypes] = useState<string[]>(of?.types ?? [])
  const add = useChange('webhooks/add', ['webhooks/list'])
  const change = useChange('webhooks/change', ['webhooks/list'])
  const call = of === undefined ? add : change
  const submit = (): void => {
    const wanted = { url, mode: asMode(mode), types: everything ? [] : types }
    if (of !== undefined) return change.mutate({ endpointId: of.id, ...wanted }, { onSuccess: onClose })
    return add.mutate(wanted, {
      onSuccess: ({ secret }) => {
        onMade?.(secret)
        onClose()
      },
    })
  }
  return (
    <CallForm
      call={call}
      onSubmit={submit}
      onCancel={onClose}
      action={of === undefined ? 'Add endpoint' : 'Save'}
      disabled={!everything && types.length === 0}
      ownFaults={['url']}
    >
      <TextInput
        label="URL"
        description="An https URL of your server. A 2xx response within 15 s confirms the delivery."
        type="url"
        required
        maxLength={2_000}
        data-autofocus
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={faultOf(call.error, 'url')}
      />
      <Choice label="Mode" data={modes} value={mode} onChange={setMode} />
      <Checkbox
        label="All events, including types added in later versions"
        checked={everything}
        onChange={(event) => setEverything(event.currentTarget.checked)}
      />
      {everything ? null : <EventChoice eventTypes={eventTypes} types={types} onChange={setTypes} />}
    </CallForm>
  )
}

function EventChoice(properties: {
  eventTypes: readonly string[]
  types: string[]
  onChange: (types: string[]) => void
}) {
  const { eventTypes, types, onChange } = properties
  return (
    <Checkbox.Group label="Event types" value={types} onChange={onChange}>
      <Stack mt={6}>
        <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing={6} verticalSpacing={6}>
          {eventTypes
            .filter((type) => type !== 'webhook.test')
            .map((type) => (
              <Checkbox key={type} value={type} label={type} />
            ))}
        </SimpleGrid>
      </Stack>
    </Checkbox.Group>
  )
}
