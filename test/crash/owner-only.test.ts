import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { cliProcess, startServerProcess, temporaryFolder } from '../harness.ts'

let folder: string
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const modesIn = async (place: string): Promise<Record<string, string>> => {
  const names = await readdir(place)
  const modes = await Promise.all(
    names.map(async (name) => [name, ((await stat(join(place, name))).mode & 0o777).toString(8)]),
  )
  return Object.fromEntries(modes) as Record<string, string>
}

test('whatever the program writes is for its own user alone, whatever the mask of who started it', async () => {
  const dataFolder = join(folder, 'data')
  const mask = process.umask(0)
  const server = await startServerProcess({ dataFolder }).finally(() => process.umask(mask))
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  expect(((await stat(dataFolder)).mode & 0o777).toString(8)).toBe('700')
  const modes = await modesIn(dataFolder)
  expect(Object.keys(modes)).toEqual(
    expect.arrayContaining(['epoch', 'onesixty.db', 'onesixty.db-shm', 'onesixty.db-wal', 'secret']),
  )
  expect(new Set(Object.values(modes))).toEqual(new Set(['600']))

  process.umask(0)
  const backup = await cliProcess(['backup', join(folder, 'copy.db')], { dataFolder }).finally(() =>
    process.umask(mask),
  )
  expect(backup.code).toBe(0)
  expect(await modesIn(folder)).toEqual({ 'copy.db': '600', data: '700' })
  expect(new Set(Object.values(await modesIn(dataFolder)))).toEqual(new Set(['600']))
  await server.stop()
})
