import { join } from 'node:path'
import { startMessagePeer } from '../test/peers/message-peer.ts'
import type { BenchRun } from './bench-run.ts'
import { type Figure, latencyOf } from './figure.ts'
import { messageOf, one } from './load-job.ts'
import { percentiles } from './percentiles.ts'
import { makeAccount, makeFolder, startServer } from './server-process.ts'

const perSecond = 200

/**
 * Row 5: from the request to the wire, at 200 messages a second. The wire is a process that the simulator posts each message to; both ends
 * read the wall clock of the machine, in whole milliseconds.
 */
export async function measureWire(run: BenchRun): Promise<Figure[]> {
  const folder = await makeFolder()
  const peer = await startMessagePeer(join(folder.path, 'peer.ndjson'))
  const account = await makeAccount(folder, ['delay_ms=0', `peer_url=${peer.url}`])
  const server = await startServer(folder)
  try {
    const result = await run.load('accept at 200 messages a second', {
      server, token: account.liveKey, shape: one, connections: 8, perSecond, keepTimes: true, measureMs: run.lengths.wireMs,
    }) // prettier-ignore
    await server.stop()
    const received = new Map(peer.records().map((record) => [messageOf(record.to), record.received_at]))
    const missing = result.times.filter(([message]) => !received.has(message)).length
    const since = (from: (time: (typeof result.times)[number]) => number) =>
      percentiles(
        result.times.map((time) => (received.get(time[0]) ?? Number.POSITIVE_INFINITY) - from(time)),
      )
    const sinceRequest = since(([, sentAt]) => sentAt)
    const sinceAnswer = since(([, , answeredAt]) => answeredAt)
    run.say(
      `on the wire: ${latencyOf(sinceRequest)} after the request, ${latencyOf(sinceAnswer)} after the answer, ${missing} missing`,
    )
    const facts = `${result.times.length} messages; after the answer ${latencyOf(sinceAnswer)}`
    return [
      {
        row: 5,
        name: 'request → on the wire at 200 messages/s, p50',
        value: `${sinceRequest.p50} ms`,
        bar: { kind: 'most', most: 5, is: sinceRequest.p50, unit: 'ms' },
        facts,
      },
      {
        row: 5,
        name: 'request → on the wire at 200 messages/s, p99',
        value: `${sinceRequest.p99} ms`,
        bar: { kind: 'most', most: 25, is: sinceRequest.p99, unit: 'ms' },
        facts,
      },
    ]
  } finally {
    await server.stop()
    await peer.stop()
    await folder.remove()
  }
}
