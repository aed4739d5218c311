import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DockerStage, readDockerfile } from '../deployment-file.ts'
import { guidePath, guides } from '../../src/process/guides.ts'
import { freePort } from '../free-port.ts'
import { startApp, startServerProcess, temporaryFolder, type TestApp } from '../harness.ts'
import { readExpressions } from '../monitoring-expressions.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8')
const { healthCheck } = readDockerfile(dockerfile).at(-1) as DockerStage

test('the health check of the image finds a server that is ready, and only such a one', async () => {
  expect(await runHealthCheck(Number(new URL(app.url).port))).toBe(0)
  expect(await runHealthCheck(await freePort())).toBe(1)
})

test('the health check asks the port that the image exposes when no other is set', () => {
  const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? []
  expect(healthCheck?.at(-1)).toContain(`process.env.ONESIXTY_PORT || ${port}`)
})

test('the health check calls a server unhealthy that says it is not ready', async () => {
  const notReady = spawn(process.execPath, ['-e', notReadyServer], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const port = await new Promise<number>((resolve) =>
      notReady.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
    )
    expect(await runHealthCheck(port)).toBe(1)
  } finally {
    notReady.kill('SIGKILL')
  }
})

test('every metric that the dashboard and the rules ask for is there', async () => {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const kinds = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]))
  expect(kinds.size).toBeGreaterThan(30)
  const series = new Set(
    [...kinds].flatMap(([name = '', kind]) =>
      kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const missing = readExpressions().flatMap(({ from, text: asked }) =>
    [...asked.matchAll(/\bonesixty_\w+/g)]
      .filter(([name]) => !series.has(name))
      .map(([name]) => `${from} asks for ${name}`),
  )
  expect(missing).toEqual([])
})

test('a server whose one device is that of test mode can send nothing live, which the page about devices asks', async () => {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  expect(text).toMatch(/^onesixty_device_state\{device="dev_\w+"\} 2$/m)
  expect(text).toMatch(/^onesixty_devices_online 0$/m)
})

test('a server tells how many webhooks wait, though none of its roles is to deliver them', async () => {
  const other = await startApp({ ONESIXTY_ROLES: 'api' })
  try {
    const text = await (await fetch(`${other.url}/metrics`)).text()
    expect(text).toMatch(/^onesixty_webhook_deliveries_pending 0$/m)
    expect(text).not.toContain('onesixty_webhook_deliveries_in_flight')
  } finally {
    await other.stop()
  }
})

const notReadyServer = `
  const server = require('node:http').createServer((request, answer) => { answer.statusCode = 503; answer.end() })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** Runs what the Dockerfile has as its health check; gives its exit code. */
function runHealthCheck(port: number): Promise<number | null> {
  const [program, ...args] = healthCheck ?? []
  expect(program).toBe('node')
  const child = spawn(process.execPath, args, { env: { ONESIXTY_PORT: String(port) }, stdio: 'inherit' })
  return new Promise((resolve) => child.once('close', resolve))
}

test('the program that is started has its guides with it, from a checkout and built', async () => {
  const dataFolder = await temporaryFolder()
  const server = await startServerProcess({ dataFolder })
  try {
    for (const name of Object.keys(guides) as (keyof typeof guides)[]) {
      const page = await fetch(`${server.url}${guidePath(name)}`)
      expect([page.status, (await page.text()).includes('<h1>')], name).toEqual([200, true])
    }
  } finally {
    await server.kill('SIGKILL')
    await rm(dataFolder, { recursive: true, force: true })
  }
}, 60_000)
