import { type RefObject, useCallback, useEffect, useState } from 'react'

/** The rows of a long list near the screen, and the heights of the others. */
export interface RowWindow {
  first: number
  /** Exclusive. */
  end: number
  spaceBefore: number
  spaceAfter: number
}

/** Rows rendered beyond either edge of the screen, so that quick scrolling shows no gap. */
const overscan = 12

/**
 * Tracks the scroll position over a list of `count` rows, each `rowHeight` pixels high. Only rows near the screen are
 * rendered: 100,000 rows scroll as smoothly as 50.
 */
export function useWindow(list: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowWindow {
  const [first, setFirst] = useState(0)
  const [visible, setVisible] = useState(() => Math.ceil(window.innerHeight / rowHeight))
  const measure = useCallback(() => {
    const above = list.current === null ? 0 : -list.current.getBoundingClientRect().top
    setFirst(Math.max(0, Math.floor(above / rowHeight) - overscan))
    setVisible(Math.ceil(window.innerHeight / rowHeight))
  }, [list, rowHeight])
  useEffect(() => {
    measure()
    window.addEventListener('scroll', measure, { passive: true })
    window.addEventListener('resize', measure)
    return () => {
      window.removeEventListener('scroll', measure)
      window.removeEventListener('resize', measure)
    }
  }, [measure])
  const start = Math.min(first, Math.max(0, count - 1))
  const end = Math.min(count, start + visible + 2 * overscan)
  return { first: start, end, spaceBefore: start * rowHeight, spaceAfter: (count - end) * rowHeight }
}
