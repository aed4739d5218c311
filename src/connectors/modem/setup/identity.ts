import { createHash } from 'node:crypto'
import type { Ask } from '../at/ask.ts'
import type { AtAnswer } from '../at/at-command.ts'
import type { Profile } from './profiles.ts'

/** What a modem says about itself; null where it does not say it. */
export interface ModemIdentity {
  maker: string | null
  model: string | null
  imei: string | null
}

/** Asks for maker, model and IMEI. Some modems answer only after the PIN. */
export async function readIdentity(ask: Ask): Promise<ModemIdentity> {
  return {
    maker: bareValue(await ask('AT+CGMI', { prefix: '+CGMI:', isBare: true }), '+CGMI:'),
    model: bareValue(await ask('AT+CGMM', { prefix: '+CGMM:', isBare: true }), '+CGMM:'),
    imei: imeiIn(await ask('AT+CGSN', { prefix: '+CGSN:', isBare: true })),
  }
}

/**
 * Returns the mark of the SIM: a hash of its ICCID, which tells two SIMs apart and gives none away; null where the
 * modem does not name it. It can be read before the PIN is entered.
 */
export async function readSimMark(
  ask: Ask,
  { iccid: queries }: Pick<Profile, 'iccid'>,
): Promise<string | null> {
  for (const text of queries) {
    const prefix = `${text.slice(2).replace(/[?=].*$/, '')}:`
    const iccid = iccidIn(await ask(text, { prefix, isBare: true }))
    if (iccid !== null) return createHash('sha256').update(iccid).digest('hex').slice(0, markLetters)
  }
  return null
}

const markLetters = 16
const maxNameLetters = 40

function bareValue({ kind, lines }: AtAnswer, prefix: string): string | null {
  const [line] = lines
  if (kind !== 'ok' || line === undefined) return null
  const text = line.text.startsWith(prefix) ? line.text.slice(prefix.length) : line.text
  const value = text.trim().replaceAll(/\s+/g, ' ').replaceAll('"', '')
  return value === '' ? null : value.slice(0, maxNameLetters)
}

const imeiIn = ({ lines }: AtAnswer): string | null =>
  lines.flatMap(({ text }) => /\d{15}/.exec(text)?.[0] ?? [])[0] ?? null

/** Digits begin with 89, for telecommunication (ITU-T E.118); the file itself has each pair swapped, so 98. */
function iccidIn({ lines }: AtAnswer): string | null {
  for (const { text } of lines) {
    const found = /(?:^|[^0-9])(89\d{16,18}F?|98[0-9F]{18})(?![0-9A-F])/i.exec(text)?.[1]
    if (found === undefined) continue
    const digits = found.startsWith('98') ? found.replaceAll(/(.)(.)/g, '$2$1') : found
    return digits.replace(/F+$/i, '')
  }
  return null
}
