import { Button, Loader } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import type { TrafficAnswer } from '../../../src/api/console/messages/overview-calls.ts'

const TrafficRows = lazyPart(async () => (await import('./traffic-rows.tsx')).TrafficRows)

/** Shows the numbers of the chart as a table, on demand. */
export function TrafficTable({ of }: { of: TrafficAnswer }) {
  const [opened, { toggle }] = useDisclosure()
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        aria-expanded={opened}
        aria-controls="traffic-table"
        onClick={toggle}
      >
        {opened ? 'Hide table' : 'Show as table'}
      </Button>
      <div id="traffic-table">
        {opened ? (
          <Suspense fallback={<Loader size="sm" aria-label="Loading" />}>
            <TrafficRows of={of} />
          </Suspense>
        ) : null}
      </div>
    </div>
  )
}
