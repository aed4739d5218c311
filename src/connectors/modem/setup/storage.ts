import type { Ask } from '../at/ask.ts'
import { type AtAnswer, valueOf, valuesOf } from '../at/at-command.ts'

/** A memory of messages: of the SIM, of the modem, or both in one. */
export type Memory = 'SM' | 'ME' | 'MT'

/** Where a modem keeps what it receives. */
export interface Storage {
  /** The memory that received messages go to; null where the modem lets none be chosen, and perhaps has none. */
  memory: Memory | null
  /** Every memory that may hold messages: another than the chosen one may be named, or filled before. */
  swept: readonly Memory[]
  /** Whether reports are stored in a memory of their own. */
  hasReports: boolean
  /** The modem says that it has no memory at all (Nokia N79): it receives nothing that can be read. */
  isNone: boolean
  /** How many names CPMS takes. */
  names: number
}

/** A memory of the modem with more places than a SIM is the better one. */
const placesOfSim = 50
const swept = ['SM', 'ME'] as const

/** Chooses where received messages are stored (3GPP TS 27.005, section 3.2.3). */
export async function chooseStorage(ask: Ask, wanted: Memory | 'auto'): Promise<Storage> {
  const told = await ask('AT+CPMS=?', { prefix: '+CPMS:' })
  const groups = groupsIn(told)
  const [readable = []] = groups
  // A modem that does not say what it has may have both.
  const has = (memory: string): boolean => readable.length === 0 || readable.includes(memory)
  // Some can be read from, and not be received into: ME of a Cinterion MC75i (gammu 1207).
  const receives = (memory: string): boolean => has(memory) && (groups[2]?.includes(memory) ?? true)
  const base = {
    swept: swept.filter(has),
    hasReports: readable.includes('SR'),
    isNone: groups.length === 0 && /^[(), ]*\(\)[(), ]*$/.test(valueOf(told, '+CPMS:') ?? ''),
    names: Math.max(1, groups.length),
  }
  const order: readonly Memory[] = wanted === 'auto' ? ['ME', 'SM', 'ME'] : [wanted]
  for (const [tries, memory] of order.filter(wanted === 'auto' ? receives : has).entries()) {
    const chosen = await chooseMemory(ask, memory, base.names)
    const isSmall =
      wanted === 'auto' && tries === 0 && memory === 'ME' && (chosen?.places ?? 0) <= placesOfSim
    if (chosen !== null && !isSmall) return { ...base, memory, names: chosen.names }
  }
  return { ...base, memory: null }
}

/** Names a memory for all of its purposes, as many as the modem takes; null when it takes none. */
async function chooseMemory(
  ask: Ask,
  memory: Memory | 'SR',
  most: number,
): Promise<{ names: number; used: number | null; places: number | null } | null> {
  for (let names = most; names > 0; names--) {
    const list = Array.from({ length: names }, () => `"${memory}"`).join(',')
    const answer = await ask(`AT+CPMS=${list}`, { prefix: '+CPMS:' })
    if (answer.kind === 'ok') {
      const [used = '', places = ''] = valuesOf(valueOf(answer, '+CPMS:') ?? '')
      return { names, used: numberIn(used), places: numberIn(places) }
    }
    if (answer.kind !== 'error') return null
  }
  return null
}

const numberIn = (text: string): number | null => (/^\d{1,5}$/.test(text) ? Number(text) : null)

/** The names in each group: `("ME","SM"),("ME")`, nested as `(("SM","BM","SR"),("SM"))` on Wavecom, or empty ones. */
function groupsIn(answer: AtAnswer): string[][] {
  const value = valueOf(answer, '+CPMS:') ?? ''
  const text = /^\(\(.*\)\)$/.test(value) ? value.slice(1, -1) : value
  return valuesOf(text)
    .map((group) => group.match(/[A-Z]{2}/g) ?? [])
    .filter((names) => names.length > 0)
}
