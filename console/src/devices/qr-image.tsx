import type { PhoneInvitation } from '../../../src/api/console/device-connect-calls.ts'

/** A QR code, dark on light in both schemes: cameras read no other. */
export function QrImage({ code, of }: { code: PhoneInvitation['addressCode']; of: string }) {
  return (
    <svg
      viewBox={`0 0 ${code.size} ${code.size}`}
      width={140}
      height={140}
      role="img"
      aria-label={`QR code of ${of}`}
      shapeRendering="crispEdges"
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  )
}
