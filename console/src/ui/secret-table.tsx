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

/** Keys or tokens: what they are called, by what they are told apart, what they may do, their use and state, and for those in use what ends them. */
export function SecretTable<S extends Secret>(props: {
  of: readonly S[]
  what: 'Key' | 'Token'
  caption: string
  name: (of: S) => ReactNode
  may: (of: S) => ReactNode
  end: (of: S) => ReactNode
}) {
  const { of: secrets, what, caption, name, may, end } = props
  return (
    <DataTable minWidth={640} caption={caption}>
      <thead>
        <tr>
          <th>Name</th>
          <th>{what}</th>
          <th>May</th>
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
            <td>{may(of)}</td>
            <td>{of.lastUsedAt === null ? 'never' : <TimeAgo at={of.lastUsedAt} />}</td>
            <td>
              <State of={of} />
            </td>
            <td>{of.state === 'active' ? end(of) : null}</td>
          </tr>
        ))}
      </tbody>
    </DataTable>
  )
}

/** Whether it may be used, and until when. */
const State = ({ of }: { of: Secret }) => (
  <>
    <Badge variant="light" color={colors[of.state]}>
      {of.state}
    </Badge>
    {of.state !== 'active' || of.expiresAt === null ? null : (
      <Text size="xs">
        ends <TimeAgo at={of.expiresAt} />
      </Text>
    )}
  </>
)
