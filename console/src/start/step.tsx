import { Group, Paper, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

/** Renders one step of the checklist, with a tick when it is done. */
export function Step(properties: { number: number; isDone: boolean; title: string; children: ReactNode }) {
  const { number, isDone, title, children } = properties
  return (
    <Paper component="li" withBorder p="md" data-done={isDone}>
      <Group align="flex-start" wrap="nowrap" gap="md">
        <ThemeIcon radius="xl" size={30} color={isDone ? 'teal' : 'gray'} variant="light" aria-hidden>
          {isDone ? <Tick /> : <Text fw={600}>{number}</Text>}
        </ThemeIcon>
        <Stack gap="xs" flex={1} miw={0}>
          <Title order={2}>
            {title}
            <VisuallyHidden>{isDone ? ' (done)' : ' (to do)'}</VisuallyHidden>
          </Title>
          {children}
        </Stack>
      </Group>
    </Paper>
  )
}

const Tick = () => (
  <svg viewBox="0 0 16 16" width={16} height={16} fill="none" stroke="currentColor" strokeWidth={2.2}>
    <path d="M3 8.5 6.5 12 13 4.5" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)
