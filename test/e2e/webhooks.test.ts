import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound, expectSoundInBothSchemes, widths } from './browser.ts'
import { type Ada, openAda } from './open-ada.ts'

let ada: Ada
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  ada = await openAda({ ONESIXTY_WEBHOOK_ALLOW: '127.0.0.0/8' })
})
afterAll(async () => {
  await ada.stop()
  await receiver.stop()
})

interface Receiver {
  url: string
  /** What it answers from now on. */
  status: number
  requests: { body: string; headers: Record<string, string> }[]
  stop(): Promise<void>
}

/** A program of Ada's: takes what it is told, or not. */
async function startReceiver(): Promise<Receiver> {
  const requests: Receiver['requests'] = []
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ body, headers: headersOf(request) })
      response.writeHead(own.status).end(`I say ${own.status}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const own: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    status: 200,
    requests,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return own
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const typesTold = (): string[] =>
  receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)

test('a person adds an endpoint, reads its secret this once, tests it, and sees request and answer', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/webhooks`)
  await page.getByText('No endpoints yet').waitFor()
  await expectSound(tab)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel(/^URL/).fill(receiver.url)
  await page.getByLabel(/^All events/).uncheck()
  await page.getByLabel('message.delivered').check()
  await page.getByLabel('message.queued').check()
  await expectSound(tab)
  await tab.screenshot('webhooks-add')
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  const secret = (await page.getByTestId('new-secret').textContent()) ?? ''
  expect(secret).toMatch(/^whsec_/)
  await expectSound(tab)
  await tab.screenshot('webhooks')
  await page.reload()
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('message.delivered, message.queued').waitFor()
  expect(await page.content()).not.toContain(secret)

  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect.poll(typesTold, { timeout: 10_000 }).toEqual(['webhook.test'])
  const [told] = receiver.requests
  expect(new Webhook(secret).verify(told?.body ?? '', told?.headers ?? {})).toMatchObject({
    type: 'webhook.test',
  })
  const row = page.getByRole('row').filter({ hasText: 'webhook.test' })
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return row.getByText('HTTP 200').count()
      },
      { timeout: 10_000 },
    )
    .toBe(1)
  await row.getByRole('button', { name: /^Show webhook.test/ }).click()
  await page.getByLabel('Request body').waitFor()
  await page.getByText('I say 200').waitFor()
  await expectSound(tab)
  await tab.screenshot('webhook-delivery')
  await page.getByRole('button', { name: 'Resend' }).click()
  await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(2)
  expect(receiver.requests[1]?.headers['webhook-id']).toBe(told?.headers['webhook-id'])
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test('an address that is none is refused at its field', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/webhooks`)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel(/^URL/).fill('ftp://nowhere')
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByText(/must be an https or http URL/).waitFor()
  expect(await page.getByLabel(/^URL/).getAttribute('aria-invalid')).toBe('true')
  await page.context().close()
})

test('the page of a message shows whom it was told', async () => {
  const { body } = await ada.client.send(ada.account.testKey, { to: '+15005550006', text: 'Hello' })
  const id = body.messages[0]?.id ?? ''
  await expect.poll(typesTold, { timeout: 15_000 }).toContain('message.delivered')
  const tab = await ada.signedIn()
  await tab.open(`${ada.place}/test/history/${id}`)
  const section = tab.page.getByRole('region', { name: 'Webhooks' })
  await section.getByText('message.delivered').waitFor()
  await expectSound(tab)
  await tab.screenshot('message-webhooks')
  await section.getByRole('link', { name: 'message.delivered' }).click()
  await tab.page.getByRole('heading', { name: receiver.url }).waitFor()
  await tab.page.context().close()
})

test('what was not taken is told again for a range of time', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/webhooks`)
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('Kept for').waitFor()
  const before = receiver.requests.length
  receiver.status = 500
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(before + 1)
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return page.getByText('HTTP 500').count()
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0)
  receiver.status = 200
  await page.getByRole('button', { name: 'Replay time range' }).click()
  await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
  await page.getByLabel('Before', { exact: true }).fill('2100-01-01T00:00')
  await expectSound(tab)
  await tab.screenshot('webhooks-replay')
  await page.getByRole('button', { name: 'Replay events' }).click()
  await page.getByText('1 event queued to be resent.').waitFor()
  await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(before + 2)
  expect(tab.faults.filter((fault) => !fault.includes('500'))).toEqual([])
  await page.context().close()
})

test('a secret is rotated with both signing for a while; an endpoint is disabled, enabled and removed', async () => {
  const tab = await ada.signedIn()
  const { page } = tab
  await tab.open(`${ada.place}/test/webhooks`)
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await expectSound(tab)
  await page.getByRole('button', { name: 'Create new secret' }).click()
  const secret = (await page.getByTestId('new-secret').textContent()) ?? ''
  await page.getByText('More than one secret is active').waitFor()
  await expectSound(tab)
  const before = receiver.requests.length
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(before + 1)
  const last = receiver.requests.at(-1)
  expect(last?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  expect(() => new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {})).not.toThrow()
  await page.getByRole('button', { name: 'Revoke old secrets' }).click()
  await expectSound(tab)
  await page.getByRole('button', { name: 'Revoke now' }).click()
  await page.getByText('More than one secret is active').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('by a user').waitFor()
  expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('enabled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel(/^All events/).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Events: all').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('button', { name: 'Remove endpoint' }).click()
  await page.getByText('No endpoints yet').waitFor()
  expect(tab.faults).toEqual([])
  await page.context().close()
})

test.each(widths)('the pages are sound at %i pixels, light and dark', async (width) => {
  const tab = await ada.signedIn({ width })
  const { page } = tab
  await tab.open(`${ada.place}/live/webhooks`)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel(/^URL/).fill(`${receiver.url}/${width}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByTestId('new-secret').waitFor()
  await expectSoundInBothSchemes(tab)
  // The table scrolls on a phone; what it is does not.
  const caption = page.getByText('Endpoints of the account')
  expect(await caption.evaluate((it) => it.getBoundingClientRect().right)).toBeLessThanOrEqual(width)
  await tab.screenshot('webhooks')
  await page.getByRole('link', { name: `${width}` }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return page.getByText('HTTP 200').count()
      },
      { timeout: 10_000 },
    )
    .toBe(1)
  await expectSoundInBothSchemes(tab)
  await tab.screenshot('webhook-endpoint')
  await page.context().close()
})
