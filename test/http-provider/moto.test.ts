import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Receipt } from '../../src/connectors/connector.ts'
import { createHooks } from '../../src/connectors/http/callbacks/hooks.ts'
import { createProviderRoutes } from '../../src/connectors/http/callbacks/routes.ts'
import type { Declaration } from '../../src/connectors/http/declaration/declaration.ts'
import { httpKind } from '../../src/connectors/http/http.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'
import { createOutgoing } from '../../src/outgoing/create-outgoing.ts'
import { createWorld, submissionOf } from '../contracts/contract-subject.ts'
import { freePort } from '../free-port.ts'
import { type ForeignServer, startForeignServer } from '../peers/foreign-server.ts'
import { fetchedFolder, hasCommands, hasFetched } from '../peers/foreign-tools.ts'

/**
 * Amazon SNS as moto 5.2.5 plays it (PyPI): it answers `Publish` in XML, and signs what it posts to a subscriber with a key and a certificate of
 * its own, by version 2. Its certificate is at the host of SNS, which here is moto.
 */
describe.skipIf(!hasFetched('moto') || !hasCommands('python3'))('Amazon SNS, played by moto', () => {
  const region = 'us-east-1'
  let moto: ForeignServer
  beforeAll(async () => {
    const port = await freePort()
    const start = `from moto.server import main; main(['-H', '127.0.0.1', '-p', '${port}'])`
    moto = await startForeignServer(['python3', '-c', start], {
      port,
      env: { PYTHONPATH: join(fetchedFolder, 'moto'), PYTHONDONTWRITEBYTECODE: '1' },
    })
  }, 90_000)
  afterAll(() => moto?.stop())

  /** The declaration as it is, but for its address. */
  const declarationHere = (): Declaration => {
    const { send, ...rest } = ownDeclaration('aws-sns')!
    return { ...rest, hosts: [], send: { ...send, url: `${moto.url}/` } }
  }

  test('a message is published with a signed request, and its ID is read from XML', async () => {
    const world = createWorld(Date.now())
    const link = httpKind.createLink(
      {
        id: 'dev_1',
        name: 'SNS',
        settings: { declaration: JSON.stringify(declarationHere()), region, key_id: 'AKIDEXAMPLE' },
        secrets: { secret_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
      },
      { ...world.tools, outgoing: createOutgoing(['127.0.0.1'], 'ONESIXTY_PROVIDER_ALLOW') },
      world.events,
    )
    await link.start()
    const text = 'Hej & <hallo> "å" 😀'
    const outcome = await link.submit(submissionOf({ to: '+4915112345678', from: 'Acme', text }))
    expect(outcome).toMatchObject({
      kind: 'accepted',
      networkIds: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
    })
    const refused = await link.submit(submissionOf({ to: '+1', from: 'Acme', text }))
    expect(refused).toMatchObject({ kind: 'refused', lasts: 'good', networkCode: 'InvalidParameter' })
    await link.stop()
  })

  test('what moto signs is taken, and with one octet changed it is refused', async () => {
    // By the scope of its credentials moto tells the service of a request.
    const scope = `Credential=a/20261128/${region}/sns/aws4_request`
    const headers = { authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=0` }
    const asked = async (form: Record<string, string>): Promise<string> => {
      const body = new URLSearchParams({ Version: '2010-03-31', ...form })
      return (await fetch(moto.url, { method: 'POST', headers, body })).text()
    }
    const made = await asked({ Action: 'CreateTopic', Name: 'events' })
    const topic = /<TopicArn>(.+?)<\/TopicArn>/.exec(made)?.[1] ?? ''
    const posted: string[] = []
    const receipts: Receipt[] = []
    const app = Fastify()
    const hooks = createHooks({ current: 'x'.repeat(32), former: [] })
    const routes = createProviderRoutes({
      hooks,
      clock: { now: () => Date.now() },
      publicUrl: () => 'http://127.0.0.1',
      ports: {
        account: async (deviceId) => ({
          deviceId,
          declaration: ownDeclaration('aws')!,
          settings: { topic_arn: topic },
          secrets: {},
        }),
        called: () => undefined,
        receipt: async (_device, receipt) => void receipts.push(receipt),
        late: async () => undefined,
        inbound: async () => undefined,
        unparsed: () => undefined,
        fetchText: async ({ pathname }) => (await fetch(new URL(pathname, moto.url), { headers })).text(),
      },
    })
    await app.register(
      async (mounted) =>
        routes.addTo(mounted, {
          respond(request, reply, { status, body }) {
            posted.push((request.body as Buffer).toString('utf8'))
            void reply.code(status).send(body)
          },
          log: { error: () => undefined },
          noteDevice: () => undefined,
          failedAuthentication: () => 0,
        }),
      { prefix: routes.path },
    )
    onTestFinished(() => app.close())
    await app.listen({ host: '127.0.0.1', port: 0 })
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${hooks.pathOf('dev_1')}/status`
    await asked({ Action: 'Subscribe', TopicArn: topic, Protocol: 'http', Endpoint: url })
    const event = { eventType: 'TEXT_DELIVERED', messageId: 'id-1', destinationPhoneNumber: '+14255550156' }
    await asked({ Action: 'Publish', TopicArn: topic, Message: JSON.stringify(event) })
    expect(receipts).toMatchObject([{ networkId: 'id-1', result: 'delivered', numbers: ['+14255550156'] }])
    const [genuine = ''] = posted
    const again = (body: string) =>
      fetch(url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
    expect((await again(genuine)).status).toBe(200)
    expect((await again(genuine.replace('id-1', 'id-2'))).status).toBe(403)
    expect(receipts.map(({ networkId }) => networkId)).toEqual(['id-1', 'id-1'])
  })
})
