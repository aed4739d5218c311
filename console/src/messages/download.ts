import { CallFailed, isSignedOut, type Problem, unreachable } from '../api/call.ts'
import { sessionEnd } from '../connection/session-end.ts'
import { saveFile } from '../ui/save-file.ts'

/** How far a download has come. `totalRows` is null when the server could not count them beforehand. */
export interface Progress {
  bytes: number
  rows: number
  totalRows: number | null
}

/**
 * Fetches a file as it is written, telling how far it has come, and hands it to the browser to keep. Throws a `CallFailed` when it is refused,
 * and an error when the connection ends before the file does.
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
    const refused = new CallFailed(problem)
    if (isSignedOut(refused) && (await sessionEnd.signInAgain({ isOwnAct: true })))
      return download(address, format, onProgress, signal)
    throw refused
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

/** Counts the rows in the bytes so far: the ends of lines that stand in no quotes. In a line of JSON no end of a line is written as such. */
function rowCounter(format: 'csv' | 'json'): (bytes: Uint8Array) => number {
  // The line of names, or the brackets, is no row.
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
