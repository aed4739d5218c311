import { formatNumber } from './format.ts'
import { StatTile } from './stat-tile.tsx'

interface OwnUse {
  ownUsed: number
  ownReserved: number
  areOwnFree: boolean
}

/** Whether own devices of the account carry messages for nothing, or did. */
export const hasOwnUse = ({ ownUsed, ownReserved, areOwnFree }: OwnUse): boolean =>
  areOwnFree || ownUsed + ownReserved > 0

/** Tile of what own devices carried for nothing, shown next to the balance. */
export function OwnUseTile({ of: { ownUsed, ownReserved } }: { of: OwnUse }) {
  return (
    <StatTile
      name="Own devices"
      value={`${formatNumber(ownUsed)} SMS`}
      more={
        ownReserved === 0 ? 'sent, cost nothing' : `cost nothing, ${formatNumber(ownReserved)} in progress`
      }
      measures="SMS that own devices of the account sent for nothing since the account was created. They are not part of the balance."
    />
  )
}
