import { type RefObject, useCallback, useEffect, useState } from 'react'

/** Which rows of a long list are near the screen, and how much room the others take. */
export interface RowWindow {
  first: number
  /** Exclusive. */
  end: number
  spaceBefore: number
  spaceAfter: number
}

/** Rows beyond either edge of the screen, so that a quick turn of the wheel shows no gap. */
const beyond = 12

/**
 * Follows the scrolling of the page over a list of `count` rows that are `rowHeight` pixels high each. Only the rows near the screen need to be
 * there: a hundred thousand scroll as smoothly as fifty.
 */
export function useWindow(list: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowWindow {
  const [first, setFirst] = useState(0)
  const [room, setRoom] = useState(() => Math.ceil(window.innerHeight / rowHeight))
  const measure = useCallback(() => {
    const above = list.current === null ? 0 : -list.current.getBoundingClientRect().top
    setFirst(Math.max(0, Math.floor(above / rowHeight) - beyond))
    setRoom(Math.ceil(window.innerHeight / rowHeight))
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
  const end = Math.min(count, start + room + 2 * beyond)
  return { first: start, end, spaceBefore: start * rowHeight, spaceAfter: (count - end) * rowHeight }
}
