/** A QR code from its rows, 1 being dark; with the quiet zone of four that readers want (ISO/IEC 18004 section 6.3.8). */
export function QrCode({ rows, says }: { rows: readonly string[]; says: string }) {
  const size = rows.length + 8
  const path = rows
    .flatMap((row, y) => [...row].map((cell, x) => (cell === '1' ? `M${x + 4} ${y + 4}h1v1h-1z` : '')))
    .join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={196} height={196} role="img" aria-label={says}>
      {/* Black on white in the dark too: most readers want it so. */}
      <rect width={size} height={size} fill="#fff" rx={1} />
      <path d={path} fill="#000" />
    </svg>
  )
}
