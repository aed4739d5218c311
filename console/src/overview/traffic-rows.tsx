import { Table } from '@mantine/core'
import type { TrafficAnswer } from '../../../src/api/console/overview-calls.ts'
import { formatNumber } from '../ui/format.ts'
import { barTime } from './bar-times.ts'
import { barStates } from './states.ts'

/** A line for each bar, newest first. */
export function TrafficRows({ of }: { of: TrafficAnswer }) {
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing={4} captionSide="top" style={{ fontVariantNumeric: 'tabular-nums' }}>
        <Table.Caption ta="left">
          Messages by when they were accepted and what became of them, newest first.
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Accepted</Table.Th>
            <Table.Th ta="right">All</Table.Th>
            {barStates.map(({ state, name }) => (
              <Table.Th key={state} ta="right">
                {name}
              </Table.Th>
            ))}
            <Table.Th ta="right">A week before</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.bars
            .map((bar, i) => (
              <Table.Tr key={bar.atMs}>
                <Table.Td>{barTime(bar.atMs, of.barMs)}</Table.Td>
                <Table.Td ta="right">{formatNumber(bar.accepted)}</Table.Td>
                {barStates.map(({ state }) => (
                  <Table.Td key={state} ta="right">
                    {formatNumber(bar[state])}
                  </Table.Td>
                ))}
                <Table.Td ta="right">{formatNumber(of.usual[i] ?? 0)}</Table.Td>
              </Table.Tr>
            ))
            .toReversed()}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
