import type { Outcome } from '../../connectors/connector.ts'
import type { Claimed } from '../../messages/queue/claim-messages.ts'
import { parseRouteKey, routeKeyOf } from '../../messages/core/route-key.ts'
import type { Settlement } from '../../messages/outcomes/settlement.ts'

/** Back-off after the first and the second refusal that counts; the third one is final. */
export const refusalBackoffsMs = [15_000, 60_000] as const
/** How long a throttled or absent device rests. Other devices lose nothing, and what it released is retried then. */
export const busyBackoffMs = 1_000
/**
 * How many attempts a message has at that interval before they become rarer: each attempt is a stored row. A
 * throttled message keeps its place for this many attempts too. One that is refused every time may itself be
 * the cause, and would precede all others until its validity ends.
 */
const quickAttempts = 10
const maxBusyBackoffMs = 60_000
const backoffOfBusyMs = (attemptNumber: number): number =>
  Math.min(busyBackoffMs * 2 ** Math.max(0, attemptNumber - quickAttempts), maxBusyBackoffMs)
/** Nothing is ever due later than this from now. */
export const longestBackoffMs = Math.max(...refusalBackoffsMs, maxBusyBackoffMs)

type Judgement = Omit<Settlement, keyof Named | 'atMs'>
type Named = Pick<
  Claimed,
  'accountId' | 'mode' | 'messageId' | 'attemptId' | 'attemptNumber' | 'deviceId' | 'position' | 'groupId'
>

const nothing = {
  networkIds: [],
  receiptExpected: false,
  partsTaken: 0,
  end: null,
  error: null,
  requeue: null,
  possibleDuplicate: false,
} as const

/** Returns whether another device can carry the claim on this route, and is fit to. */
export type HasAnother = (claimed: Claimed, routeKey: string) => boolean

/**
 * Returns what the end of an attempt means for its message. A definite "nothing submitted" requeues it, for
 * another device if necessary (P6). An unknown outcome requeues it once, if the caller chose `resend_once`, and
 * is final otherwise. Back-offs count from `dueFromMs`, which differs from the wall clock after the
 * latter stepped back.
 */
export function judgeOutcome(
  claimed: Claimed,
  outcome: Outcome,
  nowMs: number,
  dueFromMs = nowMs,
  another: HasAnother = () => false,
): Settlement {
  const { accountId, mode, messageId, attemptId, attemptNumber, startedAt, deviceId, position, groupId } =
    claimed
  return {
    accountId,
    mode,
    messageId,
    attemptId,
    attemptNumber,
    deviceId,
    ...(groupId !== undefined && { groupId }),
    position,
    atMs: Math.max(nowMs, startedAt),
    ...judge(claimed, outcome, { dueFromMs, another }),
  }
}

/**
 * Returns what a late report on an attempt with unknown outcome means: regardless of the report, nothing is
 * sent again.
 */
export function judgeLate(claimed: Claimed, outcome: Outcome, nowMs: number): Settlement {
  const { requeue, ...settlement } = judgeOutcome(claimed, outcome, nowMs)
  // Where its attempt is open after all, as in a database that was restored, the message ends.
  const { end, error, attemptState } = settlement
  return {
    ...settlement,
    requeue: null,
    ...(requeue !== null &&
      attemptState === 'refused' && {
        end: end ?? 'failed',
        error: error ?? { code: 'device_error', networkCode: null },
      }),
  }
}

interface RequeueTerms {
  dueFromMs: number
  another: HasAnother
}

function judge(claimed: Claimed, outcome: Outcome, { dueFromMs, another }: RequeueTerms): Judgement {
  const again = (delayMs: number, refusals: number) => ({ dueAt: dueFromMs + delayMs, refusals })
  switch (outcome.kind) {
    case 'accepted':
      return {
        ...nothing,
        attemptState: 'accepted',
        outcome: 'accepted',
        networkIds: outcome.networkIds,
        // Without an ID no receipt could match its message.
        receiptExpected: outcome.receiptExpected && outcome.networkIds.length > 0,
        ...(outcome.failuresReported === true && { failuresReported: true }),
        ...(outcome.sentAt !== undefined && { sentAt: outcome.sentAt }),
        partsTaken: claimed.parts,
      }
    case 'unavailable':
      return {
        ...nothing,
        attemptState: 'refused',
        outcome: 'unavailable',
        requeue: inPlace(claimed.position),
      }
    case 'partial':
      return {
        ...nothing,
        attemptState: 'refused',
        end: 'failed',
        outcome: outcome.code,
        networkIds: outcome.networkIds,
        receiptExpected: outcome.receiptExpected,
        ...(outcome.failuresReported === true && { failuresReported: true }),
        partsTaken: takenOf(claimed, outcome),
        error: { code: 'partially_sent', networkCode: outcome.networkCode },
      }
    case 'unknown':
      return judgeUnknown(claimed, outcome, again)
    case 'refused':
      return judgeRefusal(claimed, outcome, { again, another })
  }
}

