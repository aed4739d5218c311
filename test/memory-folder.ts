import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** What a whole run keeps at any time takes less than half of it. */
const enoughBytes = 4 * 1024 ** 3

/** Returns memory where there is enough of it: what is flushed there survives a killed process, too, and costs no time. */
export function memoryFolder(): string {
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= enoughBytes ? memory : tmpdir()
}
