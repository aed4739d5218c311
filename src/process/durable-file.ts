import { access, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Flushes a file or a folder to disk. A new name is durable only once its folder is flushed. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes a small file as a whole, readable only by its owner, and flushes it. At every moment the name holds
 * the old text or the new one.
 */
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

/** Returns the text of a file, or null if it does not exist. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Returns whether a file or folder of that name exists. */
export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Returns whether a retry would fail in the same way until someone fixes rights, path or disk. Faults that
 * are not known to last may pass: space, memory, files and networks become available again (ENOSPC, ENOMEM,
 * EMFILE, ESTALE), and a disk that failed once (EIO) may respond.
 */
export const isLastingFault = (code: string): boolean => lasting.has(code)

const lasting: ReadonlySet<string> = new Set([
  'EACCES', 'EEXIST', 'EINVAL', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS',
]) // prettier-ignore

/** Returns whether an error has this code of the operating system, such as ENOENT or EEXIST. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
