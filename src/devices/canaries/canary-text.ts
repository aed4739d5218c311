/** The text of a canary: a name that its owner recognizes on a phone, and a code that nothing else has. */

const codeLength = 12

export const canaryText = (code: string): string => `onesixty ${code}`

/** Returns a code from an ID: its random end of 60 bits, which cannot be guessed. */
export const codeOf = (id: string): string => id.slice(-codeLength)

/** Returns the code in a received text; null for any other text. Networks may change the case, and add blanks. */
export function codeIn(text: string): string | null {
  const [, code] = new RegExp(`^\\s*onesixty ([0-9a-z]{${codeLength}})\\s*$`, 'i').exec(text) ?? []
  return code?.toLowerCase() ?? null
}
