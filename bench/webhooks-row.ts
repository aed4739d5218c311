import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { cliActor, createCommandContext } from '../src/cli/core/command-context.ts'
import { readConfig } from '../src/config.ts'
import { createWebhookSecretBox } from '../src/runtime/secret-box.ts'
import { loadInstanceSecret } from '../src/process/instance-secret.ts'
import { createAddressGuard } from '../src/outgoing/address-guard.ts'
import { webhookSettings } from '../src/settings/webhook-settings.ts'
import { addEndpoint } from '../src/webhooks/endpoint-store.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, mean, perSecondOf } from './figure.ts'
import { live } from './life-rows.ts'
import { one } from './load-job.ts'
import { type BenchFolder, type ServedBench, withServer } from './server-process.ts'

const hangingEndpoints = 100
/** Of the account with the endpoints: each is told of each, three times. */
const toldMessages = 100
const longestLoadMs = 60_000
/** Of each of both in turns: on a quiet machine one and the same rate varies by a seventh from round to round. */
const rounds = 6
/** A third of what a whole life is measured with: there are two of them a round. */
const shareOfLife = 3

/** Row 15: while a hundred endpoints of one account never answer, another account sends as fast as without them. */
export async function measureHangingEndpoints(run: BenchRun): Promise<Figure[]> {
  const receiver = await listenSilently()
  try {
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 0; round < (run.lengths.rounds > 1 ? rounds : 1); round++) {
      alone.push(await rateOf(run, 'sending with no endpoint'))
      beside.push(
        await rateOf(run, 'sending beside hanging endpoints', (served) => hang(served, receiver.url)),
      )
    }
    const ratio = mean(beside) / mean(alone)
    const value = `${perSecondOf(mean(beside))} of ${perSecondOf(mean(alone))}: ${ratio.toFixed(2)} ×`
    const bar = { kind: 'holds', holds: ratio >= 0.95, summary: '≥ 0.95 ×' } as const
    return [
      { row: 15, name: `whole life beside ${hangingEndpoints} endpoints that never answer`, value, bar },
    ]
  } finally {
    await receiver.close()
  }
}

const rateOf = (run: BenchRun, name: string, prepare?: (served: ServedBench) => Promise<void>): Promise<number> =>
  withServer(
    { settings: ['delay_ms=0'], env: { ONESIXTY_WEBHOOK_ALLOW: '127.0.0.1/32', ONESIXTY_WEBHOOK_ENDPOINTS: '0' } },
    async (served) => {
      await prepare?.(served)
      await live(run, { name: `${name}, warm-up`, shape: one }, { served, limits: { measureMs: run.lengths.warmUpMs } })
      const maxRequests = Math.floor(run.lengths.lives.one / shareOfLife)
      const { perSecond } = await live(run, { name, shape: one }, { served, limits: { measureMs: longestLoadMs, maxRequests } })
      return perSecond
    },
  ) // prettier-ignore

/** An account whose endpoints hang, each with three hundred events to be told. */
async function hang({ folder, server }: ServedBench, url: string): Promise<void> {
  const made = await folder.cli('account', 'create', '--name', 'Hooked', '--email', 'hooked@example.org')
  await addEndpoints(folder, made['account_id'] as string, url)
  for (let i = 0; i < toldMessages; i++) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made['test_key'] as string}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+15005550006', text: 'Hello' }),
    })
    if (answer.status !== 202) throw new Error(`The send was answered with ${answer.status}.`)
    await answer.arrayBuffer()
  }
}

/** In one transaction: a hundred by the command line would take a minute of each round. */
async function addEndpoints({ env }: BenchFolder, accountId: string, url: string): Promise<void> {
  const io = { stdout: process.stdout, stderr: process.stderr, stdin: Readable.from([]), env }
  const { config, ids, clock, randomBytes, withStorage } = createCommandContext(io, readConfig(env))
  const secretBox = createWebhookSecretBox(await loadInstanceSecret(config))
  const guard = createAddressGuard(config.webhookAllow, webhookSettings.webhookAllow.env)
  const deps = {
    ids,
    nowMs: clock.now(),
    randomBytes,
    secretBox,
    guard,
    maxEndpoints: config.webhookEndpoints,
  }
  await withStorage((storage) =>
    storage.writer.write(async (tx) => {
      for (let i = 0; i < hangingEndpoints; i++)
        await addEndpoint(tx, deps, { accountId, url: `${url}/${i}`, actor: cliActor })
    }),
  )
}

/** Takes connections and says nothing. */
async function listenSilently(): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.resume())
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
