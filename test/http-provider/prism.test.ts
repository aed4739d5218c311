import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { httpKind } from '../../src/connectors/http/http.ts'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import { createWorld, submissionOf } from '../contracts/contract-subject.ts'
import { freePort } from '../free-port.ts'
import { type ForeignServer, startForeignServer } from '../peers/foreign-server.ts'
import { fetchedFolder, hasFetched } from '../peers/foreign-tools.ts'

/** What Twilio's OpenAPI document says about messages and the balance: prism is slow with the whole of it. */
function messagesOf(document: { paths: Record<string, unknown> }): object {
  const names = Object.keys(document.paths).filter((path) =>
    /\/(Messages|Messages\/\{Sid\}|Balance)\.json$/.test(path),
  )
  return { ...document, paths: Object.fromEntries(names.map((name) => [name, document.paths[name]])) }
}

/**
 * Twilio, as prism 5.16.0 plays its OpenAPI document (npm @twilio/cli-core 9.0.0, twilio_api_v2010.json): it refuses what the document does not
 * allow with 422 or 401, and with `-d` each answer has another SID.
 */
describe.skipIf(!hasFetched('prism') || !hasFetched('twilio-document'))('Twilio, played by prism', () => {
  let prism: ForeignServer
  let folder = ''
  beforeAll(async () => {
    const port = await freePort()
    const document = join(fetchedFolder, 'twilio-document/twilio_api_v2010.json')
    folder = mkdtempSync(join(tmpdir(), 'onesixty-prism-'))
    const file = join(folder, 'messages.json')
    writeFileSync(file, JSON.stringify(messagesOf(JSON.parse(readFileSync(document, 'utf8')))))
    const main = join(fetchedFolder, 'prism/node_modules/@stoplight/prism-cli/dist/index.js')
    prism = await startForeignServer(
      [process.execPath, main, 'mock', '-d', '-h', '127.0.0.1', '-p', String(port), file],
      { port, withinMs: 120_000 },
    )
  }, 130_000)
  afterAll(async () => {
    await prism?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function openLink(authToken: string) {
    const world = createWorld(Date.now())
    const statuses: string[] = []
    const counters = {
      answered: (status: string) => void statuses.push(status),
      sessionLost: () => undefined,
      unparsed: () => undefined,
    }
    const urls = { status: 'https://sms.example.com/s', inbound: 'https://sms.example.com/i' }
    const link = httpKind.createLink(
      {
        id: 'dev_1',
        name: 'Twilio',
        settings: { provider: 'twilio', account_sid: `AC${'a'.repeat(32)}`, base: prism.url, window: '20' },
        secrets: { auth_token: authToken },
      },
      {
        ...world.tools,
        counters,
        callbackUrls: () => urls,
        outgoing: createOutgoing(['127.0.0.1'], 'ONESIXTY_PROVIDER_ALLOW'),
      },
      world.events,
    )
    await link.start()
    onTestFinished(() => link.stop())
    return { link, statuses }
  }

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
