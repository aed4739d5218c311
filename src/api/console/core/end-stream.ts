import type { ServerResponse } from 'node:http'

/**
 * Ends a stream, and its connection as soon as what was written has left: a client that reads no more would hold it, and a server that
 * stops waits for its connections.
 */
export function endStream(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy()
  else response.end(() => response.destroy())
}
