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

/** The cost of a text, computed by the same code as on the server. */
export interface TextCost {
  /** Why the text cannot be sent, or null. */
  fault: string | null
  encoding: 'gsm7' | 'ucs2'
  units: number
  parts: number
  /** Units that still fit into the last part. */
  unitsLeft: number
  /** Characters that are not in the GSM alphabet. */
  offending: Offending[]
  /** Parts after replacing look-alikes; null if that saves none. */
  partsIfReplaced: number | null
}

const capacity = { gsm7: { single: 160, joined: 153 }, ucs2: { single: 70, joined: 67 } } as const

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

/** Counts by the last part as it is split: characters are not divided, so earlier parts can have unusable space. */
function unitsLeftOf(text: string, { encoding, parts }: Pick<TextCost, 'encoding' | 'parts'>): number {
  const last = splitText(text, 'auto').at(-1) ?? ''
  const used = encoding === 'gsm7' ? measureText(last, 'auto').units : last.length
  return (parts === 1 ? capacity[encoding].single : capacity[encoding].joined) - used
}

/** Replaces look-alikes by characters of GSM-7. */
export const withPlainCharacters = (text: string): string => replaceLookAlikes(normalizeText(text))

/** Splits a text into pieces, with the ones that force UCS-2 marked. */
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
