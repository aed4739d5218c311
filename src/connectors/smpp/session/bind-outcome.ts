import { tlvTags } from '../../../smpp/codec/pdu.ts'
import type { RequestOutcome } from '../../../smpp/session/request-outcome.ts'
import type { SessionEnd } from './session-events.ts'

export type BindResponse = 'bind_transceiver_resp' | 'bind_transmitter_resp' | 'bind_receiver_resp'

/**
 * The outcome of a bind. `peerVersion` is null when the peer does not report it: 3.3 or older, by the
 * standard (section 5.3.2.25).
 */
export type BindOutcome =
  | { kind: 'bound'; systemId: string; peerVersion: number | null }
  | { kind: 'failed'; end: SessionEnd }

/**
 * Parses the outcome of a bind request. A positive response without a body, or with an invalid one, is still
 * positive.
 */
export function judgeBind(outcome: RequestOutcome<BindResponse>): BindOutcome {
  if (outcome.kind === 'unknown') return failed({ kind: 'bind_timeout', detail: 'no response to the bind' })
  if (outcome.kind === 'not_written')
    return failed({ kind: 'invalid_settings', detail: outcome.detail ?? outcome.reason })
  const { command, status, body } = outcome
  if (status !== 0 || command === 'generic_nack')
    return failed({ kind: 'bind_refused', status, detail: `the peer responded ${command}` })
  const version = body?.tlvs.find(({ tag }) => tag === tlvTags.sc_interface_version)?.value[0]
  return { kind: 'bound', systemId: body?.systemId ?? '', peerVersion: version ?? null }
}

const failed = (end: SessionEnd): BindOutcome => ({ kind: 'failed', end })
