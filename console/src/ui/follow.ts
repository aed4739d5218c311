import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'

/** What a click on a link with a whole address of ours does: the page changes and is not loaded anew, unless another tab is wanted. */
export function useFollow(): (event: MouseEvent<HTMLAnchorElement>) => void {
  const router = useRouter()
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void router.navigate({ href: event.currentTarget.getAttribute('href') ?? '/' })
  }
}
