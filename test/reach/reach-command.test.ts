import { request } from 'node:http'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { ownAddresses } from '../../src/reach/find-addresses.ts'
import { dayMs } from '../../src/runtime/clock.ts'
import { eventually } from '../eventually.ts'
import { startApp, type TestApp } from '../harness.ts'
import { cli, cliJson } from '../run-command.ts'
import { databaseSettings } from '../test-database.ts'
import { createSkippingClock, type SkippingClock } from '../skipping-clock.ts'

/** Chrome 149 for Android, Safari of iOS 26, Chrome for Windows, and WhatsApp when it fetches the preview of a link. */
const browsers = {
  android:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Mobile Safari/537.36',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
  preview: 'WhatsApp/2.23.20.0 A',
}

let app: TestApp
let clock: SkippingClock
beforeEach(async () => {
  clock = createSkippingClock()
  app = await startApp({ ONESIXTY_TRUSTED_PROXIES: '127.0.0.1' }, { clock })
  onTestFinished(() => app.stop())
})

const env = () => ({ ONESIXTY_PUBLIC_URL: app.url })

async function openLink(link: string, userAgent: string, from = '192.168.1.23') {
  const headers = { 'user-agent': userAgent, accept: 'text/html,*/*;q=0.8', 'x-forwarded-for': from }
  const answer = await fetch(link, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** `onesixty reach` as a person runs it: what it has said so far, and Ctrl-C. */
function runReach() {
  let said = ''
  let interrupt = (): void => undefined
  const code = runCommandLine(['reach'], {
    stdout: { write: (text) => void (said += text) },
    stderr: { write: (text) => void (said += text) },
    stdin: (async function* none() {})(),
    env: { ...databaseSettings(app.dataFolder), ...env() },
    on: (signal, listener) => signal === 'SIGINT' && (interrupt = listener),
    off: () => undefined,
  })
  return { code, said: () => said, interrupt: () => interrupt() }
}

const newLink = async () => (await jsonOf()).link
async function jsonOf() {
  const { stdout } = await cli(['reach', '--json'], { dataFolder: app.dataFolder, env: env() })
  return JSON.parse(stdout) as { link: string; reach: { ok: boolean; steps: { summary: string }[] } }
}

async function doctor(publicUrl = app.url) {
  const { stdout } = await cli(['doctor', '--json'], {
    dataFolder: app.dataFolder,
    env: { ONESIXTY_PUBLIC_URL: publicUrl },
  })
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; summary: string; remedy: string | null }[] } // prettier-ignore
  return checks.find(({ name }) => name === 'phone_address')
}

test('the command shows each step and a link, and is ticked live by the phone that opens it', async () => {
  const reach = runReach()
  const shown = await eventually(reach.said, (said) => expect(said).toContain('waiting for a phone'))
  const [link = ''] = /http\S+\/mobile\/v1\/reach\/[\w-]{22}$/m.exec(shown) ?? []
  expect(shown).toContain('ok    path: This server answers at')
  const page = await openLink(link, browsers.android)
  expect(page).toMatchObject({
    status: 200,
    text: expect.stringContaining('<h1>This phone reaches onesixty</h1>'),
  })
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  await reach.code
  expect(reach.said()).toMatch(
    /\[x\] phone +A phone reached it at \S+ from 192\.168\.1\.23, by the same network \(Wi-Fi\)\.\n/,
  )
})

test('Ctrl-C ends the command, and the link stays valid', async () => {
  const reach = runReach()
  const shown = await eventually(reach.said, (said) => expect(said).toContain('waiting for a phone'))
  reach.interrupt()
  await reach.code
  expect(reach.said()).toContain('Stopped waiting.')
  const [link = ''] = /http\S+\/reach\/[\w-]{22}$/m.exec(shown) ?? []
  expect((await openLink(link, browsers.iphone)).text).toContain('This phone reaches onesixty')
})

