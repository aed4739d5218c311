import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import type { FoundPort } from '../../src/connectors/connector-tools.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { startAtModem } from '../peers/at-modem-control.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { openPty } from '../peers/serial-pty.ts'
import { startFakePhones } from '../peers/fake-phone-control.ts'
import { startSmsc } from '../peers/smsc-control.ts'
import { expectSound, expectSoundInBothSchemes, widths, type PageOptions, type TestPage } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'
import { makeOperator } from './signed-in.ts'

/** What the machine of the server has, with a modem at the first port once a test has plugged one in. */
const foundPorts: FoundPort[] = []
const webStick = { vendorId: '12d1', productId: '14dc', maker: 'HUAWEI_MOBILE', product: null, remedy: 'It has a web page in the place of a port.' } // prettier-ignore
const serialPorts = async () => ({ ports: foundPorts, withoutPort: [webStick], knowsHolders: true })

let ada: Ada
beforeAll(async () => {
  ada = await openAda({}, { serialPorts })
  await makeOperator(ada, ada.account.userId)
})
afterAll(() => ada.stop())

async function openDevices(mode: 'live' | 'test', options?: PageOptions): Promise<TestPage> {
  const tab = await ada.signedIn(options)
  await tab.open(`${ada.place}/${mode}/devices`)
  await tab.page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
  return tab
}

