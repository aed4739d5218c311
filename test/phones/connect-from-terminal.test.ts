import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'
import { program } from '../started-program.ts'
import { databaseSettings } from '../test-database.ts'
import { startFakePhones } from '../peers/fake-phone-control.ts'

/** `onesixty device connect` as a person runs it, in a process beside the server. */
function connect(dataFolder: string, publicUrl: string) {
  const [command = '', ...args] = program.command()
  const child = spawn(command, [...args, 'device', 'connect', 'android', '--shared'], {
    env: { ...databaseSettings(dataFolder), ONESIXTY_PUBLIC_URL: publicUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text))
  return { child, ended, said: () => said }
}

test('the command shows what to type, and ends when the phone is there, while the server runs in another process', async () => {
  const dataFolder = await temporaryFolder()
  const server = await startServerProcess({ dataFolder })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  const command = connect(dataFolder, server.url)
  const shown = await eventually(command.said, (said) => expect(said).toContain('waiting for the phone'))
  const [, baseUrl = ''] = /API URL +(\S+)/.exec(shown) ?? []
  const [, privateToken = ''] = /Private Token +(\S+)/.exec(shown) ?? []
  expect(baseUrl).toBe(`${server.url}/mobile/v1`)

  const phones = await startFakePhones({ timeScale: 20, baseUrl, privateToken })
  onTestFinished(() => phones.stop())
  expect(await command.ended).toEqual([0, null])
  expect(command.said()).toMatch(/\[x\] registered +dev_\S+, samsung a12, app 1\.68\.0/)
  expect(command.said()).toMatch(/\[x\] event stream +open/)
  expect(command.said()).toMatch(/Connected\./)
}, 60_000)

test('Ctrl-C ends the command at once, with exit code 0', async () => {
  const dataFolder = await temporaryFolder()
  const server = await startServerProcess({ dataFolder })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  const command = connect(dataFolder, server.url)
  await eventually(command.said, (said) => expect(said).toContain('waiting for the phone'))
  command.child.kill('SIGINT')
  expect(await command.ended).toEqual([0, null])
  expect(command.said()).toContain('Stopped waiting')
}, 60_000)
