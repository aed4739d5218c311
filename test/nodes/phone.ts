import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { mintPhoneToken } from '../../src/devices/phones/phone-tokens.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { loadInstanceSecret } from '../../src/process/instance-secret.ts'
import type { ClusterNode } from './cluster.ts'

/** An app of one account, or with null one that all share; it may ask any node. */
export async function openPhone({ app, config }: ClusterNode, accountId: string | null) {
  const ids = createIds({ now: systemClock.now })
  const secretBox = createDeviceSecretBox(await loadInstanceSecret(config))
  const deps = { ids, nowMs: systemClock.now(), secretBox, randomBytes }
  const { token } = await app.storage.writer.write((tx) =>
    mintPhoneToken(tx, deps, { accountId, mode: 'live', actor: 'test' }),
  )
  let deviceToken = token
  const ask = async (node: ClusterNode, method: string, path: string, json?: object): Promise<Response> =>
    fetch(`${node.url}/mobile/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${deviceToken}`,
        'content-type': 'application/json',
        'user-agent': 'me.capcom.smsgateway/1.68.0',
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
  return {
    ask,
    async register(node: ClusterNode): Promise<void> {
      const simCards = [
        { slotIndex: 0, simNumber: 1, phoneNumber: '********1234', carrierName: '**elco', iccid: '****0001' },
      ]
      const answer = await ask(node, 'POST', '/device', { name: 'samsung/a12', simCards })
      expect(answer.status).toBe(201)
      deviceToken = ((await answer.json()) as { token: string }).token
    },
    /** The texts that it is given now. */
    async fetched(node: ClusterNode): Promise<string[]> {
      const answer = await ask(node, 'GET', '/message')
      expect(answer.status).toBe(200)
      const messages = (await answer.json()) as { textMessage: { text: string } }[]
      return messages.map(({ textMessage }) => textMessage.text)
    },
    /** What its event stream has said so far. */
    async listen(node: ClusterNode): Promise<() => string> {
      const answer = await ask(node, 'GET', '/events')
      expect(answer.status).toBe(200)
      const reader = answer.body!.getReader()
      let said = ''
      const reading = (async () => {
        for (;;) {
          const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
          if (done) return
          said += Buffer.from(value ?? []).toString()
        }
      })()
      onTestFinished(async () => {
        await reader.cancel().catch(() => undefined)
        await reading
      })
      return () => said
    },
  }
}
