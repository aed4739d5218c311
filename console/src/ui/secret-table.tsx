import { Badge, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DataTable } from './data-table.tsx'
import { TimeAgo } from './time-ago.tsx'

const colors = { active: 'teal', expired: 'gray', revoked: 'gray' } as const

interface Secret {
  id: string
  lastFour: string
  lastUsedAt: number | null
  state: keyof typeof colors
  expiresAt: number | null
}

/** Table of keys or tokens: name, last four characters, permissions, last use, state, and actions for active ones. */
export function SecretTable<S extends Secret>(props: {
  of: readonly S[]
  what: 'Key' | 'Token'
  caption: string
  name: (of: S) => ReactNode
  permissions: (of: S) => ReactNode
  actions: (of: S) => ReactNode
}) {
  const { of: secrets, what, caption, name, permissions, actions } = props
  return (
    <DataTable minWidth={640} caption={caption}>
      <thead>
        <tr>
          <th>Name</th>
          <th>{what}</th>
          <th>Permissions</th>
          <th>Last used</th>
          <th>State</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {secrets.map((of) => (
          <tr key={of.id}>
            <td>{name(of)}</td>
            <td style={{ fontFamily: 'var(--mantine-font-family-monospace)' }}>…{of.lastFour}</td>
            <td>{permissions(of)}</td>
            <td>{of.lastUsedAt === null ? 'never' : <TimeAgo at={of.lastUsedAt} />}</td>
            <td>
              <State of={of} />
            </td>
            <td>{of.state === 'active' ? actions(of) : null}</td>
          </tr>
        ))}
      </tbody>
    </DataTable>
  )
}

/** Shows the state, and when an active key or token expires. */
const State = ({ of }: { of: Secret }) => (
  <>
    <Badge variant="light" color={colors[of.state]}>
      {of.state}
    </Badge>
    {of.state !== 'active' || of.expiresAt === null ? null : (
      <Text size="xs">
        expires <TimeAgo at={of.expiresAt} />
      </Text>
    )}
  </>
)