test.each([
  ['a browser of a computer', browsers.windows, '192.168.1.23', 200, 'does not say that it runs on a phone'],
  ['a program that fetches the preview of a link', browsers.preview, '157.240.0.1', 200, 'does not say'],
  ['a browser of this machine', browsers.android, String(ownAddresses()[0]), 200, 'on the machine of the server'],
])('%s shows nothing about phones', async (_who, userAgent, from, status, words) => {
  const link = await newLink()
  expect(await openLink(link, userAgent, from)).toMatchObject({ status, text: expect.stringContaining(words) })
  await cliJson(['device', 'connect', 'android', '--shared'], app.dataFolder, env())
  expect(await doctor()).toMatchObject({ ok: false })
}) // prettier-ignore

test('the address of phones is ok for a day after a phone has opened the link, and not because this machine reaches it', async () => {
  await cliJson(['device', 'connect', 'android', '--shared'], app.dataFolder, env())
  expect(await doctor()).toMatchObject({ ok: false })
  await openLink(await newLink(), browsers.android, '203.0.113.9')
  const summary = expect.stringMatching(/A phone reached it at \S+ from 203\.0\.113\.9, by the internet\.$/)
  expect(await doctor()).toMatchObject({ ok: true, summary })
})

test('what a phone showed of one address says nothing about another one', async () => {
  await cliJson(['device', 'connect', 'android', '--shared'], app.dataFolder, env())
  await openLink(await newLink(), browsers.android)
  expect(await doctor()).toMatchObject({ ok: true })
  const { port } = new URL(app.url)
  expect(await doctor(`http://127.0.0.1:${port}`)).toMatchObject({ ok: true })
  for (const wrong of [`https://localhost:${port}`, 'http://localhost:1', 'https://sms.example.org'])
    expect(await doctor(wrong)).toMatchObject({ ok: false })
})

test('a phone that opens the link by another address ticks nothing, and is told so', async () => {
  await cliJson(['device', 'connect', 'android', '--shared'], app.dataFolder, env())
  const { pathname, port } = new URL(await newLink())
  const open = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { host, 'user-agent': browsers.android, accept: 'text/html' }
      const asking = request({ host: '127.0.0.1', port, path: pathname, headers }, (answer) => {
        answer.setEncoding('utf8')
        let text = ''
        answer.on('data', (piece: string) => void (text += piece)).on('end', () => resolve(text))
      })
      asking.on('error', reject).end()
    })
  expect(await open(`192.168.1.77:${port}`)).toContain('<h1>Opened by another address than phones are given')
  expect(await doctor()).toMatchObject({ ok: false })
  expect(await open(`localhost:${port}`)).toContain('<h1>This phone reaches onesixty')
  expect(await doctor()).toMatchObject({ ok: true })
})

test('one network opens links 30 times a minute, known or not, and others are served meanwhile', async () => {
  const link = await newLink()
  const guess = link.replace(/.{22}$/, 'A'.repeat(22))
  for (let n = 0; n < 30; n++) await openLink(guess, browsers.android, '203.0.113.9')
  expect(await openLink(link, browsers.android, '203.0.113.9')).toMatchObject({
    status: 429,
    text: expect.stringContaining('Too many attempts'),
  })
  expect((await openLink(link, browsers.android, '203.0.113.10')).status).toBe(200)
})

test('a link of more than a day is dead, and so is one that was never made', async () => {
  const link = await newLink()
  const unknown = link.replace(/.{22}$/, 'A'.repeat(22))
  expect(await openLink(unknown, browsers.android)).toMatchObject({ status: 404 })
  clock.skip(dayMs)
  expect(await openLink(link, browsers.android)).toMatchObject({
    status: 404,
    text: expect.stringContaining('has expired'),
  })
})

test('a client that is no browser gets the proof of this instance, and ticks nothing', async () => {
  const link = await newLink()
  const answer = await fetch(link, { headers: { 'user-agent': browsers.android, accept: '*/*' } })
  expect(await answer.json()).toEqual({ reach: expect.any(String) })
  expect((await openLink(link, browsers.android, '10.0.0.7')).text).toContain('This phone reaches')
})
