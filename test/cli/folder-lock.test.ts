import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderLockedError, lockFolder } from '../../src/storage/instance/folder-lock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'onesixty-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const nowMs = Date.parse('2026-11-21T09:30:00.000Z')
const lock = () => lockFolder(folder, { nowMs, purpose: 'onesixty serve' })

/** Another process that takes the lock and keeps it until it is killed. */
async function lockElsewhere() {
  const module = new URL('../../src/storage/instance/folder-lock.ts', import.meta.url).href
  const script = `import { lockFolder } from ${JSON.stringify(module)}
    await lockFolder(${JSON.stringify(folder)}, { nowMs: ${nowMs}, purpose: 'onesixty serve' })
    process.stdout.write('locked')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('a second one is refused, with who holds it and since when', async () => {
  const held = await lock()
  await expect(lock()).rejects.toThrow(
    new FolderLockedError(
      `The data folder ${folder} is in use by onesixty serve, process ${process.pid}, since 2026-11-21T09:30:00.000Z. Stop that process, or use another folder (ONESIXTY_DATA).`,
    ),
  )
  held.release()
  held.release()
  ;(await lock()).release()
})

test('another process is refused too, and nothing has to be cleaned up after kill -9', async () => {
  const child = await lockElsewhere()
  await expect(lock()).rejects.toThrow(`by onesixty serve, process ${child.pid},`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const held = await lock()
  await expect(lock()).rejects.toThrow(`process ${process.pid},`)
  held.release()
})

test('of many that try at once one gets it', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 20 }, lock))
  const held = tries.filter((one) => one.status === 'fulfilled')
  expect(held).toHaveLength(1)
  held[0]?.value.release()
})

test('folders do not stand in each other’s way', async () => {
  const held = await lock()
  const other = await lockFolder(join(folder, 'other'), { nowMs, purpose: 'onesixty serve' })
  await expect(lock()).rejects.toThrow(FolderLockedError)
  other.release()
  await expect(lock()).rejects.toThrow(FolderLockedError)
  held.release()
})
