import {
  countPartsIfGsm7,
  findTextFault,
  measureText,
  normalizeText,
  type Offending,
  offendingCharacters,
  splitText,
} from '../../../src/sms/sms-text.ts'
import { replaceLookAlikes } from '../../../src/sms/smart-encoding.ts'

/** What a text costs, by the same code as the server's. */
export interface TextCost {
  /** Why it cannot be sent at all. */
  fault: string | null
  encoding: 'gsm7' | 'ucs2'
  units: number
  parts: number
  /** Units that still fit into the last part. */
  unitsLeft: number
  /** What keeps it from the GSM alphabet. */
  offending: Offending[]
  /** Parts that it would need if its look-alikes were replaced; null where that does not help. */
  partsIfReplaced: number | null
}

const room = { gsm7: { single: 160, joined: 153 }, ucs2: { single: 70, joined: 67 } } as const

export function costOfText(raw: string): TextCost {
  const text = normalizeText(raw)
  const { encoding, units, parts } = measureText(text, 'auto')
  const gsmParts = encoding === 'ucs2' ? countPartsIfGsm7(text) : null
  return {
    fault: raw === '' ? null : (findTextFault(raw)?.detail ?? null),
    encoding,
    units,
    parts,
    unitsLeft: unitsLeftOf(text, { encoding, parts }),
    offending: encoding === 'ucs2' ? offendingCharacters(text) : [],
    partsIfReplaced: gsmParts !== null && gsmParts < parts ? gsmParts : null,
  }
}

/** By the last part as it is cut: no character stands in two, so that the ones before may have room that nothing can take. */
function unitsLeftOf(text: string, { encoding, parts }: Pick<TextCost, 'encoding' | 'parts'>): number {
  const last = splitText(text, 'auto').at(-1) ?? ''
  const taken = encoding === 'gsm7' ? measureText(last, 'auto').units : last.length
  return (parts === 1 ? room[encoding].single : room[encoding].joined) - taken
}

/** The text with its look-alikes replaced by what GSM-7 has. */
export const withPlainCharacters = (text: string): string => replaceLookAlikes(normalizeText(text))

/** A text in pieces, so that those which force UCS-2 can be marked. */
export function markOffending(
  raw: string,
  offending: readonly Offending[],
): { text: string; isMarked: boolean }[] {
  const marked = new Set(offending.map(({ character }) => character))
  const pieces: { text: string; isMarked: boolean }[] = []
  for (const character of normalizeText(raw)) {
    const isMarked = marked.has(character)
    const last = pieces.at(-1)
    if (last !== undefined && last.isMarked === isMarked) last.text += character
    else pieces.push({ text: character, isMarked })
  }
  return pieces
}
