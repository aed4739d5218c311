import type { Ask } from '../at/ask.ts'
import { type AtLine, valueOf, valuesOf } from '../at/at-command.ts'
import type { Memory } from '../setup/storage.ts'

/** The outcome of passing on a stored TPDU: it may be deleted, is needed there still, or cannot be read. */
export type Taken = 'done' | 'kept' | 'undecodable'

export interface SweepDeps {
  ask: Ask
  /** Passes a TPDU on; settles when it is stored, or known to be of no use. Never rejects. */
  take(tpdu: Buffer): Promise<Taken>
  /** Set once the modem has not answered CMGL, as some Huawei never do (gammu 4 and 323): its places are then read one by one. */
  reading?: { isOneByOne: boolean }
}

/** What a memory holds after a sweep. */
export interface Swept {
  /** Places that are still used; null where the modem does not say. */
  used: number | null
  places: number | null
  undecodable: number
}

/** Received and unread, received and read (3GPP TS 27.005, section 3.1); others are the modem's own drafts. */
const received: ReadonlySet<string> = new Set(['0', '1'])
/** From this share of a memory on, what cannot be decoded makes room: full, it would take no message at all. */
const fullShare = 0.9

type Counts = Pick<Swept, 'used' | 'places'>

interface Stored {
  index: number
  tpdu: Buffer
}

/**
 * Passes on all that a memory has received, and then deletes it, one by one and by its index: what comes in between
 * stays. A delete that fails is tried again by the next sweep, which the fingerprint of the SMS keeps from being a
 * second one.
 */
export async function sweep(deps: SweepDeps, memory: Memory | 'SR'): Promise<Swept | null> {
  const { ask, take } = deps
  const counts = await select(ask, memory)
  if (counts === null) return null
  const unreadable: number[] = []
  let removed = 0
  const drop = async (index: number): Promise<void> => {
    if (await remove(ask, index)) removed += 1
  }
  for (const { index, tpdu } of await list(deps, memory, counts)) {
    const taken = await take(tpdu)
    if (taken === 'done') await drop(index)
    else if (taken === 'undecodable') unreadable.push(index)
  }
  const { used, places } = counts
  const [oldest] = unreadable
  if (oldest !== undefined && isNearlyFull(used === null ? null : used - removed, places)) await drop(oldest)
  return { used: used === null ? null : used - removed, places, undecodable: unreadable.length }
}

/** Returns whether a memory has little room left; false where that is unknown. */
export const isNearlyFull = (used: number | null, places: number | null): boolean =>
  used !== null && places !== null && places > 0 && used >= places * fullShare

/** The same for one SMS that was announced by its index; false where it is not there: a sweep finds it. */
export async function fetchOne(
  { ask, take }: SweepDeps,
  memory: Memory | 'SR',
  index: number,
): Promise<boolean> {
  if ((await select(ask, memory)) === null) return false
  const answer = await ask(`AT+CMGR=${index}`, { prefix: '+CMGR:', hasPdus: true })
  const tpdu = answer.lines[0]?.tpdu ?? null
  if (tpdu === null) return false
  if ((await take(tpdu)) === 'done') await remove(ask, index)
  return true
}

/** Chooses the memory to read and delete from; where new ones go stays as it is. Returns what it holds. */
async function select(ask: Ask, memory: Memory | 'SR'): Promise<Counts | null> {
  const answer = await ask(`AT+CPMS="${memory}"`, { prefix: '+CPMS:' })
  if (answer.kind !== 'ok') return null
  const [used, places] = valuesOf(valueOf(answer, '+CPMS:') ?? '').map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : null)) // prettier-ignore
  return { used: used ?? null, places: places ?? null }
}

/** An empty memory may be answered by an error (CMS 321), which is no fault. */
async function list({ ask, reading }: SweepDeps, memory: Memory | 'SR', counts: Counts): Promise<Stored[]> {
  if (reading?.isOneByOne === true) return listOneByOne(ask, counts)
  const { kind, lines } = await ask('AT+CMGL=4', { prefix: '+CMGL:', hasPdus: true })
  if (kind === 'timeout' && reading !== undefined) {
    reading.isOneByOne = true
    // The modem may have lost the choice of the memory along with the command.
    const again = await select(ask, memory)
    return again === null ? [] : listOneByOne(ask, again)
  }
  return lines.flatMap(storedIn).toSorted((a, b) => a.index - b.index)
}

/** Reads every place until as many as are used were found. Modems count from 0 or from 1. */
async function listOneByOne(ask: Ask, { used, places }: Counts): Promise<Stored[]> {
  const found: Stored[] = []
  let left = used ?? 0
  for (let index = 0; index <= (places ?? 0) && left > 0; index++) {
    const { kind, lines } = await ask(`AT+CMGR=${index}`, { prefix: '+CMGR:', hasPdus: true })
    if (kind === 'timeout' || kind === 'closed') break
    const [line] = lines
    if (line === undefined || line.tpdu === null) continue
    left -= 1
    const [status = ''] = valuesOf(line.text.slice('+CMGR:'.length))
    if (received.has(status)) found.push({ index, tpdu: line.tpdu })
  }
  return found
}

function storedIn({ text, tpdu }: AtLine): Stored[] {
  const [index = '', status = ''] = valuesOf(text.slice('+CMGL:'.length))
  return tpdu !== null && /^\d{1,5}$/.test(index) && received.has(status)
    ? [{ index: Number(index), tpdu }]
    : []
}

const remove = async (ask: Ask, index: number): Promise<boolean> =>
  (await ask(`AT+CMGD=${index}`)).kind === 'ok'
