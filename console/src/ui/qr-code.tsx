import type { QrCode as Code } from '../../../src/api/console/core/qr-code.ts'

/** QR code, dark on light in both colour schemes: cameras read no other. `of` names its content for screen readers. */
export function QrCode({ code, of, size = 140 }: { code: Code; of: string; size?: number }) {
  return (
    <svg
      viewBox={`0 0 ${code.size} ${code.size}`}
      width={size}
      height={size}
      role="img"
      aria-label={`QR code of ${of}`}
      shapeRendering="crispEdges"
      // A camera reads no code that gave way to a text.
      style={{ flex: 'none' }}
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  )
}
