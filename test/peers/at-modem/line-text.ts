import type { LineSettings, NoisePlace } from './modem-settings.ts'

const isPdu = (line: string): boolean => /^[0-9A-F]{16,}$/.test(line)

/** Writes the lines of an answer with the noise that the settings weave into it; without a final line it is not complete. */
export function wovenText(lines: readonly string[], final: string | null, settings: LineSettings): string {
  const noiseAt = (place: NoisePlace): readonly string[] => noiseOf(settings, place)
  const woven = [...noiseAt('before')]
  for (const [index, line] of lines.entries()) {
    if (isPdu(line)) woven.push(...noiseAt('before-pdu'))
    else if (index > 0) woven.push(...noiseAt('between'))
    woven.push(line)
  }
  if (final !== null) woven.push(...noiseAt('before-final'), final, ...noiseAt('after'))
  return textOf(woven, settings)
}

/** Writes lines that nobody asked for; noise comes only in front of a PDU. */
export const unsolicitedText = (lines: readonly string[], settings: LineSettings): string =>
  textOf(
    lines.flatMap((line) => (isPdu(line) ? [...noiseOf(settings, 'before-pdu'), line] : [line])),
    settings,
  )

const noiseOf = ({ noise }: LineSettings, place: NoisePlace): readonly string[] =>
  noise !== null && noise.where.includes(place) ? noise.lines : []

const textOf = (lines: readonly string[], { isLed, lineEnd, hasNuls }: LineSettings): string =>
  lines
    .map((line) => `${isLed && !isPdu(line) ? '\r\n' : ''}${hasNuls ? '\0' : ''}${line}${lineEnd}`)
    .join('')