test('a phone that is connected ticks live, is named, and its card tells how it is', async () => {
  const tab = await openDevices('live')
  const { page } = tab
  await page.getByText('Without a device, every send is rejected and nothing is stored.').waitFor()
  await page.getByRole('button', { name: 'Connect first device' }).click()
  await page.getByRole('button', { name: 'Over the internet' }).click()
  const privateToken = await page.getByTestId('type-private').innerText()
  const baseUrl = await page.getByTestId('type-api').innerText()
  expect(baseUrl).toBe(`${ada.url}/mobile/v1`)
  await page.getByText('Waiting for the phone.').waitFor()
  await expectSound(tab)
  await tab.screenshot('devices-connect-phone')
  const phones = await startFakePhones({ timeScale: 20, baseUrl, privateToken })
  onTestFinished(() => phones.stop())
  await page.getByRole('heading', { name: 'Battery (to do)' }).waitFor()
  await tab.screenshot('devices-phone-connected')
  await page.keyboard.press('Escape')
  await page.getByRole('article').getByRole('link').click()
  await page.getByRole('textbox', { name: /Number of SIM 1/ }).fill('+49 151 1234 5678')
  await page.getByRole('button', { name: 'Save number' }).first().click()
  await page.getByText('1: +4915112345678').waitFor()
  await expectSound(tab)
  await tab.screenshot('device-phone')
  await tab.follow(`${ada.place}/live/devices`)
  await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
  await page.getByRole('article').getByText('online', { exact: true }).waitFor()
  await phones.phone(0).goOffline()
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('a simulator that is told to go offline turns its card offline in another tab, without a reload', async () => {
  const tab = await openDevices('test')
  const { page } = tab
  await page.getByRole('button', { name: 'Connect device' }).click()
  await page.getByText('Simulator', { exact: true }).last().click()
  await page.getByLabel(/^Name/).fill('Bench')
  await expectSound(tab)
  await tab.screenshot('devices-add-simulator')
  await page.getByRole('button', { name: 'Add device' }).click()
  const card = page.getByRole('article', { name: 'Bench' })
  await card.getByText('online', { exact: true }).waitFor()
  const other = await openDevices('test')
  await other.page.getByRole('article', { name: 'Bench' }).getByRole('link').click()
  await other.page.getByRole('switch', { name: 'Offline' }).click({ force: true })
  await card.getByText('offline', { exact: true }).waitFor()
  await card.getByText('switched off').first().waitFor()
  await expectSound(tab)
  await other.page.getByText('switched off').first().waitFor()
  expect(await other.page.getByText(/for -/).count()).toBe(0)
  await expectSound(other)
  await other.screenshot('device-simulator')
  await other.page.getByRole('switch', { name: 'Offline' }).click({ force: true })
  await card.getByText('online', { exact: true }).waitFor()
  await other.page.getByRole('button', { name: 'Drain' }).click()
  await card.getByText('draining', { exact: true }).waitFor()
  await other.page.getByRole('button', { name: 'Pause' }).click()
  await card.getByText('paused', { exact: true }).waitFor()
  await other.page.getByRole('button', { name: 'Resume' }).click()
  await card.getByText('online', { exact: true }).waitFor()
  await other.page.getByRole('button', { name: 'Send test SMS' }).click()
  await other.page.getByRole('button', { name: 'Send message' }).click()
  await other.page.getByRole('link', { name: 'View message' }).click()
  await other.page.getByRole('heading', { name: 'To +15005550006' }).waitFor()
  await other.page.goBack()
  await other.page.getByRole('button', { name: 'Remove', exact: true }).click()
  await other.page.getByText('The device has no messages in flight.').waitFor()
  await other.screenshot('device-remove')
  await other.page.getByRole('button', { name: 'Remove Bench' }).click()
  await card.waitFor({ state: 'detached' })
  expect([...tab.faults, ...other.faults]).toEqual([])
  await page.context().close()
  await other.page.context().close()
})

test('a link shows what is wrong with it field by field, then that it is bound, and its trial says why a bind fails', async () => {
  const smsc = await startSmsc()
  onTestFinished(() => smsc.stop())
  const tab = await openDevices('live')
  const { page } = tab
  await page.getByRole('button', { name: 'Connect device' }).first().click()
  await page.getByText('SMPP connection', { exact: true }).click()
  await page.getByLabel(/^Name/).fill('Carrier')
  await page.getByLabel(/^host/).fill('127.0.0.1')
  await page.getByLabel(/^port/).fill('many')
  await page.getByLabel(/^system_id/).fill('onesixty')
  await page.getByLabel(/^Password/).fill('secret')
  await page.getByRole('button', { name: 'Add device' }).click()
  await page
    .getByText(/The setting port needs a whole number/)
    .first()
    .waitFor()
  await expectSound({ ...tab, faults: [] })
  await tab.screenshot('devices-add-link')
  await page.getByLabel(/^port/).fill(String(smsc.port))
  await page.getByRole('button', { name: 'Add device' }).click()
  const card = page.getByRole('article', { name: 'Carrier' })
  await card.getByText('online', { exact: true }).waitFor()
  await card.getByRole('link').click()
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/The device is bound/).waitFor()
  await smsc.stop()
  await page.getByText('offline', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/^The bind failed: .*ECONNREFUSED/).waitFor()
  await page.getByText(/^Connection refused/).waitFor()
  await tab.screenshot('device-link')
  await page.context().close()
})

test.skipIf(!hasCommands('socat'))(
  'a modem is added at a port of the server, says why it is not ready, and shows its network',
  async () => {
    const modem = await startAtModem({ profile: 'huawei', sim: { pin: '1234' } })
    onTestFinished(() => modem.stop())
    const folder = mkdtempSync(join(tmpdir(), 'onesixty-port-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const pty = await openPty(modem.port, join(folder, 'usb-HUAWEI_Mobile-if00-port0'), { staysOpen: true })
    onTestFinished(() => pty.unplug())
    const usb = {
      vendorId: '12d1',
      productId: '1506',
      maker: 'HUAWEI',
      product: 'Mobile',
      interfaceNumber: 0,
    }
    const port = {
      path: pty.path,
      steadyBy: 'name',
      node: '/dev/ttyUSB0',
      driver: 'option1',
      usb,
      deviceKey: '1',
      isLikely: true,
      heldBy: [],
      faults: [],
    } as const
    const faults = [{ reason: 'port_in_use', detail: 'It is open in minicom (process 4711).' }]
    foundPorts.push(
      { ...port, path: '/dev/ttyS0', node: '/dev/ttyS0', usb: null, isLikely: false, faults },
      port,
    )
    const tab = await openDevices('live')
    const { page } = tab
    await page.getByRole('button', { name: 'Connect device' }).first().click()
    await page.getByText('GSM modem', { exact: true }).click()
    await page.getByText('It is open in minicom (process 4711).').waitFor()
    await page.getByText('It has a web page in the place of a port.').waitFor()
    await page.getByLabel(/^Name/).fill('Stick')
    await page.getByRole('button', { name: `Use ${pty.path}` }).click()
    await expectSound(tab)
    await tab.screenshot('devices-add-modem')
    await page.getByRole('button', { name: 'Add device' }).click()
    const card = page.getByRole('article', { name: 'Stick' })
    await card.getByText('sim pin', { exact: true }).waitFor()
    await card.getByRole('link').click()
    await page.getByText('The SIM requires its PIN. Set the secret pin, 4 to 8 digits.').waitFor()
    await tab.screenshot('device-modem-locked')
    await page.getByLabel(/^New PIN of the SIM/).fill('1234')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('online', { exact: true }).waitFor()
    const { network } = await modem.set({})
    await page.getByText(`${network.operator}, ${-113 + 2 * network.signal} dBm`).waitFor()
    await expectSound(tab)
    await tab.screenshot('device-modem')
    await page.context().close()
  },
)

/** A week of a phone: battery down and up, an evening offline, a night without a server. */
async function inventPast(): Promise<void> {
  const { storage } = ada.app
  const device = await storage.read.selectFrom('devices').select('id').where('kind', '=', 'android').executeTakeFirstOrThrow()
  const nowMs = Date.now()
  const at = (hours: number): number => nowMs - hours * 3_600_000
  const states = [[168, 30, 'online', '[]'], [30, 26, 'offline', '["no_contact"]'], [26, 9, 'online', '[]'], [9, 8, 'degraded', '["battery_low"]'], [8, 0.1, 'online', '[]']] as const
  await storage.writer.write(async (tx) => {
    await insertRows(tx, 'device_states', states.map(([from, until, status, reasons]) => ({ device_id: device.id, from_at: at(from), until_at: at(until), status, reasons })))
    await insertRows(tx, 'server_runs', [[-1, 8 * dayMs, at(20)], [-2, 1, nowMs]].map(([epoch, ago, seen_at]) => ({ epoch: epoch!, started_at: epoch === -1 ? nowMs - ago! : at(14.5), seen_at: seen_at! })))
    await insertRows(tx, 'device_samples', Array.from({ length: 144 }, (_, i) => ({ device_id: device.id, at: at(24 - i / 6), battery: Math.round(55 + 40 * Math.sin(i / 20)), charging: 0 as const, network: 'wifi' })))
  })
} // prettier-ignore

test.each(widths)('the pages are sound at %i pixels, light and dark', async (width) => {
  if (width === 390) await inventPast()
  const tab = await openDevices('live', { width })
  const { page } = tab
  await page.getByRole('article').first().waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('devices')
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  expect(isWide).toBe(false)
  await page.getByRole('button', { name: 'Connect device' }).click()
  await page.getByRole('button', { name: 'Over the internet' }).waitFor()
  await expectSoundInBothSchemes(tab)
  await page.getByText('GSM modem', { exact: true }).last().click()
  await page.getByRole('group', { name: 'Serial ports' }).waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('devices-connect-modem')
  await page.getByText('Android phone', { exact: true }).last().click()
  await page.getByRole('button', { name: 'Over the internet' }).click()
  await page.getByText('Waiting for the phone.').waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('devices-connect')
  await page.keyboard.press('Escape')
  await page.getByRole('article').filter({ hasText: 'Android' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('device')
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
  await page.getByRole('button', { name: 'Send test SMS' }).click()
  await page.getByLabel(/^To/).waitFor()
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('device-test-sms')
  await page.context().close()
})
