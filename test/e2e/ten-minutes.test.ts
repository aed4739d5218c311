import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCa } from '../certificates/stub-ca.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { startServerProcess, temporaryFolder } from '../harness.ts'
import { startFakePhones } from '../peers/fake-phone-control.ts'
import { cliJson } from '../run-command.ts'
import { databaseSettings } from '../test-database.ts'
import { openBrowser } from './browser.ts'
import { newPerson, openScreen } from './person.ts'

/** Runs a program on a terminal of its own (util-linux). */
const hasTerminal = spawnSync('script', ['--version']).status === 0

/** A network of its own needs user namespaces, which some machines forbid. */
const canUnshare = spawnSync('unshare', ['-rn', 'ip', 'link'], { stdio: 'ignore' }).status === 0

/** As Chrome on Android says who it is. */
const phoneBrowser =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36'

/** What ten minutes allow: docs of the first real SMS count them. */
const maxActions = 25

test.runIf(hasTerminal)(
  'from an empty folder to an SMS that was delivered and answered, by the words on the screen alone, in 25 actions',
  async () => {
    const { actions, act } = newPerson()
    const dataFolder = await temporaryFolder()
    onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
    const server = await act('npm start', () => startServerProcess({ dataFolder, ofCheckout: true }))
    onTestFinished(async () => void (await server.kill('SIGKILL')))
    const env = { ...databaseSettings(dataFolder), ONESIXTY_PORT: String(server.port) }

    const [link = ''] = /http:\S+\/link#\S+/.exec(server.output()) ?? []
    const browser = await openBrowser()
    onTestFinished(() => browser.close())
    const { page } = await browser.newPage()
    await act('open the link', () => page.goto(link))
    await act('type the address', () => page.getByLabel('E-mail address').fill('boss@example.org'))
    await act('type a password', () => page.getByLabel(/^Password/).fill('gelber Igel im Schnee'))
    await act('open the console', () => page.getByRole('button', { name: 'Open console' }).click())
    await page.getByRole('heading', { name: 'First steps' }).waitFor()

    const [, command = ''] = /To send from a phone[^\n]*\n\n {2}(\S.*)/.exec(server.output()) ?? []
    expect(command).toMatch(/ device connect$/)
    const screen = await act('run the command', () => openScreen(command, env))
    await screen.reads(/open the address below, download app-release\.apk[\s\S]*https:\/\/github\.com\S+/)
    const phones = await act('install the app', () => startFakePhones({ timeScale: 20, isCloudOn: false, baseUrl: 'http://127.0.0.1:9' })) // prettier-ignore
    onTestFinished(() => phones.stop())
    const phone = phones.phone(0)

    await screen.reads(/1\) Same network \(recommended\)[\s\S]*Connection \[1\]: /)
    await act('take the recommended connection', () => screen.types(''))
    await screen.reads(/switch Local server on/)
    await act('switch Local server on', () => phones.set({ localPort: 0 }))
    await screen.reads(/Tap Offline at the bottom. Android asks for SMS and Phone: allow both/)
    await act('tap Offline', () => phone.restart())
    await act('allow SMS', () => undefined)
    await act('allow Phone', () => undefined)
    // What the app shows under Local address and Password.
    const { localPort, localPassword } = await eventually(phone.view, (view) => expect(view.localPort).not.toBeNull()) // prettier-ignore
    await screen.reads(/Local address \(.*\): /)
    await act('type the address', () => screen.types(`127.0.0.1:${localPort}`))
    await screen.reads(/\[x\] 3\/10 Address: App 1\.68\.0 answers/)
    await screen.reads(/Username \[sms\]: /)
    await act('keep the user name', () => screen.types(''))
    await screen.reads(/Password, not shown: /)
    await act('type the password', () => screen.types(localPassword))
    const [, deviceId = ''] = await screen.reads(/\[x\] 4\/10 Login: samsung a12, app 1\.68\.0, (dev_\w+)/)
    // By default an answer waits for up to ten seconds.
    await cliJson(['device', 'set', deviceId, '--set', 'visit_ms=200', '--set', 'visit_idle_s=1'], dataFolder)
    await screen.reads(/\[x\] 5\/10 Permissions: SIM 1: /)
    await screen.reads(/Battery optimization[\s\S]*Press Enter when/)
    await act('allow the background', () => undefined)
    await act('press Enter', () => screen.types(''))
    await screen.reads(/\[x\] 7\/10 Number: \+4915550001234/)
    await screen.reads(/SMS a day for each API key, such as 200 \(empty: no limit\): /)
    await act('limit the API keys', () => screen.types('200'))
    await screen.reads(/\[x\] 8\/10 Daily limit: Each API key sends at most 200 SMS a day\./)
    await screen.reads(/Send to \[\+4915550001234\]: /)
    await act('send to the own number', () => screen.types(''))
    await screen.reads(/\[x\] 9\/10 Test SMS to yourself: SMS to \+4915550001234: (?:sent|delivered)/, 40_000)
    await screen.reads(/answer the SMS with any text/)
    await screen.reads(/delivered\./, 40_000)
    await act('answer', () => phone.receiveSms({ from: '+4915550001234', text: 'It works.' }))
    await screen.reads(/\[x\] 10\/10 Answer it: \+4915550001234: It works\./, 40_000)
    expect(await screen.ended).toBe(0)

    expect(screen.shown()).not.toContain(localPassword)
    expect(phone.radioLog().map(({ to }) => to)).toEqual(['+4915550001234'])
    expect(actions.length).toBeLessThanOrEqual(maxActions)
    // First steps listens to the changes of test mode alone.
    await page.reload()
    await page.getByText('1 real SMS sent so far.').waitFor()
  },
  180_000,
)

