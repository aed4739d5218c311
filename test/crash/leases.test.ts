import { rm } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { cliJson } from '../run-command.ts'

interface Listed {
  kind: string
  lease: { node: string; until: string } | null
}

test('a server takes the links of a killed one at once, and gives them back when it stops', async () => {
  const dataFolder = await temporaryFolder()
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const nodes = async (): Promise<(string | undefined)[]> => {
    const { devices } = await cliJson<{ devices: Listed[] }>(['device', 'list', '--shared'], dataFolder)
    return devices.map(({ lease }) => lease?.node)
  }
  const serve = async (node: string): Promise<ServerProcess> => {
    const server = await startServerProcess({ dataFolder, env: { ONESIXTY_NODE: node } })
    onTestFinished(async () => void (await server.kill('SIGKILL')))
    return server
  }
  const killed = await serve('north')
  expect(await nodes()).toEqual(['north'])
  await killed.kill('SIGKILL')
  expect(await nodes()).toEqual(['north'])
  // Ready: it waits for no lease of 45 s.
  const next = await serve('south')
  expect(await nodes()).toEqual(['south'])
  await next.stop()
  expect(await nodes()).toEqual([undefined])
})
