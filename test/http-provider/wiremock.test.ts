import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { httpKind } from '../../src/connectors/http/http.ts'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import { createWorld, submissionOf } from '../contracts/contract-subject.ts'
import { freePort } from '../free-port.ts'
import { type ForeignServer, startForeignServer } from '../peers/foreign-server.ts'
import { fetchedFolder, hasCommands, hasFetched } from '../peers/foreign-tools.ts'

/**
 * Faults of WireMock 3.13.2 (npm wiremock, which is the archive of org.wiremock:wiremock-standalone), which also counts the requests that really came: the witness against
 * sending twice. Names of faults: wiremock.org/docs/simulating-faults.
 */
describe.skipIf(!hasFetched('wiremock') || !hasCommands('java'))(
  'a provider that fails, played by WireMock',
  () => {
    let wiremock: ForeignServer
    beforeAll(async () => {
      const port = await freePort()
      const jar = join(fetchedFolder, 'wiremock/wiremock-standalone-3.13.2.jar')
      wiremock = await startForeignServer(
        ['java', '-jar', jar, '--port', String(port), '--bind-address', '127.0.0.1'],
        { port, withinMs: 120_000 },
      )
    }, 130_000)
    afterAll(() => wiremock?.stop())
    beforeEach(() => admin('reset', {}))

    const admin = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${wiremock.url}/__admin/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    }
    const sms = { method: 'POST', urlPathPattern: '/2010-04-01/.*/Messages.json' }
    const plays = (response: object, more: object = {}) =>
      admin('mappings', { request: sms, response, ...more })
    const submitted = async () => (await admin('requests/count', sms))['count']

    async function openLink() {
      const world = createWorld(Date.now())
      const link = httpKind.createLink(
        {
          id: 'dev_1',
          name: 'Twilio',
          settings: {
            provider: 'twilio',
            account_sid: 'AC1',
            base: wiremock.url,
            resolve_s: '0',
            timeout_ms: '1000',
          },
          secrets: { auth_token: 'secret' },
        },
        { ...world.tools, outgoing: createOutgoing(['127.0.0.1'], 'ONESIXTY_PROVIDER_ALLOW') },
        world.events,
      )
      await link.start()
      onTestFinished(() => link.stop())
      return { link, world }
    }

    test.for([
      'CONNECTION_RESET_BY_PEER',
      'EMPTY_RESPONSE',
      'MALFORMED_RESPONSE_CHUNK',
      'RANDOM_DATA_THEN_CLOSE',
    ])('after %s the outcome is unknown, and one request came', async (fault) => {
      await plays({ fault })
      const { link } = await openLink()
      expect(await link.submit(submissionOf())).toMatchObject({ kind: 'unknown' })
      expect(await submitted()).toBe(1)
    })

    test('after 429 with a time nothing leaves for as long, no message has lost an attempt that counts, and the next one is accepted', async () => {
      const scenario = { scenarioName: 'busy', requiredScenarioState: 'Started', newScenarioState: 'free' }
      await plays({ status: 429, headers: { 'Retry-After': '3' }, jsonBody: { code: 20_429 } }, scenario)
      await plays(
        { status: 201, jsonBody: { sid: 'SM1' } },
        { scenarioName: 'busy', requiredScenarioState: 'free' },
      )
      const { link, world } = await openLink()
      expect(await link.submit(submissionOf())).toMatchObject({ kind: 'refused', lasts: 'busy' })
      await world.clock.advance(2_900)
      expect(link.window).toBe(0)
      await world.clock.advance(200)
      expect(link.window).toBeGreaterThan(0)
      expect(await link.submit(submissionOf())).toMatchObject({ kind: 'accepted', networkIds: ['SM1'] })
      expect(await submitted()).toBe(2)
    })

    test('a redirect is not followed, and a 500 is not sent again', async () => {
      await plays({ status: 307, headers: { Location: '/elsewhere' } })
      const { link } = await openLink()
      expect(await link.submit(submissionOf())).toMatchObject({ kind: 'unavailable' })
      await admin('reset', {})
      await plays({ status: 500, jsonBody: { code: 20_500 } })
      const other = await openLink()
      expect(await other.link.submit(submissionOf())).toMatchObject({ kind: 'unknown' })
      expect(await submitted()).toBe(1)
      expect((await admin('requests/count', { method: 'ANY', urlPath: '/elsewhere' }))['count']).toBe(0)
    })
  },
)
