import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** One part of a page, in a frame with its name. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Stack>
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  )
}
