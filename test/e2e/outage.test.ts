import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { openBrowser, type TestBrowser, type TestPage } from './browser.ts'

/** A server that is killed, and starts again, under pages that are open. */

let dataFolder: string
let server: ServerProcess
let browser: TestBrowser
let tab: TestPage
beforeAll(async () => {
  dataFolder = await temporaryFolder()
  server = await startServerProcess({ dataFolder })
  browser = await openBrowser()
  tab = await browser.newPage()
  const [link = ''] = /http:\S+\/link#\S+/.exec(server.output()) ?? []
  await tab.open(link)
  await tab.page.getByLabel('E-mail address').fill('boss@example.org')
  await tab.page.getByLabel(/^Password/).fill('gelber Igel im Schnee')
  await tab.page.getByRole('button', { name: 'Open console' }).click()
  await tab.page.getByRole('heading', { name: 'First steps' }).waitFor()
})
afterAll(async () => {
  await browser.close()
  await server.kill('SIGKILL')
  await rm(dataFolder, { recursive: true, force: true })
})

const timeOrigin = (): Promise<number> => tab.page.evaluate(() => performance.timeOrigin)
const follow = async (name: string): Promise<void> => {
  await tab.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
  // What is under the pointer is drawn otherwise.
  await tab.page.mouse.move(700, 5)
}

/** Starts the server again, and does not wait for the next try to reach it. */
async function startAndRetry(): Promise<void> {
  server = await startServerProcess({ dataFolder, port: server.port })
  await tab.page.getByRole('button', { name: 'Retry now' }).click()
}

test('a server that is killed is said within six seconds, states turn grey, and what is asked for appears once it is back, without a reload', async () => {
  const { page } = tab
  await follow('Devices')
  const state = page.locator('main').getByText('online', { exact: true }).first()
  await state.waitFor()
  const colorOf = (): Promise<string> =>
    state.evaluate((badge) => badge.ownerDocument.defaultView.getComputedStyle(badge).color)
  const colorBefore = await colorOf()
  const loadedAt = await timeOrigin()
  await server.kill('SIGKILL')
  const bar = page.getByRole('status').filter({ hasText: 'Connection lost' })
  await bar.waitFor({ timeout: 6_500 })
  expect(await bar.innerText()).toMatch(/as of \d\d:\d\d:\d\d\. Reconnecting…/)
  expect(await colorOf()).not.toBe(colorBefore)
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('connection-lost')
  await follow('Webhooks')
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await startAndRetry()
  await page.getByText('Connected again').waitFor()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await follow('Devices')
  await state.waitFor()
  expect(await colorOf()).toBe(colorBefore)
  await page.getByText('Connected again').waitFor({ state: 'detached' })
  expect(await timeOrigin()).toBe(loadedAt)
})

test('a page that was asked for before the outage was known appears, too, by one reload: browsers keep that a file could not be loaded', async () => {
  const { page } = tab
  await server.kill('SIGKILL')
  await follow('History')
  await page.getByText('Connection lost').waitFor()
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await startAndRetry()
  await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
  // With the styles of its own, of which a browser keeps that they could not be loaded, too.
  expect(
    await page
      .locator('link[rel="stylesheet"]')
      .evaluateAll((links) => links.every((link) => link.sheet !== null)),
  ).toBe(true)
})
