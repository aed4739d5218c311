import type { Outcome, Submission } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import { judgeParts, optedOut, type RequestedReceipts, validityEnded } from '../../sms/part-outcomes.ts'
import { encodeSubmit } from '../pdu/submit-pdu.ts'
import { encodeValidity, type ValidityForm } from '../pdu/validity.ts'
import type { PduPart } from './pdu-parts.ts'
import type { PartOutcome, PartToSend } from './send-part.ts'

/** How parts are encoded. */
export interface EncodingSettings {
  serviceCentre: string | null
  receipts: Extract<RequestedReceipts, 'all' | 'none'>
  validity: ValidityForm
}

export interface SendMessageDeps {
  tools: Pick<ConnectorTools, 'now' | 'monotonicMs' | 'schedule' | 'mayWrite'>
  settings: EncodingSettings
  sendPart(part: PartToSend): Promise<PartOutcome>
  /** Called before several parts: the modem may keep its connection to the network open between them. */
  announceParts(): Promise<void>
  /** Whether there is still time for a further part: a device that stops has only some. */
  mayContinue(): boolean
  /** Called once the outcome of a part is unknown that may still become known, with all of its message. */
  mayBeLate(outcomes: PartOutcome[], part: number): void
}

/** How often a recipient's opt-out is asked about again while it is unknown. */
const askAgainMs = 1_000

/**
 * Sends the parts of a message one after the other, and combines their outcomes. After a part that was not taken no
 * further one is sent, and none is sent again: a modem does not say what a repeat would be.
 */
export async function sendMessage(
  deps: SendMessageDeps,
  submission: Submission,
  parts: readonly PduPart[],
): Promise<Outcome> {
  const { tools, settings } = deps
  const { validitySeconds, validityMs = Number.POSITIVE_INFINITY } = submission
  const endMs = tools.monotonicMs() + Math.min(validitySeconds * 1_000, validityMs)
  const isExpired = (): boolean => tools.monotonicMs() >= endMs
  const outcomes: PartOutcome[] = parts.map(() => unsent)
  if (parts.length > 1) await deps.announceParts()
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      if (!deps.mayContinue()) break
      if (await hasOptedOut(deps, submission, isExpired)) {
        outcomes[index] = refusedAsOptedOut
        break
      }
    }
    const outcome = await deps.sendPart({
      encode: () =>
        encodePart(part, submission, settings, { restMs: endMs - tools.monotonicMs(), nowMs: tools.now() }),
      refusal: () => {
        if (isExpired()) return validityEnded
        if (submission.isKnownOptedOut?.() === true) return refusedAsOptedOut
        return tools.mayWrite?.() === false ? leaseLost : null
      },
    })
    outcomes[index] = outcome
    if (outcome.kind === 'unknown' && outcome.asked !== undefined) deps.mayBeLate(outcomes, index)
    if (outcome.kind !== 'taken') break
  }
  return judgeParts(outcomes, settings.receipts)
}

const unsent: PartOutcome = { kind: 'not_written', detail: 'Not submitted: a part before it was not taken.' }
const leaseLost: PartOutcome = { kind: 'not_written', detail: 'Another node may run the modem.' }
const refusedAsOptedOut: PartOutcome = { kind: 'refused', reason: optedOut }

/** The rest of the validity is cut to whole seconds, at least one: nothing arrives after it (P8). */
function encodePart(
  part: PduPart,
  { to }: Pick<Submission, 'to'>,
  { serviceCentre, receipts, validity }: EncodingSettings,
  { restMs, nowMs }: { restMs: number; nowMs: number },
) {
  const seconds = Math.max(1, Math.floor(restMs / 1_000))
  return encodeSubmit({
    ...part,
    to,
    serviceCentre,
    validity: encodeValidity(validity, seconds, nowMs),
    asksForReport: receipts === 'all',
  })
}

/** Asks whether the recipient has opted out since the message was claimed; again while that is unknown. */
async function hasOptedOut(
  { tools }: Pick<SendMessageDeps, 'tools'>,
  submission: Submission,
  isExpired: () => boolean,
): Promise<boolean> {
  while (!isExpired()) {
    const answer = submission.hasOptedOut === undefined ? false : await submission.hasOptedOut()
    if (answer !== null) return answer
    await new Promise<void>((resolve) => void tools.schedule(askAgainMs, resolve))
  }
  return false
}
