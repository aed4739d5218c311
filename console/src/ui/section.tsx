import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** One part of a page, in a frame with its name; `id` is what an address leads to it by. */
export function Section({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title} id={id}>
      <Stack>
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  )
}
