import { Badge, Text } from '@mantine/core'
import { TimeAgo } from './time-ago.tsx'

const colors = { active: 'teal', expired: 'gray', revoked: 'gray' } as const

interface Secret {
  lastFour: string
  lastUsedAt: number | null
  state: keyof typeof colors
  expiresAt: number | null
}

/** Of a key or token in a table: by what it is told apart from others. */
export const LastFourCell = ({ of }: { of: Secret }) => (
  <td style={{ fontFamily: 'var(--mantine-font-family-monospace)' }}>…{of.lastFour}</td>
)

/** When it was last used, and whether it may be used, until when. */
export const UseAndStateCells = ({ of }: { of: Secret }) => (
  <>
    <td>{of.lastUsedAt === null ? 'never' : <TimeAgo at={of.lastUsedAt} />}</td>
    <td>
      <Badge variant="light" color={colors[of.state]}>
        {of.state}
      </Badge>
      {of.state !== 'active' || of.expiresAt === null ? null : (
        <Text size="xs">
          ends <TimeAgo at={of.expiresAt} />
        </Text>
      )}
    </td>
  </>
)
