import type { SoakSample } from './soak.ts'

const [width, height, left, top, right, bottom] = [760, 300, 56, 36, 16, 40]

const lines = [
  { name: 'resident memory', color: '#1971c2', of: (sample: SoakSample) => sample.residentMegabytes },
  { name: 'write-ahead log', color: '#e8590c', of: (sample: SoakSample) => sample.walMegabytes },
] as const

/** The samples of a soak as an SVG: MB against seconds, readable on light and dark. */
export function drawSoak(samples: readonly SoakSample[]): string {
  const lastSecond = Math.max(1, samples.at(-1)?.atSeconds ?? 1)
  const most = niceAbove(Math.max(1, ...samples.flatMap((sample) => lines.map(({ of }) => of(sample)))))
  const x = (second: number): string => (left + (second / lastSecond) * (width - left - right)).toFixed(1)
  const y = (megabytes: number): string =>
    (height - bottom - (megabytes / most) * (height - top - bottom)).toFixed(1)
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(share * most)
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#868e96" stroke-opacity="0.3"/>
<text x="${left - 8}" y="${at}" dy="4" text-anchor="end">${share * most}</text>`
  })
  const times = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const second = Math.round(share * lastSecond)
    return `<text x="${x(second)}" y="${height - bottom + 18}" text-anchor="middle">${second} s</text>`
  })
  const drawn = lines.map(({ name, color, of }, i) => {
    const points = samples.map((sample) => `${x(sample.atSeconds)},${y(of(sample))}`).join(' ')
    return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="1.5"/>
<text x="${left + i * 160}" y="20" style="fill:${color}">${name}, MB</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Resident memory and write-ahead log during the soak">
<style>text{font:12px system-ui,sans-serif;fill:#868e96}</style>
${[...grid, ...times, ...drawn].join('\n')}
</svg>
`
}

/** The next of 1, 2, 4, 10 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 10].find((step) => step * power >= value) ?? 10) * power
}
