import { type AtLine, valuesOf } from '../at/at-command.ts'
import type { Announced } from '../receive/memories.ts'

/** What a modem says by itself. */
export type Notice =
  | ({ kind: 'stored' } & Announced)
  /** An SMS or a report, on the line. */
  | { kind: 'arrived'; tpdu: Buffer }
  /** One that was announced, and is not on the line: the network brings it again, or a sweep finds it. */
  | { kind: 'full' | 'lost' }
  /** The answer to a part that had timed out. */
  | { kind: 'late'; reference: number }
  /** It has started: all that was set is gone. */
  | { kind: 'restarted' }
  /** Its SIM was pulled, or is locked again. */
  | { kind: 'sim' }
  /** It goes off by itself, for want of voltage or by its key; the port may stay. */
  | { kind: 'off'; words: string }

/** Not `^BOOT`, which Huawei repeats every 20 s without a restart. */
const restarts = /^(?:RDY|SMS Ready|SMS DONE|\+QIND: SMS DONE)$/
/** `+CPIN: NOT READY` of SIMCom and Quectel; of Huawei `^SIMST:0`, 255 without a SIM; of Quectel `+QSIMSTAT: 1,0`. */
const sim = /^(?:\+CPIN: ?(?!READY)|\^SIMST: ?(?:0|255)$|\+QSIMSTAT ?: ?\d,0$)/
/** `UNDER-VOLTAGE WARNNING POWER DOWN`, `NORMAL POWER DOWN` (Freematics 77), `POWERED DOWN` of Quectel. */
const off = /\bPOWER(?:ED)? DOWN$/
const full = /^(?:\^SMMEMFULL|\+SMS FULL|\+CIEV: ?"?SMSFULL)/

/** Reads a line that answers no command; null for noise. */
export function readNotice({ text, tpdu }: AtLine): Notice | null {
  if (/^\+C(?:DS|MT):/.test(text)) return tpdu === null ? { kind: 'lost' } : { kind: 'arrived', tpdu }
  const [, what, stored] = /^\+C(MT|DS)I: ?(.*)$/.exec(text) ?? []
  if (stored !== undefined) {
    const [memory = '', index = ''] = valuesOf(stored)
    const of = what === 'DS' ? 'report' : 'sms'
    return { kind: 'stored', of, memory, index: /^\d{1,5}$/.test(index) ? Number(index) : null }
  }
  const [, reference] = /^\+CMGS: ?(\d{1,3})(?:,|$)/.exec(text) ?? []
  if (reference !== undefined && Number(reference) <= 0xff)
    return { kind: 'late', reference: Number(reference) }
  if (sim.test(text)) return { kind: 'sim' }
  if (off.test(text)) return { kind: 'off', words: text.slice(0, maxWords) }
  if (full.test(text)) return { kind: 'full' }
  return restarts.test(text) ? { kind: 'restarted' } : null
}

const maxWords = 64
