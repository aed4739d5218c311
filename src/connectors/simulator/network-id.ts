/**
 * What happens to one part in the simulated network. `stop`: delivered, and the handset replies STOP.
 * `dropped`: its receipt is lost.
 */
export type Fate = 'delivered' | 'undelivered' | 'lost' | 'dropped' | 'stop'

/** A part in the simulated network. */
interface PartInNetwork {
  attemptId: string
  /** From 1. */
  part: number
  /** Wall clock at which its receipt is due. */
  dueAt: number
  fate: Fate
}

const letters = {
  delivered: 'd',
  undelivered: 'u',
  lost: 'l',
  dropped: 'n',
  stop: 's',
} as const satisfies Record<Fate, string>
const fates = new Map<string, Fate>(Object.entries(letters).map(([fate, letter]) => [letter, fate as Fate]))

/**
 * The network ID of a part: `sim_<attempt>_<part>_<due, base 36>_<fate>`. The service keeps it while a
 * receipt is expected, and it contains everything for that receipt, so a simulator that was killed recovers
 * from it. Always unique, because attempt IDs are.
 */
export const networkIdOf = ({ attemptId, part, dueAt, fate }: PartInNetwork): string =>
  `sim_${attemptId.startsWith('att_') ? attemptId.slice(4) : attemptId}_${part}_${dueAt.toString(36)}_${letters[fate]}`

const form = /^sim_(.+)_([1-9]\d*)_([0-9a-z]+)_([a-z])$/

/** Parses a network ID; null when no simulator created it. */
export function readNetworkId(networkId: string): PartInNetwork | null {
  const [, suffix = '', part = '', due = '', letter = ''] = form.exec(networkId) ?? []
  const fate = fates.get(letter)
  return fate === undefined
    ? null
    : { attemptId: `att_${suffix}`, part: Number(part), dueAt: parseInt(due, 36), fate }
}
