import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere, writeDurably } from '../process/durable-file.ts'

/**
 * A request for a certificate that was made, and that the CA may not have decided. Stored before it is posted: the
 * certificate that a person approves days later is of no use without its key.
 */
export interface PendingRequest {
  address: string
  /** The request and its private key, in PEM. */
  request: string
  key: string
  /** The ID that the CA gave it; null until it answered. */
  id: string | null
  postedAtMs: number
}

const fileOf = (dataFolder: string): string => join(dataFolder, 'certificates', 'request.json')

/** Returns the request that was stored; null without one, and for a file that cannot be read as one. */
export async function readPendingRequest(dataFolder: string): Promise<PendingRequest | null> {
  const text = await readIfThere(fileOf(dataFolder))
  try {
    const read = JSON.parse(text ?? 'null') as Partial<PendingRequest> | null
    const isWhole =
      typeof read?.address === 'string' &&
      typeof read.request === 'string' &&
      typeof read.key === 'string' &&
      typeof read.postedAtMs === 'number' &&
      (read.id === null || typeof read.id === 'string')
    return isWhole ? (read as PendingRequest) : null
  } catch {
    return null
  }
}

/** Stores a request, in place of a former one; mode 0600. */
export async function storePendingRequest(dataFolder: string, pending: PendingRequest): Promise<void> {
  await mkdir(join(dataFolder, 'certificates'), { recursive: true, mode: 0o700 })
  await writeDurably(fileOf(dataFolder), JSON.stringify(pending))
}

/** Removes the request: the CA has decided. */
export const removePendingRequest = (dataFolder: string): Promise<void> =>
  rm(fileOf(dataFolder), { force: true })
