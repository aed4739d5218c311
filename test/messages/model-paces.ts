import type { ModelMessage } from './model-message.ts'

/** So many messages of an account may go now, those whose encoding was chosen or the others, of no more parts than that in all. */
export interface ClaimWish {
  account: string
  quota: number
  isForced: boolean
  /** Of the route that only own devices carry. */
  isOwn: boolean
  maxParts?: number
}

/** How many parts a SIM may send now. */
export interface SimRoom {
  sim: number
  parts: number
}

/** What each wish gets, one after another: SIMs are the same for all of them. */
export function goingNow(
  messagesOf: (account: string) => readonly ModelMessage[],
  wishes: readonly ClaimWish[],
  { sims, nowMs }: { sims: readonly SimRoom[] | null; nowMs: number },
): { id: string; sim: number | null }[] {
  const rooms = sims?.map((each) => ({ ...each })) ?? null
  return wishes.flatMap(({ account, quota, isForced, isOwn, maxParts = Infinity }) => {
    const waiting = messagesOf(account)
      .filter((message) => message.status === 'queued' && message.isForced === isForced)
      .filter(({ purse }) => (purse === 'own') === isOwn)
      .filter(({ heldBack, dueAt, expiresAt }) => !heldBack && dueAt <= nowMs && expiresAt > nowMs)
      .toSorted((a, b) => a.priority - b.priority || a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
    return withinPace(waiting.slice(0, quota), maxParts, rooms)
  })
}

/**
 * What of the messages that wait, in their order, goes now. The first goes however long it is, if there is any room at all: it would wait for ever
 * otherwise. Then whatever fits, until one does not: nothing passes it by. Each goes over the SIM that has most room left; `sims` shrinks by it.
 */
function withinPace(
  waiting: readonly ModelMessage[],
  maxParts: number,
  sims: SimRoom[] | null,
): { id: string; sim: number | null }[] {
  const going: { id: string; sim: number | null }[] = []
  let left = maxParts
  for (const { id, parts } of waiting) {
    const isFirst = going.length === 0
    const best = sims?.toSorted((a, b) => b.parts - a.parts)[0]
    const fits = isFirst || parts <= left
    const hasRoom = best === undefined || (isFirst ? best.parts > 0 : parts <= best.parts)
    if (!fits || !hasRoom) break
    going.push({ id, sim: best?.sim ?? null })
    left -= parts
    if (best !== undefined) best.parts -= parts
  }
  return going
}
