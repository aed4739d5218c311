import { type KeyboardEvent, useState } from 'react'
import styles from './bar-chart.module.css'
import { useFollow } from './follow.ts'

/** One segment of a stacked bar. `ground` may be a pattern, so that meaning does not depend on colour alone. */
export interface BarPart {
  name: string
  value: number
  ground: string
}

export interface Bar {
  /** Time of the bar, for the axis. */
  label: string
  /** Time and counts, read by screen readers. */
  description: string
  parts: readonly BarPart[]
  /** Target of a click. */
  href: string
}

interface Properties {
  label: string
  bars: readonly Bar[]
  /** Values of an earlier period, one for each bar. */
  line?: readonly number[]
  heightPx: number
  onShow?: (index: number | null) => void
}

/** Renders stacked bars of counts. The chart is one tab stop; arrow keys move between bars, Enter opens one. */
export function BarChart({ label, bars, line, heightPx, onShow }: Properties) {
  const [current, setCurrent] = useState(bars.length - 1)
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))
  const top = roundTop(Math.max(1, ...sums, ...(line ?? [])))
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const next = nextOf(event.key, current, bars.length)
    if (next === null) return
    event.preventDefault()
    setCurrent(next)
    const target = event.currentTarget.children[next]
    if (target instanceof HTMLElement) target.focus()
  }
  return (
    <div className={styles['chart']} role="group" aria-label={label}>
      <Scale top={top} heightPx={heightPx} />
      <div className={styles['plot']} style={{ height: heightPx }}>
        {[0.5, 1].map((share) => (
          <div key={share} className={styles['grid']} style={{ bottom: `${share * 100}%` }} />
        ))}
        <div className={styles['bars']} onKeyDown={move} onMouseLeave={() => onShow?.(null)}>
          {bars.map((bar, i) => (
            <BarLink
              key={bar.label + i}
              bar={bar}
              top={top}
              tabIndex={i === Math.min(current, bars.length - 1) ? 0 : -1}
              onShow={() => onShow?.(i)}
              onFocus={() => setCurrent(i)}
            />
          ))}
        </div>
        {line === undefined ? null : <Line values={line} top={top} />}
      </div>
      <div className={styles['times']} aria-hidden="true">
        {axisTimes(bars).map((time) => (
          <span key={time}>{time}</span>
        ))}
      </div>
    </div>
  )
}

function BarLink(properties: {
  bar: Bar
  top: number
  tabIndex: number
  onShow: () => void
  onFocus: () => void
}) {
  const { bar, top, tabIndex, onShow, onFocus } = properties
  const follow = useFollow()
  return (
    <a
      className={styles['bar']}
      href={bar.href}
      aria-label={bar.description}
      tabIndex={tabIndex}
      onClick={follow}
      onMouseEnter={onShow}
      onFocus={() => {
        onFocus()
        onShow()
      }}
    >
      {bar.parts.map(({ name, value, ground }) =>
        value === 0 ? null : (
          <span
            key={name}
            className={styles['part']}
            style={{ height: `${(value / top) * 100}%`, background: ground }}
          />
        ),
      )}
    </a>
  )
}

function Scale({ top, heightPx }: { top: number; heightPx: number }) {
  return (
    <div className={styles['scale']} style={{ height: heightPx }} aria-hidden="true">
      <span className={styles['widest']}>{short(top)}</span>
      {[0, 0.5, 1].map((share) => (
        <span key={share} style={{ bottom: `${share * 100}%` }}>
          {short(top * share)}
        </span>
      ))}
    </div>
  )
}

function Line({ values, top }: { values: readonly number[]; top: number }) {
  const points = values.map((value, i) => `${i + 0.5},${100 - (value / top) * 100}`).join(' ')
  return (
    <svg
      className={styles['line']}
      viewBox={`0 0 ${values.length} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points} />
    </svg>
  )
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const short = (value: number): string => compact.format(value)

/** Returns the next round number whose half is a whole and round number too. */
function roundTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most))
  const tops = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((step) => Math.round(step * unit))
  return tops.find((top) => top >= most && top % 2 === 0) ?? 10 * unit
}

const axisTimes = (bars: readonly Bar[]): string[] => [
  ...new Set([0, 0.5, 1].map((share) => bars[Math.round(share * (bars.length - 1))]?.label ?? '')),
]

function nextOf(key: string, current: number, count: number): number | null {
  if (key === 'ArrowLeft') return Math.max(0, current - 1)
  if (key === 'ArrowRight') return Math.min(count - 1, current + 1)
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
