import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Renders a number with its name; the tooltip explains what it measures. */
export function StatTile({
  name,
  value,
  more,
  measures,
  tone,
}: {
  name: string
  value: ReactNode
  /** Second line, for example the components of the number. */
  more?: ReactNode
  measures: string
  tone?: 'warning'
}) {
  return (
    <Paper withBorder p="sm" title={measures}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text
        fw={650}
        lh={1.3}
        fz="clamp(1.15rem, 4.5vw, 1.5rem)"
        style={{ fontVariantNumeric: 'tabular-nums' }}
        {...(tone === 'warning' ? { c: 'var(--mantine-color-error)' } : {})}
      >
        {value}
      </Text>
      <Text size="xs" c="dimmed" mih="1.2em">
        {more}
      </Text>
    </Paper>
  )
}
