import { Center, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Renders the frame of pages outside of the console, such as sign-in. */
export function OutsidePage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Stack>
          <Title order={1}>{title}</Title>
          {children}
        </Stack>
      </Paper>
    </Center>
  )
}
