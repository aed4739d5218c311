import type { ServerResponse } from 'node:http'

/**
 * Ends a stream, and closes its connection when everything is written. A client that no longer reads would
 * keep it open, and a stopping server waits for its connections.
 */
export function endStream(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy()
  else response.end(() => response.destroy())
}
