import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { expectSound, openBrowser, type TestBrowser } from './browser.ts'

let dataFolder: string
let server: ServerProcess
let browser: TestBrowser
beforeAll(async () => {
  dataFolder = await temporaryFolder()
  server = await startServerProcess({ dataFolder })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.kill('SIGKILL')
  await rm(dataFolder, { recursive: true, force: true })
})

/** What a person does, counted: opening an address, typing into a field, pressing a button, running a line. */
const maxInteractions = 8

test('from the link in the terminal to the first delivered message in 8 interactions, without a reload', async () => {
  const [link = ''] = /http:\S+\/link#\S+/.exec(server.output()) ?? []
  const tab = await browser.newPage()
  const { page } = tab
  const done: string[] = []
  const interact = async <T>(what: string, doIt: () => Promise<T>): Promise<T> => {
    done.push(what)
    return doIt()
  }
  await interact('open the link', () => tab.open(link))
  await page.getByRole('heading', { name: 'Welcome to onesixty' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('set-up')
  await interact('type the address', () => page.getByLabel('E-mail address').fill('boss@example.org'))
  await interact('type a password', () => page.getByLabel(/^Password/).fill('gelber Igel im Schnee'))
  await interact('press', () => page.getByRole('button', { name: 'Open console' }).click())
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await page.getByRole('button', { name: 'Create command' }).waitFor()
  await expectSound(tab)
  await tab.screenshot('first-steps')
  const steps = page.getByRole('listitem')
  expect(await steps.evaluateAll((items) => items.map((item) => item.dataset['done']))).toEqual(
    Array<string>(4).fill('false'),
  )
  const loaded = await page.evaluate(() => performance.timeOrigin)
  await interact('make the line', () => page.getByRole('button', { name: 'Create command' }).click())
  const line = await interact(
    'copy the line',
    async () => (await page.getByTestId('curl').textContent()) ?? '',
  )
  await interact('run the line', () => promisify(execFile)('sh', ['-c', line]))
  await page.getByText('The message is delivered.').waitFor()
  expect(done.length).toBeLessThanOrEqual(maxInteractions)
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded)
  expect(await steps.evaluateAll((items) => items.map((item) => item.dataset['done']))).toEqual([
    'true',
    'true',
    'false',
    'false',
  ])
  await expectSound(tab)
  await tab.screenshot('first-steps-delivered')
  await page.context().close()

  const later = await browser.newPage()
  await later.open(link)
  await later.page.getByRole('alert').getByText('already used').waitFor()
  await later.page.context().close()
})
