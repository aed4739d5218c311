import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// Each thread loads this before its program: a thread that is not the first fills its nursery and says how large it became.
const probe = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { getHeapSpaceStatistics } from 'node:v8'
  import { isMainThread } from 'node:worker_threads'
  let kept = []
  for (let round = 0; !isMainThread && round < 8_000_000; round++) round % 40_000 === 0 ? (kept = []) : kept.push({ round })
  const nursery = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (!isMainThread) writeSync(1, nursery.space_size / 1_048_576 + '\\n')
`)}`

test('a thread of the database has the nursery that was given to it, however large the main thread is told to have its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-nurseries-'))
  const script = `
    import { Damage } from ${JSON.stringify(new URL('../../src/storage/seam/damage.ts', import.meta.url).href)}
    import { SqliteThread } from ${JSON.stringify(new URL('../../src/storage/sqlite/sqlite-thread.ts', import.meta.url).href)}
    const settings = { file: ${JSON.stringify(join(folder, 'a.db'))}, busyTimeoutMs: 0, cacheKiB: 1024 }
    for (const readOnly of [false, true]) {
      const thread = new SqliteThread({ ...settings, readOnly }, new Damage())
      await thread.execute({ op: 'exec', sql: 'create table if not exists t (n integer)', values: [] }).catch(() => undefined)
      await thread.close()
    }`
  try {
    const args = ['--max-semi-space-size=32', '--import', probe, '--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const [writer, reader] = stdout.trim().split('\n').map(Number)
    // Two halves, each a third of the 24 MB of who writes.
    expect(writer).toBe(16)
    expect(reader).toBeLessThan(writer as number)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}, 60_000)
