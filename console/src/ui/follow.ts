import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'

/** Returns a click handler for links into the console: it navigates without a reload, unless a new tab is requested. */
export function useFollow(): (event: MouseEvent<HTMLAnchorElement>) => void {
  const router = useRouter()
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void router.navigate({ href: event.currentTarget.getAttribute('href') ?? '/' })
  }
}
