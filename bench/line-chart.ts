const [width, height, left, top, right, bottom] = [760, 300, 64, 36, 24, 40]
const colors = ['#1971c2', '#e8590c', '#2f9e44', '#9c36b5'] as const
const ticks = [0, 0.25, 0.5, 0.75, 1] as const

/** Lines through measured points, in the units of both axes. */
export interface LineChart {
  /** What is to be seen, for whoever does not see it. */
  summary: string
  xUnit: string
  /** Spread by powers of ten; no point may lie at 0 then. */
  isLogarithmic?: boolean
  series: readonly { name: string; points: readonly (readonly [x: number, y: number])[] }[]
}

/** A chart as an SVG that is readable on light and dark. The y axis begins at 0. */
export function drawLines({ summary, xUnit, isLogarithmic = false, series }: LineChart): string {
  const points = series.flatMap((line) => line.points)
  const [least, most] = isLogarithmic
    ? [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))]
    : [0, Math.max(1, ...points.map(([x]) => x))]
  const highest = niceAbove(Math.max(...points.map(([, y]) => y)))
  const shareOf = (value: number): number =>
    isLogarithmic ? Math.log(value / least) / Math.log(most / least) : value / most
  const x = (value: number): string => (left + shareOf(value) * (width - left - right)).toFixed(1)
  const y = (value: number): string =>
    (height - bottom - (value / highest) * (height - top - bottom)).toFixed(1)
  const grid = ticks.map((share) => {
    const at = y(share * highest)
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#868e96" stroke-opacity="0.3"/>
<text x="${left - 8}" y="${at}" dy="4" text-anchor="end">${Number((share * highest).toPrecision(3))}</text>`
  })
  const marks = isLogarithmic
    ? [...new Set(points.map(([value]) => value))]
    : ticks.map((share) => Math.round(share * most))
  // The last one stands at the edge, where half of a long name would be cut off.
  const names = marks.map(
    (value, i) =>
      `<text x="${x(value)}" y="${height - bottom + 18}" text-anchor="${i === marks.length - 1 ? 'end' : 'middle'}">${value.toLocaleString('en')} ${xUnit}</text>`,
  )
  const lines = series.map((line, i) => {
    const at = line.points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')
    return `<polyline points="${at}" fill="none" stroke="${colors[i] ?? colors[0]}" stroke-width="1.5"/>
<text x="${left + i * 180}" y="20" style="fill:${colors[i] ?? colors[0]}">${line.name}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}">
<style>text{font:12px system-ui,sans-serif;fill:#868e96}</style>
${[...grid, ...names, ...lines].join('\n')}
</svg>
`
}

/** The next of 1, 2, 4, 10 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 10].find((step) => step * power >= value) ?? 10) * power
}