/** A network in which this machine is 192.168.1.10: the words before a command that is to run in it. It ends with the test. */
async function openNetwork(): Promise<string[]> {
  const lan = 'ip link set lo up; ip link add lan type veth peer name far; ip link set lan up; ip link set far up; ip addr add 192.168.1.10/24 dev lan'
  const holder = spawn('unshare', ['-rn', 'sh', '-c', `${lan}; echo ready; exec sleep 600`], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return ['nsenter', '-t', String(holder.pid), '-U', '-n', '--preserve-credentials']
} // prettier-ignore

test.runIf(hasTerminal && canUnshare)(
  'over HTTPS at a private address, with the certificate of certificate for-phones, the same steps lead to an answered SMS',
  async () => {
    const { actions, act } = newPerson()
    const dataFolder = await temporaryFolder()
    onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
    const network = await openNetwork()
    const ca = await openCa(['approve'])
    const port = await freePort()
    const env = {
      ...databaseSettings(dataFolder),
      ONESIXTY_PORT: String(port),
      ONESIXTY_CERTIFICATE_FROM: ca.from,
    }
    const inNetwork = (line: string, more = {}) =>
      openScreen([...network, line].join(' '), { ...env, ...more })
    const root = join(dataFolder, 'ca.pem')
    await writeFile(root, ca.root)

    const first = await act('npm start', () => inNetwork('./onesixty serve'))
    await first.reads(/API reference: http/)
    // The CA is on the internet, which this network has not: the command runs outside of it.
    const certify = './onesixty certificate for-phones --address 192.168.1.10'
    const asked = await act('ask for a certificate', () => openScreen(certify, env))
    await asked.reads(/What it means:[\s\S]*To continue, add --agree\./)
    const agreed = await act('agree', () => openScreen(`${certify} --agree`, env))
    const [, setting = '', listen = ''] = await agreed.reads(
      /Now set (ONESIXTY_PHONE_LISTEN)=(\S+) and restart/,
    )
    await act('stop the server', () => first.types('\u0003'))
    await first.ended
    const settings = { [setting]: listen }
    const second = await act('start it with the setting', () => inNetwork('./onesixty serve', settings))
    await second.reads(/Guides: http/)

    const screen = await act('run the command', () => inNetwork('./onesixty device connect', settings))
    await screen.reads(/2\) Over the internet[\s\S]*Connection \[1\]: /)
    await act('choose the internet', () => screen.types('2'))
    const [, link = ''] = await screen.reads(/The link, for the browser of the phone:\s+(https:\S+)/)
    await screen.reads(/https:\/\/192\.168\.1\.10:8443\/mobile\/v1: Reached/)
    // Over loopback, which is not this machine's own address in the network, as a phone on a cable comes.
    const asPhone = [
      'curl',
      '-sk',
      '--interface',
      '127.0.0.1',
      '-A',
      phoneBrowser,
      '-H',
      'accept: text/html',
      link,
    ]
    await act('open the link', () => spawnSync(network[0] ?? '', [...network.slice(1), ...asPhone]))
    await screen.reads(/\[x\] 3\/10 Address: A phone reached it from 127\.0\.0\.1, by this machine/)
    const [, baseUrl = ''] = await screen.reads(/API URL:\s+(\S+)/)
    const [, privateToken = ''] = await screen.reads(/Private Token, shown only once:\s+(\S+)/)
    const phones = await act('type both and sign up', () =>
      // The app has the root of its CA in its resources.
      startFakePhones({ timeScale: 20, baseUrl, privateToken, caFile: root, through: network }),
    )
    onTestFinished(() => phones.stop())
    await screen.reads(/\[x\] 4\/10 Login: samsung a12[\s\S]*\[x\] 5\/10 Permissions: SIM 1/)
    await screen.reads(/Press Enter when/)
    await act('press Enter', () => screen.types(''))
    const [, asksNumber] = await screen.reads(/(Number \(empty: pass over\): )|\[x\] 7\/10 Number: \+/)
    if (asksNumber !== undefined) await act('type the number', () => screen.types('+4915550001234'))
    await screen.reads(/SMS a day for each API key, such as 200 \(empty: no limit\): /)
    await act('limit the API keys', () => screen.types('200'))
    await screen.reads(/\[x\] 8\/10 Daily limit: Each API key sends at most 200 SMS a day\./)
    await screen.reads(/Send to \[\+4915550001234\]: /)
    await act('send to the own number', () => screen.types(''))
    await screen.reads(/\[x\] 9\/10 Test SMS to yourself: SMS to \+4915550001234: (?:sent|delivered)/, 40_000)
    await screen.reads(/delivered\./, 40_000)
    await act('answer', () => phones.phone(0).receiveSms({ from: '+4915550001234', text: 'Over TLS.' }))
    await screen.reads(/\[x\] 10\/10 Answer it: \+4915550001234: Over TLS\./, 40_000)
    expect(await screen.ended).toBe(0)
    expect(ca.calls).toHaveLength(1)
    expect(phones.phone(0).radioLog()).toHaveLength(1)
    expect(actions.length).toBeLessThanOrEqual(maxActions)
  },
  180_000,
)
