import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'

/** A real Chromium, and what each of its pages must not do. */
export interface TestBrowser {
  /** A page with a cookie jar of its own. Errors in its console and breaches of the content security policy are kept in `faults`. */
  newPage(options?: PageOptions): Promise<TestPage>
  close(): Promise<void>
}

export interface PageOptions {
  width?: 390 | 1440
  colorScheme?: 'light' | 'dark'
}

/** Pages are to be sound at each of them, in both color schemes. */
export const widths = [390, 1440] as const

export interface TestPage {
  page: Page
  faults: string[]
  /** Loads a page of the console, and waits until it is drawn. */
  open(address: string): Promise<void>
  /** Goes to another page of the console as a link does, without loading it again. */
  follow(address: string): Promise<void>
  /** Writes what the page shows to the git-ignored folder of screenshots, for people to look at; only when they ask for it, for it proves nothing. */
  screenshot(name: string): Promise<void>
  /** What axe finds wrong by WCAG 2.2 AA: a line for each. `colors` runs the rules that colors can break and nothing else. */
  axe(rules?: 'all' | 'colors'): Promise<string[]>
}

const screenshots = join(import.meta.dirname, 'screenshots')

const chromiumFlags = ['--no-sandbox']

/** Starts the Chromium that `chromium.ts` unpacked. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath: inject('chromiumPath'), args: chromiumFlags })
  return {
    newPage: (options) => newPage(browser, options),
    close: () => browser.close(),
  }
}

async function newPage(browser: Browser, options: PageOptions = {}): Promise<TestPage> {
  const { width = 1440, colorScheme = 'light' } = options
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 900 },
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  return {
    page,
    faults,
    async open(address) {
      await page.goto(address)
      await page.evaluate(untilDrawn)
    },
    follow: (address) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`),
    async screenshot(name) {
      if (process.env['ONESIXTY_TEST_SCREENSHOTS'] !== '1') return
      const file = join(screenshots, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path: file, fullPage: true })
    },
    axe: (rules = 'all') => runAxe(page, rules),
  }
}

/** Looks in each frame; what Playwright itself waits for, it looks for twice a second in the end. */
const untilDrawn = `new Promise((done) => {
  const look = () =>
    document.querySelector('h1') !== null && document.querySelector('[aria-busy="true"]') === null ? done() : requestAnimationFrame(look)
  look()
})`

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** Every rule runs; asked for violations alone, axe does not describe each node for which a rule holds, which takes two thirds of the time. */
const axeRun = (runOnly: readonly string[]): string => `(async () => {
  // A color that is half-way to another has a contrast of its own; what turns for ever is not waited for.
  await Promise.allSettled(document.getAnimations()
    .filter((each) => each.effect?.getComputedTiming().iterations !== Infinity).map((each) => each.finished))
  const { violations } = await axe.run(document, {
    runOnly: ${JSON.stringify(runOnly)},
    resultTypes: ['violations'],
  })
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ': ' + html))
})()`

const rulesOf = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Every rule of axe with the tag `cat.color`.
  colors: ['color-contrast', 'link-in-text-block'],
}

async function runAxe(page: Page, rules: keyof typeof rulesOf): Promise<string[]> {
  // By evaluation, since the policy of the page allows no foreign script element; once for each document.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axeSource)
  return page.evaluate<string[]>(axeRun(rulesOf[rules]))
}

/** Nothing went wrong on a page, and axe has nothing to say. */
export async function expectSound({ faults, axe }: TestPage): Promise<void> {
  expect(await axe()).toEqual([])
  expect(faults).toEqual([])
}

/** As `expectSound`, and in the dark nothing is wrong with the colors, which are all that it changes. */
export async function expectSoundInBothSchemes(tab: TestPage): Promise<void> {
  await expectSound(tab)
  await tab.page.emulateMedia({ colorScheme: 'dark' })
  await tab.page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  expect(await tab.axe('colors')).toEqual([])
  await tab.page.emulateMedia({ colorScheme: 'light' })
  await tab.page.locator('html[data-mantine-color-scheme="light"]').waitFor()
  expect(tab.faults).toEqual([])
}
