import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cliProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { removeTestFolder } from '../test-database.ts'

const hook = pathToFileURL(join(import.meta.dirname, 'unflushed-sqlite.ts')).href
const levels = [
  ['off', 0],
  ['normal', 1],
] as const

async function openHouse(level: string) {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => removeTestFolder(dataFolder))
  return { dataFolder, env: { NODE_OPTIONS: `--import=${hook}`, TEST_SYNCHRONOUS: level } }
}

test.each(levels)(
  'a server whose SQLite falls back to synchronous=%s in silence refuses to start, and says why',
  async (level, number) => {
    const starting = startServerProcess(await openHouse(level))
    starting.then(
      (server) => server.kill('SIGKILL'),
      () => undefined,
    )
    await expect(starting).rejects.toThrow(
      `SQLite runs with synchronous=${number}: a power cut could lose accepted messages`,
    )
  },
)

test('one whose SQLite flushes each commit starts, with the same module in front of it', async () => {
  const server = await startServerProcess(await openHouse('full'))
  expect(await server.stop()).toMatchObject({ code: 0 })
})

test.each(levels)(
  'a command whose SQLite falls back to synchronous=%s in silence is refused, and the doctor says so',
  async (level, number) => {
    const { dataFolder, env } = await openHouse(level)
    const create = ['account', 'create', '--name', 'Ada', '--email', 'ada@example.org']
    const refused = await cliProcess(create, { dataFolder, env })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('SQLite does not flush each commit'),
    ])
    expect(await cliProcess(create, { dataFolder })).toMatchObject({ code: 0 })
    const { code, stdout } = await cliProcess(['doctor'], { dataFolder, env })
    expect([code, stdout]).toEqual([1, expect.stringContaining(`synchronous is ${number}: a power failure`)])
  },
)
