import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { usePlace } from '../api/place.ts'
import { sessionQuery } from '../api/session.ts'

/** Announces a new page by its heading: in the title of the window, and by focus. */
export function PageArrival() {
  useWindowTitle()
  useFocusOnArrival()
  return null
}

const headingOfPage = (): HTMLHeadingElement | null => document.querySelector('h1')

/** Sets the title: "History · Ada (test) · onesixty". What differs is first, as tabs show only the beginning. */
function useWindowTitle(): void {
  const place = usePlace()
  // Pages load the session when they need it; sign-in must not wait for a title.
  const { data } = useQuery({ ...sessionQuery, enabled: false })
  const name = data?.accounts.find(({ id }) => id === place?.accountId)?.name ?? null
  const account = name === null ? null : place?.mode === 'test' ? `${name} (test)` : name
  useEffect(
    () =>
      onEveryChange(() => {
        const parts = [headingOfPage()?.textContent ?? null, account, 'onesixty']
        const title = parts.filter((part) => part !== null && part !== '').join(' · ')
        if (document.title !== title) document.title = title
      }),
    [account],
  )
}

/**
 * Moves the focus to the heading of a newly opened page (WCAG 2.2, 2.4.3), where reading starts. A change of mode or
 * filter is not a new page. A page that focused one of its own fields keeps that focus.
 */
function useFocusOnArrival(): void {
  const router = useRouter()
  useEffect(() => {
    let leave = (): void => undefined
    const unsubscribe = router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
      if (fromLocation === undefined || pageOf(fromLocation.pathname) === pageOf(toLocation.pathname)) return
      leave()
      const focused = document.activeElement
      const isInPage = focused?.closest('main') !== null && focused?.tagName !== 'MAIN'
      if (!isInPage) blur(focused)
      leave = holdFocusOnHeading()
    })
    return () => {
      leave()
      unsubscribe()
    }
  }, [router])
}

const pageOf = (pathname: string): string => pathname.replace(/^(\/a\/[^/]+)\/[^/]+/, '$1').replace(/\/$/, '')

const blur = (element: Element | null): void => {
  if (element instanceof HTMLElement) element.blur()
}

/** Keeps the focus on the heading until the user acts: it can appear late, or be replaced once its data has arrived. */
function holdFocusOnHeading(): () => void {
  const stop = onEveryChange(() => {
    const heading = headingOfPage()
    if (heading === null || document.activeElement !== document.body) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  })
  for (const act of ['keydown', 'pointerdown'] as const)
    document.addEventListener(act, stop, { once: true, capture: true })
  return () => {
    for (const act of ['keydown', 'pointerdown'] as const) document.removeEventListener(act, stop, true)
    stop()
  }
}

/** Calls `run` now and after every change of the page. Returns the function that stops it. */
function onEveryChange(run: () => void): () => void {
  run()
  const observer = new MutationObserver(run)
  observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  return () => observer.disconnect()
}
