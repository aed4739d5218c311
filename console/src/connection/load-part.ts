import { connection } from './connection.ts'
import { isReachable } from './reachable.ts'

/**
 * Loads a part of the console that is a file of its own. While the server does not answer, it waits, so that a page that was asked for during an outage
 * appears once it is over. Rejects where the server answers and the file cannot be had: an upgrade has replaced it, or the browser keeps that an import
 * failed, as Chromium and Firefox do. Either way a reload helps, which the router makes for an error of this message.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  if (connection.state.kind === 'lost') await connection.untilReachable()
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (!isMissingPart(error)) throw error
      if (await isReachable())
        throw new TypeError(`Failed to fetch dynamically imported module: ${String(error)}`, { cause: error })
      await connection.untilReachable()
      removeDeadStyles()
    }
  }
}

/** Whether what failed is a file of the console that was not there (the words of Chromium, Firefox and WebKit, and of Vite for styles). */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|Importing a module script failed|Unable to preload CSS/.test(error.message)

/** A style sheet that could not be loaded leaves its link, and Vite loads none that has one. */
function removeDeadStyles(): void {
  if (typeof document === 'undefined') return
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (link.sheet === null) link.remove()
}
