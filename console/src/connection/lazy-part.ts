import { type ComponentType, lazy, type LazyExoticComponent } from 'react'
import { loadPart } from './load-part.ts'

/**
 * A component that is loaded when it is first shown. Where its file was replaced by an upgrade, the page is reloaded, once for each file, as the router
 * does it for pages: browsers that keep a failed import find the file again, too.
 */
export const lazyPart = <P extends object>(
  load: () => Promise<ComponentType<P>>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => {
    try {
      return { default: await loadPart(load) }
    } catch (error) {
      if (reloadOnceFor(String(error))) await new Promise(() => undefined)
      throw error
    }
  })

/** Reloads the page unless it was reloaded for the same reason before. */
function reloadOnceFor(reason: string): boolean {
  const mark = `reloaded: ${reason}`
  if (sessionStorage.getItem(mark) !== null) return false
  sessionStorage.setItem(mark, '1')
  window.location.reload()
  return true
}
