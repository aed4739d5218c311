import type { Outcome, Submission } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { findAll, findText } from './declaration/pointer.ts'
import { readDocument } from './answers/read-document.ts'
import type { HttpAnswer } from './answers/read-answer.ts'
import type { Exchange, Exchanged } from './exchange.ts'
import { instantOf } from './answers/instant-of.ts'
import type { BuiltRequest } from './request/build-request.ts'
import { fillerOf } from './request/build-request.ts'
import { fillText } from './request/fill-tree.ts'

/** When a submission of unknown outcome is looked up or repeated, from its end on. */
const lookAfterMs: readonly number[] = [3_000, 10_000, 30_000, 60_000]
/** A repeat under a key costs the provider a request each time. */
const maxRepeats = 5
/** A repeat must arrive there while its key is known, and is on its way for less than this. */
const arrivalMs = 5_000
/** A message that was found may have arrived there a little before it left here, or after its request ended, by two clocks. */
const clockSkewMs = 5_000

/** What a look-up shows of a submission. `nothing`: not that it was refused, unless the declaration says so. */
export type Found = { kind: 'accepted'; ids: readonly string[] } | { kind: 'absent' } | { kind: 'nothing' }

/** A submission that is looked up. */
export interface Sought {
  submission: Submission
  /** Wall clock when it began, and when the last request ended that may have submitted it. */
  beganAt: number
  endedAt: number
  /** Its text was erased since: no search can tell it from others. */
  isErased?: boolean
}

/** A submission whose outcome is unknown. */
export interface Doubtful extends Sought {
  /** The same octets, for a repeat under its key. */
  request: BuiltRequest
  /** How long it was from the beginning of its exchange to the end. */
  tookMs: number
}

interface Deps {
  tools: ConnectorTools
  exchange: Exchange
  /** Whether a repeat may still be sent. */
  mayRepeat(): boolean
  /** Returns whether an ID belongs to another submission. */
  isKnownId(id: string): boolean
  /** Reads the answer to a repeat. */
  outcomeOf(exchanged: Exchanged): Outcome
}

/** Waits; settles early when the link stops. */
export type Wait = (ms: number) => Promise<void>

/**
 * Finds the outcome of a submission that is unknown: by repeating the same octets under their key, where the provider
 * keeps keys, or by asking for it. Returns null when nothing could be found within `withinMs`. Nothing is sent that could be
 * a second message; `unknown.endedAt` moves to the end of the last repeat.
 */
export async function resolveUnknown(
  deps: Deps,
  unknown: Doubtful,
  { withinMs, wait, isEnding }: { withinMs: number; wait: Wait; isEnding: () => boolean },
): Promise<Outcome | null> {
  const { idempotency, lookup } = deps.exchange.declaration
  const canAsk = lookup?.by_reference !== undefined || lookup?.search !== undefined
  if (idempotency === undefined && !canAsk) return null
  const { tools, exchange } = deps
  const endedMs = tools.monotonicMs()
  const beganMs = endedMs - unknown.tookMs
  // The key counts from the first request, which the provider may have had at once; what is absent, from the last one.
  let lastEndedMs = endedMs
  const mayRepeat = (): boolean =>
    idempotency !== undefined &&
    tools.monotonicMs() - beganMs + arrivalMs <= idempotency.for_s * 1_000 &&
    deps.mayRepeat()
  let repeats = 0
  for (const atMs of lookAfterMs) {
    if (atMs > withinMs || tools.monotonicMs() - endedMs > withinMs) break
    await wait(Math.max(0, endedMs + atMs - tools.monotonicMs()))
    if (repeats < maxRepeats && mayRepeat()) {
      repeats += 1
      const exchanged = await exchange.send(unknown.request, mayRepeat)
      if (exchanged.kind !== 'not_sent') {
        lastEndedMs = tools.monotonicMs()
        unknown.endedAt = Math.max(unknown.endedAt, tools.now())
      }
      const outcome = deps.outcomeOf(exchanged)
      if (outcome.kind === 'accepted' || outcome.kind === 'partial') return outcome
      // What is refused now was not refused then: only an acceptance shows the outcome of the first request.
    }
    const askedMs = tools.monotonicMs()
    const found = canAsk ? await lookUp(deps, unknown) : { kind: 'nothing' as const }
    if (found.kind === 'accepted') return { kind: 'accepted', networkIds: found.ids, receiptExpected: true }
    if (found.kind === 'absent' && isProof(lookup?.absence, askedMs - lastEndedMs))
      return { kind: 'refused', lasts: 'now', code: 'network_congested', networkCode: null }
    // A link that stops looks once more, and no longer.
    if (isEnding()) break
  }
  return null
}

