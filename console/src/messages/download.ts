import { CallFailed, isSignedOut, type Problem, unreachable } from '../api/call.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { saveFile } from '../ui/save-file.ts'

/** Progress of a download. `totalRows` is null when the server could not count the rows in advance. */
export interface Progress {
  bytes: number
  rows: number
  totalRows: number | null
}

/**
 * Downloads a file while the server writes it, with progress, and saves it. Throws a `CallFailed` when the server
 * rejects it, and an error when the connection breaks before the end.
 */
export async function download(
  address: string,
  format: 'csv' | 'json',
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(address, { credentials: 'same-origin', signal })
  if (!response.ok || response.body === null) {
    const problem = (await response.json().catch(() => unreachable)) as Problem
    const failure = new CallFailed(problem)
    if (isSignedOut(failure) && (await sessionEnd.signInAgain({ isOwnAct: true })))
      return download(address, format, onProgress, signal)
    throw failure
  }
  const total = response.headers.get('x-total-rows')
  const progress: Progress = { bytes: 0, rows: 0, totalRows: total === null ? null : Number(total) }
  const count = rowCounter(format)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value)
    progress.bytes += piece.value.length
    progress.rows = count(piece.value)
    onProgress({ ...progress })
  }
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  saveFile(
    new Blob(pieces, { type }),
    nameIn(response.headers.get('content-disposition')) ?? `messages.${format}`,
  )
}

const quote = 0x22
const lineFeed = 0x0a

/** Counts rows by line feeds outside of quotes. JSON escapes line feeds inside of values. */
function rowCounter(format: 'csv' | 'json'): (bytes: Uint8Array) => number {
  // The header line, or the opening bracket, is not a row.
  let lines = -1
  let isQuoted = false
  return (bytes) => {
    for (const byte of bytes) {
      if (byte === quote && format === 'csv') isQuoted = !isQuoted
      else if (byte === lineFeed && !isQuoted) lines += 1
    }
    return Math.max(0, lines)
  }
}

const nameIn = (disposition: string | null): string | null =>
  /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? null
