import { median, msOf, perSecondOf, usOf } from '../figure.ts'
import { renderLines } from '../table.ts'
import { isMissing, type MissingPeer, type Peer } from './peer.ts'
import type { Seen } from './visit.ts'

/** What the starts of a peer showed, one after another. */
type SeenOfPeer = ReadonlyMap<Peer | MissingPeer, readonly Seen[]>

/** A row with the medians of all rounds. */
export interface PeerRow {
  row: string
  /** By the name of the peer; null where it was not measured. */
  medians: Record<string, number | null>
  rounds: Record<string, number[]>
  /** The first peer's median as a multiple of another's. */
  ratios: Record<string, number | null>
}

/** The rows that the first peer has; it is compared with each other one. */
export function rowsOf(seen: SeenOfPeer): PeerRow[] {
  const peers = [...seen]
  const [first, ...others] = peers
  if (first === undefined) return []
  const own = first[1]
  const names = [...new Set(own.flatMap(Object.keys))]
  return names.map((row) => {
    const valuesOf = (all: readonly Seen[]): number[] => all.flatMap((one) => one[row] ?? [])
    const medianOf = (all: readonly Seen[]): number | null => (valuesOf(all).length === 0 ? null : median(valuesOf(all))) // prettier-ignore
    const ours = medianOf(own)
    const ratioTo = (all: readonly Seen[]): number | null => {
      const theirs = medianOf(all)
      return ours === null || theirs === null ? null : ours / theirs
    }
    return {
      row,
      medians: Object.fromEntries(peers.map(([{ name }, all]) => [name, medianOf(all)])),
      rounds: Object.fromEntries(peers.map(([{ name }, all]) => [name, valuesOf(all)])),
      ratios: Object.fromEntries(others.map(([{ name }, all]) => [name, ratioTo(all)])),
    }
  })
}

function cell(row: string, peer: Peer | MissingPeer, value: number | null): string {
  if (value === null) return isMissing(peer) ? 'not here' : '–'
  if (row.includes('processor time')) return usOf(value)
  if (row.includes('memory')) return `${Math.round(value)} MB`
  if (row.includes('ready') || row.endsWith('p50'))
    return value < 100 ? msOf(value) : `${Math.round(value)} ms`
  return perSecondOf(value)
}

/** The table in Markdown: each peer's medians, then the first one's as multiples of the others'. */
export function renderRows(rows: readonly PeerRow[], peers: readonly (Peer | MissingPeer)[]): string {
  const [first, ...others] = peers
  const ratio = (value: number | null | undefined): string => (value === null || value === undefined ? '' : `${value.toFixed(2)} ×`) // prettier-ignore
  return renderLines(
    ['median', ...peers.map(({ name }) => name), ...others.map(({ name }) => `${first?.name} : ${name}`)],
    rows.map(({ row, medians, ratios }) => [
      row,
      ...peers.map((peer) => cell(row, peer, medians[peer.name] ?? null)),
      ...others.map(({ name }) => ratio(ratios[name])),
    ]),
  )
}
