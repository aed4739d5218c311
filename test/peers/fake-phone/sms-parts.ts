const gsmBasic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const gsmExtension = new Set('\f^{}\\[~]|€')

/** Into how many SMS Android divides a text (3GPP TS 23.038): 160 or 153 septets, else 70 or 67 UTF-16 units. */
export function countParts(text: string): number {
  const letters = [...text]
  const isGsm = letters.every((letter) => gsmBasic.has(letter) || gsmExtension.has(letter))
  const widths = letters.map((letter) => {
    if (isGsm) return gsmExtension.has(letter) ? 2 : 1
    return letter.length
  })
  const [alone, chained] = isGsm ? [160, 153] : [70, 67]
  if (widths.reduce((sum, width) => sum + width, 0) <= alone) return 1
  let parts = 1
  let used = 0
  for (const width of widths) {
    if (used + width > chained) {
      parts += 1
      used = 0
    }
    used += width
  }
  return parts
}
