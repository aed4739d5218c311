import { encode } from 'uqr'

/**
 * A QR code (ISO/IEC 18004) as the path of an SVG image: one unit per module, with the border of four modules
 * that the standard requires.
 */
export interface QrCode {
  size: number
  path: string
}

export function qrCodeOf(text: string): QrCode {
  const { size, data } = encode(text, { border: 4 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: path.join('') }
}
