import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** What the tests of a whole run keep at any time, and its PostgreSQL, take less than half of it each. */
const enoughBytes = 8 * 1024 ** 3

/** Returns memory where there is enough of it: what is flushed there survives a killed process, too, and costs no time. */
export function memoryFolder(): string {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= enoughBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
