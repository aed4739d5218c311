import { access, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Flushes a file or a folder to the disk: a name is durable only when its folder is. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a whole small file for its owner alone, flushed; at every instant the name holds the old text or the new one. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, path)
  await flushPath(dirname(path))
}

/** The text of a file, or null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Whether there is something of that name. */
export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Whether a later try would find the same, until somebody has put rights, path or disk right. Whatever is not known to last may pass by itself: room,
 * memory, files and networks come back (ENOSPC, ENOMEM, EMFILE, ESTALE), a disk that failed once (EIO) may answer.
 */
export const isLastingFault = (code: string): boolean => lasting.has(code)

const lasting: ReadonlySet<string> = new Set([
  'EACCES', 'EEXIST', 'EINVAL', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS',
]) // prettier-ignore

/** Whether the operating system said so: ENOENT, EEXIST and the like. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
