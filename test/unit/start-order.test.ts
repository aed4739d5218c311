import { expect, test } from 'vitest'
import { inOrder } from '../../src/app/start-order.ts'
import { stopAll } from '../../src/process/lifecycle.ts'

test('a stop waits for canaries once the dispatcher has hurried the links, and before the links stop', async () => {
  const stopped: string[] = []
  const service = (name: string) => ({
    name,
    start: async () => undefined,
    stop: async () => void stopped.push(name),
    sweepAll: async () => undefined,
    settled: async () => void stopped.push(`${name} settled`),
  })
  const sweepers = { rescuer: service('rescuer'), deviceReporter: service('reporter'), canaryRunner: service('canaries') }
  const names = ['heartbeats', 'keeper', 'broadcasts', 'submissionLog', 'pool', 'dispatcher', 'webhooks', 'http']
  const run = { ...Object.fromEntries(names.map((name) => [name, service(name)])), sweepers }
  await stopAll(inOrder(run as unknown as Parameters<typeof inOrder>[0]))
  expect(stopped).toEqual([
    'http', 'canaries', 'reporter', 'rescuer', 'webhooks', 'dispatcher', 'canaries settled', 'pool', 'submissionLog', 'broadcasts', 'keeper', 'heartbeats',
  ])
}) // prettier-ignore
