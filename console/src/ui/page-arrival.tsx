import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { usePlace } from '../api/place.ts'
import { sessionQuery } from '../api/session.ts'

/** Tells where one has arrived, on every page by its one heading: in the title of the window, and by the focus. */
export function PageArrival() {
  useWindowTitle()
  useFocusOnArrival()
  return null
}

const headingOfPage = (): HTMLHeadingElement | null => document.querySelector('h1')

/** "History · Ada (test) · onesixty": what differs stands first, as tabs show the beginning alone. */
function useWindowTitle(): void {
  const place = usePlace()
  // Pages ask for the session when they need it; signing in must not wait for a title.
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
 * Puts the focus on the heading of a page that was gone to (WCAG 2.2, 2.4.3), where reading goes on. The same page in the other
 * mode, or with another filter, is no other page; a page that put the focus into a field of its own keeps it there.
 */
function useFocusOnArrival(): void {
  const router = useRouter()
  useEffect(() => {
    let leave = (): void => undefined
    const forget = router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
      if (fromLocation === undefined || pageOf(fromLocation.pathname) === pageOf(toLocation.pathname)) return
      leave()
      const focused = document.activeElement
      const isInPage = focused?.closest('main') !== null && focused?.tagName !== 'MAIN'
      if (!isInPage) blur(focused)
      leave = holdFocusOnHeading()
    })
    return () => {
      leave()
      forget()
    }
  }, [router])
}

const pageOf = (pathname: string): string => pathname.replace(/^(\/a\/[^/]+)\/[^/]+/, '$1').replace(/\/$/, '')

const blur = (element: Element | null): void => {
  if (element instanceof HTMLElement) element.blur()
}

/** Until the person acts: a heading may come late, or be replaced when what it names is known. */
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

/** Calls now, and whenever something on the page has changed. */
function onEveryChange(look: () => void): () => void {
  look()
  const observer = new MutationObserver(look)
  observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  return () => observer.disconnect()
}
