import { type ComponentType, lazy, type LazyExoticComponent } from 'react'
import { isMissingPart, loadPart } from './load-part.ts'

const prefix = 'reloaded: '

/**
 * A component that is loaded when it is first shown. Where its file was replaced by an upgrade, the page is reloaded once, as the router does it for
 * pages: browsers that keep a failed import find the file again, too. An open dialog may show what is shown only once, so nothing is reloaded under it.
 */
export const lazyPart = <P extends object>(
  load: () => Promise<ComponentType<P>>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(async () => {
    try {
      const part = await loadPart(load)
      for (const name of Object.keys(sessionStorage))
        if (name.startsWith(prefix)) sessionStorage.removeItem(name)
      return { default: part }
    } catch (error) {
      if (isMissingPart(error) && reloadOnceFor(String(error))) await new Promise(() => undefined)
      throw error
    }
  })

/** Reloads the page unless it was reloaded for the same reason before. */
function reloadOnceFor(reason: string): boolean {
  const mark = prefix + reason
  if (sessionStorage.getItem(mark) !== null || document.querySelector('[aria-modal="true"]') !== null)
    return false
  sessionStorage.setItem(mark, '1')
  window.location.reload()
  return true
}
