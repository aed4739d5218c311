import type { StatusClass } from '../../../smpp/values/command-status-class.ts'
import { maxIdLetters } from '../../../smpp/values/message-id.ts'
import { commandStatus } from '../../../smpp/codec/pdu.ts'
import type { Answer, RequestOutcome } from '../../../smpp/session/request-outcome.ts'
import type { Session } from '../session/session.ts'
import { sayStatus, statusName } from '../../../smpp/values/status-name.ts'
import type { PartOutcome } from './submit-message.ts'

export type Classify = (status: number) => { lasts: StatusClass; code: string }
type Submitted = RequestOutcome<'submit_sm_resp'>

/** Parses the outcome of a submit_sm. */
export function readSubmitted(submitted: Submitted, session: Session, deps: Reading): PartOutcome {
  switch (submitted.kind) {
    case 'response':
      return readAnswer(submitted, deps)
    case 'unknown': {
      const { reason, sequence } = submitted
      const detail =
        reason === 'timeout'
          ? 'The SMSC did not respond in time.'
          : 'The connection ended before the SMSC responded.'
      return reason === 'timeout'
        ? { kind: 'unknown', detail, asked: { session, sequence } }
        : { kind: 'unknown', detail, connectionLost: true }
    }
    case 'not_written':
      // A field that fits no PDU never will.
      return submitted.reason === 'invalid'
        ? {
            kind: 'refused',
            reason: { lasts: 'good', code: 'device_error', networkCode: submitted.detail ?? 'invalid' },
          }
        : { kind: 'not_written', detail: `Nothing was sent to the SMSC: ${submitted.reason}.` }
  }
}

interface Reading {
  classify: Classify
  /** The form in which IDs of this link are compared. */
  canonicalId(messageId: string): string
}

/** Parses a response, in time or late. */
export function readAnswer(
  { command, status, body }: Pick<Answer<'submit_sm_resp'>, 'command' | 'status' | 'body'>,
  { classify, canonicalId }: Reading,
): PartOutcome {
  if (status === commandStatus.ESME_ROK && command !== 'generic_nack') {
    const messageId = canonicalId(body?.messageId ?? '')
    const isNone = messageId === '' || messageId.length > maxIdLetters
    return { kind: 'taken', messageId: isNone ? null : messageId }
  }
  const networkCode = sayStatus(status)
  const { lasts, code } = classify(status)
  if (lasts === 'unknown')
    return { kind: 'unknown', detail: `The SMSC responded ${networkCode}.`, answered: { networkCode } }
  if (lasts === 'link') return { kind: 'not_written', detail: `The SMSC responded ${networkCode}.` }
  // The response does not name the queue. Counted for the whole link, three handsets that stay full would
  // block all others.
  const recipientAlone = lasts === 'busy' && status === commandStatus.ESME_RMSGQFUL
  const mayBeRecipient = lasts === 'now' && unclearWhose.has(status)
  const reason = { lasts, code, networkCode, ...(mayBeRecipient && { mayBeRecipient }) }
  return { kind: 'refused', reason: recipientAlone ? { ...reason, recipientAlone } : reason }
}

/**
 * Statuses whose text in SMPP 3.4, section 5.1.3, does not mention the recipient. SMSCs return them for
 * unreachable numbers as well as for their own faults.
 */
const unclearWhose: ReadonlySet<number> = new Set([
  commandStatus.ESME_RSUBMITFAIL,
  commandStatus.ESME_RX_T_APPN,
  commandStatus.ESME_RDELIVERYFAILURE,
])

/**
 * Returns the metric label of a response: its name in the standard, or `other`, so that an SMSC cannot create
 * new labels. Null when nothing was requested.
 */
export function sayAnswer(submitted: Submitted): string | null {
  if (submitted.kind === 'not_written') return null
  if (submitted.kind === 'unknown') return submitted.reason === 'timeout' ? 'no_answer' : 'session_lost'
  return statusName(submitted.status) ?? 'other'
}
