import type { TrafficAnswer } from '../../../src/api/console/messages/overview-calls.ts'
import { DataTable } from '../ui/data-table.tsx'
import { formatNumber } from '../ui/format.ts'
import { barTime } from './bar-times.ts'
import { barStates } from './states.ts'

/** Table with a row for each bar, newest first. */
export function TrafficRows({ of }: { of: TrafficAnswer }) {
  return (
    <DataTable minWidth={760} caption="Messages by time of acceptance and status, newest first">
      <thead>
        <tr>
          <th>Accepted</th>
          <th data-end>Total</th>
          {barStates.map(({ state, name }) => (
            <th key={state} data-end>
              {name}
            </th>
          ))}
          <th data-end>A week earlier</th>
        </tr>
      </thead>
      <tbody>
        {of.bars
          .map((bar, i) => (
            <tr key={bar.atMs}>
              <td>{barTime(bar.atMs, of.barMs)}</td>
              <td data-end>{formatNumber(bar.accepted)}</td>
              {barStates.map(({ state }) => (
                <td key={state} data-end>
                  {formatNumber(bar[state])}
                </td>
              ))}
              <td data-end>{formatNumber(of.usual[i] ?? 0)}</td>
            </tr>
          ))
          .toReversed()}
      </tbody>
    </DataTable>
  )
}
