import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { HistoryNames } from '../../../src/api/console/messages/history-names.ts'
import { useAccountPlace } from '../api/place.ts'
import { formatExact } from '../ui/format.ts'
import { type HistorySearch, quickFilters, searchFor } from './history-filter.ts'
import { Later } from '../ui/later.tsx'

/** Loaded on demand: its selects are 30 KB (compressed). */
const FilterFields = lazyPart(async () => (await import('./filter-fields.tsx')).FilterFields)

/** Filters of History: quick filters, a search field, more fields on demand, and buttons to remove active filters. */
export function FilterBar({
  search,
  names,
  onChange,
}: {
  search: HistorySearch
  names: HistoryNames | undefined
  onChange: (search: HistorySearch) => void
}) {
  const [isOpen, { toggle }] = useDisclosure()
  return (
    <Stack gap="sm">
      <Group gap="sm" align="center">
        <SearchField search={search} onChange={onChange} />
        <Button size="sm" variant="default" aria-expanded={isOpen} aria-controls="filters" onClick={toggle}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
      </Group>
      <QuickFilters search={search} onChange={onChange} />
      <div id="filters" hidden={!isOpen}>
        {isOpen ? (
          <Later height={200}>
            <FilterFields key={JSON.stringify(search)} search={search} names={names} onChange={onChange} />
          </Later>
        ) : null}
      </div>
      <SetFilters search={search} names={names} onChange={onChange} />
    </Stack>
  )
}

function SearchField({ search, onChange }: Pick<Parameters<typeof FilterBar>[0], 'search' | 'onChange'>) {
  const place = useAccountPlace()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const found = searchFor(typed)
    setTyped('')
    if ('messageId' in found)
      void navigate({ to: '/a/$accountId/$mode/history/$messageId', params: { ...place, ...found } })
    else onChange({ ...search, ...found })
  }
  return (
    <form onSubmit={submit} role="search" style={{ flex: '1 1 16rem', maxWidth: '32rem' }}>
      <TextInput
        size="sm"
        type="search"
        aria-label="Search by number, text or ID"
        placeholder="Number, text or ID"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        rightSectionWidth={64}
        rightSection={
          <Button type="submit" size="compact-sm" variant="subtle">
            Search
          </Button>
        }
      />
    </form>
  )
}

function QuickFilters({ search, onChange }: Pick<Parameters<typeof FilterBar>[0], 'search' | 'onChange'>) {
  const { state: _state, direction: _direction, ...others } = search
  return (
    <Group gap={6} role="group" aria-label="Quick filters">
      {quickFilters.map(({ label, search: quick }) => {
        const isSet = quick.state === search.state && quick.direction === search.direction
        return (
          <Button
            key={label}
            size="compact-sm"
            radius="xl"
            variant={isSet ? 'filled' : 'default'}
            aria-pressed={isSet}
            onClick={() => onChange({ ...others, ...quick })}
          >
            {label}
          </Button>
        )
      })}
    </Group>
  )
}

/** Lists the active filters, each as a button that removes it. */
function SetFilters({ search, names, onChange }: Parameters<typeof FilterBar>[0]) {
  const set = Object.entries(search) as [keyof HistorySearch, string][]
  const isQuick = quickFilters.some(
    ({ search: quick }) => quick.state === search.state && quick.direction === search.direction,
  )
  const shown = set.filter(([name]) => !(isQuick && (name === 'state' || name === 'direction')))
  if (shown.length === 0) return null
  return (
    <Group gap={6}>
      {shown.map(([name, value]) => {
        const { [name]: _removed, ...left } = search
        return (
          <Button
            key={name}
            size="compact-sm"
            radius="xl"
            variant="light"
            color="gray"
            rightSection="×"
            aria-label={`Remove filter: ${describe[name](value, names)}`}
            onClick={() => onChange(left)}
          >
            {describe[name](value, names)}
          </Button>
        )
      })}
      <Button size="compact-sm" variant="subtle" onClick={() => onChange({})}>
        Clear all
      </Button>
    </Group>
  )
}

const describe: Record<keyof HistorySearch, (value: string, names: HistoryNames | undefined) => string> = {
  state: (value) => value.replaceAll(',', ', '),
  direction: (value) => (value === 'inbound' ? 'received' : 'sent by you'),
  device: (value, names) => `device ${names?.devices.find(({ id }) => id === value)?.name ?? value}`,
  by: (value, names) => `sent by ${names?.senders.find(({ id }) => id === value)?.name ?? value}`,
  number: (value) => `number ${value}`,
  text: (value) => `text “${value}”`,
  reference: (value) => `reference ${value}`,
  error: (value) => `error ${value}`,
  send: (value) => `send ${value}`,
  from: (value) => `from ${formatExact(Date.parse(value))}`,
  to: (value) => `before ${formatExact(Date.parse(value))}`,
}
