/** How long the server may take to answer at all, ms: a network that swallows packets answers nothing. */
const timeoutMs = 5_000

/**
 * Whether the server answers. It does so also where it is not ready (503, as JSON); what a proxy with nothing behind it answers is no answer of the
 * server's.
 */
export async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    return response.ok || response.headers.get('content-type')?.startsWith('application/json') === true
  } catch {
    return false
  }
}
