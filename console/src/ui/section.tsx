import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Renders a framed section of a page with its title; `id` is the anchor of links to it. */
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
