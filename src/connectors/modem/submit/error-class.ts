import type { RefusalReason } from '../../connector.ts'
import type { AtError } from '../at/final-answer.ts'

/** What an error says about the modem or its SIM, besides the message. */
export type DeviceFault =
  | 'sim_blocked'
  | 'storage_full'
  | 'sim_busy'
  | 'no_sim'
  | 'sim_pin'
  | 'sim_puk'
  | 'no_smsc'
  | 'not_registered'
  | 'rejected'

/** What an error after the PDU means for its part; `unknown` where the network may have it. */
export type ErrorClass =
  | { kind: 'refused'; reason: Omit<RefusalReason, 'networkCode'>; fault: DeviceFault | null }
  | { kind: 'unknown' }

/** Meanings that the operator defines, by the code of `+CMS ERROR`. */
export type ErrorOverrides = ReadonlyMap<number, RefusalReason['lasts'] | 'unknown'>

type Row = [codes: readonly number[], reason: Omit<RefusalReason, 'networkCode'>, fault?: DeviceFault]

const refusal = (
  lasts: RefusalReason['lasts'],
  code: string,
  more: Partial<RefusalReason> = {},
): Omit<RefusalReason, 'networkCode'> => ({ lasts, code, ...more })
const ofDevice = { deviceAlone: true } as const

/**
 * Codes of `+CMS ERROR` (3GPP TS 27.005, section 3.2.5): to 127 the causes of TS 24.011, annex E, to 255 the failure
 * causes of TS 23.040, section 9.2.3.22. A network that reports one has not taken the part.
 */
const cmsRows: readonly Row[] = [
  [[1, 28, 30, 195], refusal('good', 'number_invalid')],
  [[196], refusal('good', 'recipient_blocked')],
  [[8, 10, 50, 193], refusal('now', 'sim_blocked', ofDevice), 'sim_blocked'],
  [[21, 29, 127, 143, 159, 175, 255], refusal('now', 'network_rejected', { mayBeRecipient: true }), 'rejected'],
  [[27], refusal('now', 'unreachable', { recipientAlone: true })],
  [[38, 41, 194], refusal('now', 'network_congested')],
  [[42, 47, 192], refusal('busy', 'network_congested')],
  [[22, 208, 320, 322], refusal('busy', 'device_error', ofDevice), 'storage_full'],
  [[314], refusal('busy', 'device_error', ofDevice), 'sim_busy'],
  [[304, 305], refusal('good', 'device_error')],
  [[81, 95, 96, 97, 98, 99, 111, 128, 144, 145, 160, 176, 300, 301, 302, 303, 321], refusal('now', 'device_error')],
  [[310, 313, 315], refusal('now', 'device_error', ofDevice), 'no_sim'],
  [[311, 317], refusal('now', 'device_error', ofDevice), 'sim_pin'],
  [[312, 316, 318], refusal('now', 'device_error', ofDevice), 'sim_puk'],
  [[69, 330], refusal('now', 'device_error', ofDevice), 'no_smsc'],
  [[331], refusal('now', 'no_service', ofDevice), 'not_registered'],
] // prettier-ignore

/** Codes of `+CME ERROR` (TS 27.007, section 9.2). */
const cmeRows: readonly Row[] = [[[30, 32], refusal('now', 'no_service', ofDevice), 'not_registered']]

const byCode = (rows: readonly Row[]): ReadonlyMap<number, ErrorClass> =>
  new Map(
    rows.flatMap(([codes, reason, fault = null]) =>
      codes.map((code): [number, ErrorClass] => [code, { kind: 'refused', reason, fault }]),
    ),
  )
const cms = byCode(cmsRows)
const cme = byCode(cmeRows)
const unknown: ErrorClass = { kind: 'unknown' }

/**
 * Returns what an error means that follows a PDU. A bare ERROR, words, 500 (which a modem that has sent the part may
 * give, too), 332 (no answer of the network), 197 (it has the part already) and codes of makers (512 and more) do
 * not show whether the network has it.
 */
export function classifyError(
  { source, code }: Pick<AtError, 'source' | 'code'>,
  overrides: ErrorOverrides,
): ErrorClass {
  if (code === null || source === 'plain') return unknown
  const known = (source === 'cms' ? cms : cme).get(code) ?? unknown
  const defined = source === 'cms' ? overrides.get(code) : undefined
  if (defined === undefined) return known
  if (defined === 'unknown') return unknown
  const { reason, fault } = known.kind === 'refused' ? known : { reason: refusal(defined, 'network_rejected'), fault: null } // prettier-ignore
  return { kind: 'refused', reason: { ...reason, lasts: defined }, fault }
}

/** Returns what an error means before the PDU: certainly nothing was sent. */
export function classifyEarlyError(
  error: Pick<AtError, 'source' | 'code'>,
): Extract<ErrorClass, { kind: 'refused' }> {
  const known = classifyError(error, new Map())
  return known.kind === 'refused'
    ? known
    : { kind: 'refused', reason: refusal('now', 'device_error'), fault: null }
}
