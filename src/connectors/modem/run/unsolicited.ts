import { type AtLine, valuesOf } from '../at/at-command.ts'

/** What a modem says by itself. */
export type Notice =
  /** An SMS or a report is stored; `index` is null where the modem does not say which. */
  | { kind: 'stored'; memory: string; index: number | null }
  /** An SMS or a report, on the line. */
  | { kind: 'arrived'; tpdu: Buffer }
  /** One that was announced, and is not on the line: the network brings it again, or a sweep finds it. */
  | { kind: 'full' | 'lost' }
  /** The answer to a part that had timed out. */
  | { kind: 'late'; reference: number }
  /** It has started: all that was set is gone. */
  | { kind: 'restarted' }

/** Not `^BOOT`, which Huawei repeats every 20 s without a restart. */
const restarts = /^(?:RDY|SMS Ready|SMS DONE|\+QIND: SMS DONE)$/
const full = /^(?:\^SMMEMFULL|\+SMS FULL|\+CIEV: ?"?SMSFULL)/

/** Reads a line that answers no command; null for noise. */
export function readNotice({ text, tpdu }: AtLine): Notice | null {
  if (/^\+C(?:DS|MT):/.test(text)) return tpdu === null ? { kind: 'lost' } : { kind: 'arrived', tpdu }
  const [, stored] = /^\+C(?:MT|DS)I: ?(.*)$/.exec(text) ?? []
  if (stored !== undefined) {
    const [memory = '', index = ''] = valuesOf(stored)
    return { kind: 'stored', memory, index: /^\d{1,5}$/.test(index) ? Number(index) : null }
  }
  const [, reference] = /^\+CMGS: ?(\d{1,3})(?:,|$)/.exec(text) ?? []
  if (reference !== undefined && Number(reference) <= 0xff)
    return { kind: 'late', reference: Number(reference) }
  if (full.test(text)) return { kind: 'full' }
  return restarts.test(text) ? { kind: 'restarted' } : null
}
