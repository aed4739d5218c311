import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Writes SHA256SUMS next to the artefacts, in the form that `sha256sum --check` reads. */
export async function writeSums(files: readonly string[]): Promise<string> {
  const [first] = files
  if (first === undefined) throw new Error('No artefact was built.')
  const lines = await Promise.all(
    files.toSorted().map(async (file) => `${await sha256(file)}  ${basename(file)}\n`),
  )
  const sums = join(dirname(first), 'SHA256SUMS')
  await writeFile(sums, lines.join(''))
  return sums
}

/** Returns the SHA-256 of a file, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
