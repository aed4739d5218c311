import { expect, onTestFinished, test } from 'vitest'
import type { ConnectorTools } from '../../src/connectors/connector-tools.ts'
import type { Exchange, Exchanged } from '../../src/connectors/http/exchange.ts'
import { HttpLink } from '../../src/connectors/http/link.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { messageValues } from '../../src/connectors/http/request/message-values.ts'
import { readSettings } from '../../src/connectors/http/settings.ts'
import { createWorld, submissionOf } from '../contracts/contract-subject.ts'

const hourMs = 3_600_000

/** A link to a provider that accepts every message, and answers nothing else. */
async function openLink(
  more: Partial<ConnectorTools> = {},
  settings: Record<string, string> = {},
  parts = '1',
) {
  const world = createWorld()
  const declaration = ownDeclaration('twilio')!
  const unread: string[] = []
  const counters = {
    answered: () => undefined,
    sessionLost: () => undefined,
    unparsed: (_kind: string, form: string) => void unread.push(form),
  }
  const urls = { status: 'https://sms.example/status', inbound: 'https://sms.example/inbound' }
  const tools = { ...world.tools, counters, callbackUrls: () => urls, ...more }
  let last = 0
  const exchange: Exchange = {
    declaration,
    valuesOf: (given, nowMs) => messageValues(given, { nowMs, urls }),
    buildSubmission: () => ({ method: 'POST', url: 'https://api.twilio.com/', headers: {}, body: '' }),
    send: async (): Promise<Exchanged> => ({
      kind: 'answered',
      answer: {
        status: 201,
        headers: {},
        body: JSON.stringify({ sid: `SM${(last += 1)}`, num_segments: parts }),
      },
    }),
    ask: async () => ({ kind: 'unanswered', detail: 'cut' }),
  }
  const link = new HttpLink(
    { tools, events: world.events, exchange },
    { declaration, settings: readSettings({ ...settings }, declaration) },
  )
  await link.start()
  onTestFinished(() => link.stop())
  return { link, world, unread }
}

test('a provider that never calls degrades the device after an hour, and its first call mends it', async () => {
  const { link, world } = await openLink()
  await world.clock.advance(2 * hourMs)
  expect(link.health()).toMatchObject({ status: 'online', reasons: [] })
  await link.submit(submissionOf())
  await world.clock.advance(hourMs - 1)
  expect(link.health().reasons).toEqual([])
  await world.clock.advance(1)
  expect(link.health()).toMatchObject({ status: 'degraded', reasons: ['callbacks_missing'] })
  link.called()
  expect(link.health()).toMatchObject({ status: 'online', reasons: [] })
  await link.submit(submissionOf())
  await world.clock.advance(2 * hourMs)
  expect(link.health().reasons).toEqual([])
})

test('where the provider has called before, need not call, or may call another node, no call is missed', async () => {
  const cases: [Partial<ConnectorTools>, Record<string, string>][] = [
    [{}, { status: 'poll' }],
    [{}, { status: 'none' }],
    [{ callsGoElsewhere: true }, {}],
  ]
  for (const [tools, settings] of cases) {
    const { link, world } = await openLink(tools, settings)
    await link.submit(submissionOf())
    await world.clock.advance(2 * hourMs)
    expect(link.health().reasons).toEqual([])
  }
  const { link, world } = await openLink()
  link.called()
  await link.submit(submissionOf())
  await world.clock.advance(2 * hourMs)
  expect(link.health().reasons).toEqual([])
})

test('another count of parts than ours is recorded, and changes nothing', async () => {
  const { link, unread } = await openLink({}, {}, '2')
  expect(await link.submit(submissionOf({ parts: 2 }))).toMatchObject({ kind: 'accepted' })
  expect(unread).toEqual([])
  expect(await link.submit(submissionOf({ parts: 1 }))).toMatchObject({
    kind: 'accepted',
    networkIds: ['SM2'],
  })
  expect(unread).toEqual(['2 parts counted by the provider, 1 here'])
})