type Absence = NonNullable<Exchange['declaration']['lookup']>['absence']

/**
 * Indexes lag: that nothing is found proves nothing, unless the provider says after how long it does. `sinceMs` is from the end of
 * the last request that may have submitted the message to the question.
 */
const isProof = (absence: Absence, sinceMs: number): boolean =>
  typeof absence === 'object' && sinceMs >= absence.proves_after_s * 1_000

/** Asks the provider for a submission. */
export async function lookUp(deps: Pick<Deps, 'exchange' | 'isKnownId'>, unknown: Sought): Promise<Found> {
  const { exchange } = deps
  const { by_reference: byReference, search } = exchange.declaration.lookup ?? {}
  const values = exchange.valuesOf(unknown.submission, unknown.beganAt)
  if (byReference !== undefined) {
    const document = documentOf(await exchange.ask(byReference, values))
    if (document === null) return { kind: 'nothing' }
    const items = byReference.items === undefined ? [document] : listAt(document, byReference.items)
    const ids = items.flatMap((item) => findText(item, byReference.id) ?? [])
    return ids.length === 0 ? { kind: 'absent' } : { kind: 'accepted', ids: [...new Set(ids)] }
  }
  if (search === undefined || unknown.isErased === true) return { kind: 'nothing' }
  const document = documentOf(await exchange.ask(search, values))
  if (document === null) return { kind: 'nothing' }
  const filler = fillerOf({ settings: {}, secrets: {} }, values, false)
  const wanted = Object.entries(search.same).map(
    ([place, text]) => [place, String(fillText(filler, text) ?? '')] as const,
  )
  const fitting = listAt(document, search.items).flatMap((item) => {
    const [atMs, id] = [instantOf(findText(item, search.at)), findText(item, search.id)]
    const beginMs = secondOf(unknown.beganAt - clockSkewMs)
    const isNear = atMs !== null && atMs >= beginMs && atMs <= unknown.endedAt + clockSkewMs
    const isSame = wanted.every(([place, text]) => isSameText(findText(item, place) ?? '', text))
    return isNear && isSame && id !== null && !deps.isKnownId(id) ? [{ id, atMs }] : []
  })
  const then = fitting.filter(({ atMs }) => atMs <= unknown.endedAt)
  const [only, ...others] = new Set(then.map(({ id }) => id))
  // What is dated a little later is it, by a clock ahead of ours, or a later message: it proves nothing.
  if (only === undefined) return { kind: fitting.length > 0 ? 'nothing' : 'absent' }
  // Of two that fit, either may be the one.
  return others.length > 0 ? { kind: 'nothing' } : { kind: 'accepted', ids: [only] }
}

/** Providers write times to the second. */
const secondOf = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** Providers normalise line ends, and cut blanks at the end. */
const isSameText = (given: string, wanted: string): boolean => normal(given) === normal(wanted)
const normal = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd()

function documentOf(exchanged: Exchanged): unknown {
  if (exchanged.kind !== 'answered' || !isFine(exchanged.answer)) return null
  const document = readDocument(exchanged.answer.body)
  return typeof document === 'string' ? null : document
}

const isFine = ({ status }: HttpAnswer): boolean => status >= 200 && status <= 299

const listAt = (document: unknown, place: Parameters<typeof findAll>[1]): unknown[] =>
  findAll(document, place).flatMap((found) => (Array.isArray(found) ? (found as unknown[]) : [found]))
