import type { PartOutcome as AnyPartOutcome } from '../../sms/part-outcomes.ts'
import { type AtAnswer, valueOf } from '../at/at-command.ts'
import type { AtChannel, AtTurn } from '../at/at-channel.ts'
import type { Prompted } from '../at/exchange.ts'
import type { AtError } from '../at/final-answer.ts'
import type { EncodedPdu } from '../pdu/submit-pdu.ts'
import { classifyEarlyError, classifyError, type DeviceFault, type ErrorOverrides } from './error-class.ts'

/** The outcome of one part; `asked` if its answer may still come on this line. */
export type PartOutcome = AnyPartOutcome<'late'>

export interface SendPartDeps {
  channel: Pick<AtChannel, 'takeTurn'>
  overrides: ErrorOverrides
  /** From the Ctrl-Z to the answer. Too short makes outcomes unknown that are not. */
  sendTimeoutMs: number
  /** Returns the ID of a part that the network took, by the reference that the modem gave to it (TP-MR). */
  nameOf(reference: number): string
  /** An error concerns the modem or its SIM. */
  faulty(fault: DeviceFault): void
}

export interface PartToSend {
  /** Encoded when its turn has come: the rest of its validity is shorter then. */
  encode(): EncodedPdu
  /**
   * Why it must not go (any more), null while it may: its validity has ended, its recipient has opted out, or
   * another node may have the modem. Asked before the command, and again before the last octet.
   */
  refusal(): PartOutcome | null
}

/** A modem that is ready asks for the PDU at once. */
const promptTimeoutMs = 5_000
const ctrlZ = Buffer.from([0x1a])
const prefix = '+CMGS:'

/**
 * Sends one part (3GPP TS 27.005, section 3.5.1). Before the Ctrl-Z, which is a write of its own, nothing has been
 * sent for certain: an ESC ends it. After it only what the modem reports counts; without that the outcome is
 * unknown, and the part is never sent again.
 */
export function sendPart(deps: SendPartDeps, part: PartToSend): Promise<PartOutcome> {
  return deps.channel.takeTurn(async (turn) => {
    const refused = part.refusal()
    if (refused !== null) return refused
    const { hex, length } = part.encode()
    const asked = await turn.askForPrompt({ text: `AT+CMGS=${length}`, timeoutMs: promptTimeoutMs })
    if (asked.kind !== 'prompt') return withoutPrompt(deps, turn, asked)
    if (!(await turn.write(Buffer.from(hex, 'latin1'))))
      return abandon(turn, notWritten('The modem took no PDU.'))
    const late = part.refusal()
    if (late !== null) return abandon(turn, late)
    return afterPdu(deps, await turn.complete(ctrlZ, { prefix, timeoutMs: deps.sendTimeoutMs }))
  })
}

const notWritten = (detail: string): PartOutcome => ({ kind: 'not_written', detail })

/** Ends the prompt, so that the next command is not taken for a text. */
async function abandon(turn: AtTurn, outcome: PartOutcome): Promise<PartOutcome> {
  await turn.abandon()
  return outcome
}

/** An error in the place of the prompt is definite, regardless of its code. */
function withoutPrompt(
  deps: SendPartDeps,
  turn: AtTurn,
  answer: Exclude<Prompted, { kind: 'prompt' }>,
): Promise<PartOutcome> | PartOutcome {
  if (answer.kind !== 'error')
    return abandon(turn, notWritten(`The modem did not ask for the PDU (${answer.kind}).`))
  const { reason, fault } = classifyEarlyError(answer.error)
  if (fault !== null) deps.faulty(fault)
  return { kind: 'refused', reason: { ...reason, networkCode: sayError(answer.error) } }
}

function afterPdu(deps: SendPartDeps, answer: AtAnswer): PartOutcome {
  const value = valueOf(answer, prefix)
  const reference = value === null ? null : referenceIn(value)
  // The reference is the network's ack, also if no OK follows.
  if (reference !== null) return { kind: 'taken', messageId: deps.nameOf(reference) }
  switch (answer.kind) {
    case 'ok':
      return unclear('The modem responded OK without a reference.')
    case 'timeout':
      return { kind: 'unknown', detail: 'The modem did not respond in time.', asked: 'late' }
    case 'closed':
      return {
        kind: 'unknown',
        detail: 'The line was closed before the modem responded.',
        connectionLost: true,
      }
    case 'error':
      return afterError(deps, answer.error)
  }
}

function afterError(deps: SendPartDeps, error: AtError): PartOutcome {
  const networkCode = sayError(error)
  const meant = classifyError(error, deps.overrides)
  if (meant.kind === 'unknown') return unclear(`The modem responded ${networkCode}.`, networkCode)
  if (meant.fault !== null) deps.faulty(meant.fault)
  return { kind: 'refused', reason: { ...meant.reason, networkCode } }
}

const unclear = (detail: string, networkCode: string | null = null): PartOutcome => ({
  kind: 'unknown',
  detail,
  answered: { networkCode },
})

/** Returns TP-MR, one octet; null for anything else in its place. */
function referenceIn(value: string): number | null {
  const [, digits] = /^(\d{1,3})(?:,|$)/.exec(value) ?? []
  return digits === undefined || Number(digits) > 0xff ? null : Number(digits)
}

/** Returns an error as it is stored and shown: `CMS 500`, or the words of the modem. */
const sayError = ({ source, code, text }: AtError): string =>
  code === null ? text.slice(0, maxWords) : `${source.toUpperCase()} ${code}`
const maxWords = 64
