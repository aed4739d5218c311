import { writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../src/app/app.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { readConfig } from '../src/config.ts'
import { secretFile } from '../src/process/instance-secret.ts'
import { createLog } from '../src/process/log.ts'
import { lockFolder } from '../src/storage/instance/folder-lock.ts'
import { giveStorageBack, takeStorage } from './kept-storages.ts'
import { databaseSettings, testSecret } from './test-database.ts'

test('a server whose database does not close lets go of its folder all the same', async () => {
  const { dataFolder, storage } = await takeStorage(systemClock.now())
  onTestFinished(async () => {
    await storage.close()
    await giveStorageBack(dataFolder)
  })
  await writeFile(secretFile(dataFolder), testSecret, { mode: 0o600 })
  const config = readConfig({ ...databaseSettings(dataFolder), ONESIXTY_PORT: '0' })
  const open = async () => ({ ...storage, close: async () => Promise.reject(new Error('it does not close')) })
  const log = createLog('silent', { write: () => undefined })
  const app = await createApp(config, log, systemClock, { open })
  await app.start()
  await expect(app.stop()).rejects.toThrow('it does not close')
  const lock = await lockFolder(dataFolder, { nowMs: systemClock.now(), purpose: 'the next server' })
  lock.release()
})