function judgeUnknown(
  claimed: Claimed,
  outcome: Extract<Outcome, { kind: 'unknown' }>,
  again: (delayMs: number, refusals: number) => Requeue,
): Judgement {
  const resend = claimed.onUnknown === 'resend_once' && !claimed.possibleDuplicate
  const taken = {
    networkIds: outcome.networkIds,
    partsTaken: takenOf(claimed, outcome),
    receiptExpected: outcome.networkIds.length > 0,
  }
  const unknownParts = {
    attemptId: claimed.attemptId,
    ...(outcome.unknownParts ?? restOf(claimed, outcome)),
  }
  const base = {
    ...nothing,
    ...taken,
    unknownParts,
    attemptState: 'unknown',
    outcome: 'unknown',
  } as const
  return resend
    ? {
        ...base,
        requeue: again(0, claimed.position.refusals),
        possibleDuplicate: true,
      }
    : { ...base, error: reasonOf(outcome) }
}

/**
 * Returns the fault of the device in an outcome, null for none. An expired message or an opted-out recipient
 * is no fault of the device.
 */
export function faultOfDevice(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'accepted':
      return null
    case 'refused':
    case 'partial':
      return faultless.has(outcome.code) || ('lasts' in outcome && outcome.lasts === 'expired')
        ? null
        : outcome.code
    case 'unavailable':
    case 'unknown':
      return outcome.detail
  }
}

const faultless: ReadonlySet<string> = new Set(['expired_in_queue', 'recipient_opted_out'])

/** Keeps its place before later messages: the device rests, so nothing is hurried. */
const inPlace = ({ due_at, refusals }: Claimed['position']) => ({ dueAt: due_at, refusals })

/** More parts than the message has cannot have been taken: who took all of them first pays. */
const takenOf = ({ parts }: Claimed, { partsTaken }: { partsTaken: number }): number =>
  Math.min(parts, partsTaken)

/** A device that responded is not called unresponsive. */
const reasonOf = ({ answered }: Extract<Outcome, { kind: 'unknown' }>) =>
  answered === undefined
    ? { code: 'device_unresponsive', networkCode: null }
    : { code: 'device_unclear', networkCode: answered.networkCode }

/**
 * The parts with unknown outcome if the device does not list them: all priced parts minus those it accepted
 * or returned IDs for.
 */
function restOf({ parts }: Claimed, { partsTaken, networkIds }: Extract<Outcome, { kind: 'unknown' }>) {
  const known = Math.max(partsTaken, networkIds.length)
  const rest = Array.from({ length: Math.max(0, parts - known) }, (_, i) => known + i)
  return { parts: rest, wireParts: Math.max(parts, networkIds.length + rest.length) }
}

function judgeRefusal(
  claimed: Claimed,
  outcome: Extract<Outcome, { kind: 'refused' }>,
  { again, another }: { again: (delayMs: number, refusals: number) => Requeue; another: HasAnother },
): Judgement {
  const refused = { ...nothing, attemptState: 'refused', outcome: outcome.code } as const
  const error = { code: outcome.code, networkCode: outcome.networkCode }
  switch (outcome.lasts) {
    case 'good':
      return { ...refused, end: 'failed', error }
    case 'expired':
      return { ...refused, end: 'expired', error }
    case 'busy': {
      const { position, attemptNumber } = claimed
      const losesPlace = outcome.recipientAlone === true || attemptNumber > quickAttempts
      const requeue = losesPlace
        ? again(backoffOfBusyMs(attemptNumber), position.refusals)
        : inPlace(position)
      return { ...refused, requeue }
    }
    case 'now': {
      const elsewhere = outcome.recipientAlone === true ? null : elsewhereOf(claimed, another)
      if (elsewhere?.isFirst) {
        const requeue = { ...inPlace(claimed.position), routeKey: elsewhere.routeKey }
        return { ...refused, requeue }
      }
      const backoffMs = refusalBackoffsMs[claimed.position.refusals]
      if (backoffMs === undefined) return { ...refused, end: 'failed', error }
      const requeue = again(backoffMs, claimed.position.refusals + 1)
      const route = elsewhere === null ? {} : { routeKey: elsewhere.routeKey }
      return { ...refused, requeue: { ...requeue, ...route } }
    }
  }
}

type Requeue = NonNullable<Settlement['requeue']>

/**
 * Returns the route on which a message waits for another device than the one that just refused it, if there
 * is one (decision 44). The first such refusal costs neither a count nor time; the total number of refusals
 * stays bounded.
 */
function elsewhereOf(claimed: Claimed, another: HasAnother): { routeKey: string; isFirst: boolean } | null {
  const { mode, deviceId, position } = claimed
  const { isOwnOnly, avoids, ...route } = parseRouteKey(position.route_key)
  const paidBy = isOwnOnly ? ('own_device' as const) : ('balance' as const)
  const routeKey = routeKeyOf({ ...route, mode, paidBy, avoids: deviceId })
  return another(claimed, routeKey) ? { routeKey, isFirst: avoids === null } : null
}
