/** What the octets of a text are: septets, anything but a text, or UTF-16. */
export type DcsAlphabet = 'gsm7' | 'octets' | 'ucs2'

const byBits: readonly DcsAlphabet[] = ['gsm7', 'octets', 'ucs2', 'gsm7']

/**
 * Returns the alphabet that a TP-DCS names (3GPP TS 23.038, section 4). A compressed text is octets: no handset
 * and no modem compresses. Reserved codings are the default alphabet, as the standard requires of a receiver.
 */
export function alphabetOfDcs(dcs: number): DcsAlphabet {
  const group = dcs >> 4
  const named = byBits[(dcs >> 2) & 3] ?? 'gsm7'
  if (group < 0x8) return (dcs & 0x20) === 0 ? named : 'octets'
  if (group === 0xe) return 'ucs2'
  return group === 0xf && (dcs & 0x04) !== 0 ? 'octets' : 'gsm7'
}
