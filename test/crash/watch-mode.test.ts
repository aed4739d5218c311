import { readFile, rm } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { serverCommand } from '../../scripts/dev.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'

test('npm run dev starts the service, though Node speaks into the channels of its threads when it watches files', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { dev: string } }
  expect(scripts.dev).toBe('node scripts/dev.ts')
  const [, flag, ...rest] = serverCommand
  expect([flag, ...rest]).toEqual(['--watch', 'bin/onesixty.js', 'serve'])
  const dataFolder = await temporaryFolder()
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))

  const server = await startServerProcess({ dataFolder, flags: [flag], ofCheckout: true })
  onTestFinished(async () => void (await server.stop()))
  expect(server.first?.testKey).toMatch(/^onesixty_test_/)
})
