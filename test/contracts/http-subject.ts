import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Link } from '../../src/connectors/connector.ts'
import { createHooks, type Hooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { createProviderRoutes } from '../../src/connectors/http/callbacks/routes.ts'
import { httpKind } from '../../src/connectors/http/http.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { completeSettings } from '../../src/connectors/http/request/build-request.ts'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import type { PeerProcess } from '../peers/peer-process.ts'
import type { Submitted } from '../peers/provider-peer.ts'
import {
  type ContractSubject,
  type ContractWorld,
  type CreateSubject,
  isUp,
  submissionOf,
  turnUntil,
  turnUntilHolds,
} from './contract-subject.ts'

/** As an operator who names 127.0.0.1 in ONESIXTY_PROVIDER_ALLOW. */
const outgoing = createOutgoing(['127.0.0.1'], 'ONESIXTY_PROVIDER_ALLOW')

const deviceId = 'dev_1'

/** A server with the routes that providers call, which hands on to whichever world is the current one. */
async function startCallbacks(
  getWorld: () => ContractWorld,
  account: { settings: Record<string, string>; secrets: Record<string, string> },
) {
  const hooks: Hooks = createHooks({ current: 'x'.repeat(32), former: [] })
  const app = Fastify()
  let url = ''
  const routes = createProviderRoutes({
    hooks,
    clock: { now: () => getWorld().clock.now() },
    publicUrl: () => url,
    ports: {
      account: async (id) => {
        const declaration = ownDeclaration('vonage')!
        return id === deviceId
          ? {
              deviceId: id,
              declaration,
              settings: completeSettings(declaration, account.settings),
              secrets: account.secrets,
            }
          : null
      },
      receipt: (_, receipt) => getWorld().events.receipt(receipt),
      late: (_deviceId, attemptId, outcome) => getWorld().events.lateOutcome(attemptId, outcome),
      inbound: (_, inbound) => getWorld().events.inbound(inbound),
      unparsed: () => undefined,
      fetchText: async () => null,
      called: () => undefined,
    },
  })
  await app.register(
    async (mounted) =>
      routes.addTo(mounted, {
        respond: (_request, reply, { status, contentType, body, headers = {} }) =>
          void reply.code(status).type(contentType).headers(headers).send(body),
        log: { error: () => undefined },
        noteDevice: () => undefined,
        failedAuthentication: () => 0,
      }),
    { prefix: routes.path },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    url,
    urlsOf: (attemptId: string) => ({
      status: url + hooks.statusPathOf(deviceId, attemptId),
      inbound: `${url}${hooks.pathOf(deviceId)}/inbound`,
    }),
    close: () => app.close(),
  }
}

/** A link to a messaging service of another process, over the declaration of Vonage, as a subject of the contract. */
export const createHttpSubject =
  (getPeer: () => PeerProcess<{ port: number }>): CreateSubject =>
  async (world) => {
    const peer = getPeer()
    await peer.call('renew')
    const settings = {
      provider: 'vonage',
      api_key: 'abcd1234',
      default_sender: 'Acme',
      base: `http://127.0.0.1:${peer.ready.port}`,
      window: '10',
    }
    const secrets = { api_secret: 'abcdef0123456789' }
    let current = world
    const callbacks = await startCallbacks(() => current, { settings, secrets })
    const started: { link: Link; world: ContractWorld }[] = []
    const launch = (into: ContractWorld): Link => {
      current = into
      const tools = { ...into.tools, outgoing, callbackUrls: callbacks.urlsOf }
      const link = httpKind.createLink(
        { id: deviceId, name: 'Vonage', settings, secrets },
        tools,
        into.events,
      )
      started.push({ link, world: into })
      return link
    }
    const link = launch(world)
    return {
      link,
      startsWithinMs: 0,
      settlesWithinMs: 30_000,
      async setOffline(offline) {
        await peer.call('setOffline', offline)
        // Without a connection of its own a link notices by a message that it cannot send, or by its next probe.
        if (offline && isUp(link)) await turnUntil(world, link.submit(submissionOf()), 30_000)
        await turnUntilHolds(world, () => isUp(link) !== offline, 300_000)
      },
      answerWith: (answer) => peer.call('set', { mode: answer }),
      delayAnswers: (ms) => peer.call('set', { delayMs: ms }),
      hearOut: async (heard) => void (await peer.call('deliver', heard.canStore ? 50 : 3)),
      async handsetSends() {
        const sms = { from: '+491511234567', text: 'Grüße von der Straße' }
        const id = await peer.call<string>('receive', { ...sms, url: callbacks.urlsOf('att_1').inbound })
        return { ...sms, isAcknowledged: async () => !(await peer.call<boolean>('isWaiting', id)) }
      },
      peerLog: async () =>
        (await peer.call<Submitted[]>('submitted')).map(({ to, text }) => ({ to: `+${to}`, text })),
      relaunch: async (later) => launch(later),
      async dispose() {
        await peer.call('set', { delayMs: 0 })
        for (const each of started) await turnUntil(each.world, each.link.stop(), 60_000)
        await callbacks.close()
      },
    } satisfies ContractSubject
  }
