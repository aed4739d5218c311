import { Button, Group, MultiSelect, Select, SimpleGrid, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { HistoryNames } from '../../../src/api/console/messages/history-names.ts'
import { messageStates } from '../ui/message-states.ts'
import { errorCodes } from './error-codes.ts'
import { type HistorySearch, readSearch } from './history-filter.ts'

/** Fields for all filters. */
export function FilterFields({
  search,
  names,
  onChange,
}: {
  search: HistorySearch
  names: HistoryNames | undefined
  onChange: (search: HistorySearch) => void
}) {
  const [draft, setDraft] = useState<Record<string, string>>({ ...search })
  const set =
    (name: keyof HistorySearch) =>
    (value: string | null): void =>
      setDraft((before) => ({ ...before, [name]: value ?? '' }))
  const field = (name: keyof HistorySearch) => ({
    size: 'sm',
    value: draft[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => set(name)(event.currentTarget.value),
  })
  const choice = (name: keyof HistorySearch, data: { value: string; label: string }[]) => ({
    size: 'sm',
    value: draft[name] === '' ? null : (draft[name] ?? null),
    onChange: set(name),
    clearable: true,
    searchable: true,
    placeholder: 'Any',
    data,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const given = Object.entries(draft).filter(([, value]) => value !== '')
    onChange(readSearch(Object.fromEntries(given.map(([name, value]) => [name, cleaned(name, value)]))))
  }
  return (
    <form onSubmit={submit} aria-label="Filters">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        <MultiSelect
          size="sm"
          label="Status"
          placeholder={(draft['state'] ?? '') === '' ? 'Any' : ''}
          data={Object.keys(messageStates)}
          value={(draft['state'] ?? '').split(',').filter((state) => state !== '')}
          onChange={(states) => set('state')(states.join(','))}
        />
        <Select label="Direction" {...choice('direction', directions)} searchable={false} />
        <TextInput label="Number" placeholder="+4915112345678" inputMode="tel" {...field('number')} />
        <TextInput label="Text contains" maxLength={200} {...field('text')} />
        <Select label="Device" {...choice('device', devicesOf(names))} />
        <Select label="Sent by" {...choice('by', sendersOf(names))} />
        <TextInput label="Reference" maxLength={100} {...field('reference')} />
        <Select label="Error" {...choice('error', errorCodes)} />
        <TextInput label="From" type="datetime-local" {...dateField(draft, set, 'from')} />
        <TextInput label="Before" type="datetime-local" {...dateField(draft, set, 'to')} />
      </SimpleGrid>
      <Group mt="sm">
        <Button type="submit" size="sm">
          Apply
        </Button>
      </Group>
    </form>
  )
}

const directions = [
  { value: 'outbound', label: 'Sent by you' },
  { value: 'inbound', label: 'Received' },
]

const devicesOf = (names: HistoryNames | undefined) =>
  (names?.devices ?? []).map(({ id, name, isRetired }) => ({
    value: id,
    label: isRetired ? `${name} (removed)` : name,
  }))

const sendersOf = (names: HistoryNames | undefined) =>
  (names?.senders ?? []).map(({ id, name, isRevoked }) => ({
    value: id,
    label: isRevoked ? `${name} (revoked)` : name,
  }))

/** Removes spaces and punctuation from numbers: stored numbers have none. */
const cleaned = (name: string, value: string): string =>
  name === 'number' && /^[+\d\s()./-]+$/.test(value) ? value.replaceAll(/[\s()./-]/g, '') : value.trim()

/** Returns the properties of a date field: the URL has an instant, the field shows it in the browser's zone. */
const dateField = (
  draft: Record<string, string>,
  set: (name: 'from' | 'to') => (value: string | null) => void,
  name: 'from' | 'to',
) => ({
  size: 'sm',
  value: localOf(draft[name] ?? ''),
  onChange: (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget
    set(name)(value === '' ? null : new Date(value).toISOString())
  },
})

function localOf(instant: string): string {
  const atMs = Date.parse(instant)
  if (Number.isNaN(atMs)) return ''
  const shiftedMs = atMs - new Date(atMs).getTimezoneOffset() * 60_000
  return new Date(shiftedMs).toISOString().slice(0, 16)
}
