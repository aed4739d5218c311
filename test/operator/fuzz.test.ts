import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeStateOperation } from '../../src/api/operator/change-state.ts'
import { operatorOperations } from '../../src/api/operator/operations.ts'
import { renderOperatorOpenApi } from '../../src/api/operator/openapi.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { fuzzOperation } from '../api/fuzz-operation.ts'
import { HeardWords } from '../api/heard-words.ts'
import { endAfter, sizeOf } from '../proof-sizes.ts'
import { type OperatorHouse, startOperatorHouse } from './operator-client.ts'

/** The same of the operator's interface as of the other one: no 5xx, nothing that its reference does not name. */
const runs = sizeOf('OPERATOR_FUZZ_REQUESTS') / operatorOperations.length

let house: OperatorHouse
let heard: HeardWords
beforeAll(async () => {
  house = await startOperatorHouse({
    ONESIXTY_OPERATOR_PER_MINUTE: '0',
    ONESIXTY_FAILED_AUTH_PER_MINUTE: '0',
  })
  const { accountId } = await house.openAccount('Olive')
  let people = 0
  const daysAgo = (days: number): string =>
    new Date(systemClock.now() - days * 86_400_000).toISOString().slice(0, 10)
  heard = new HeardWords({
    account: [accountId],
    email: () => `somebody-${++people}@example.org`,
    from: [daysAgo(90), daysAgo(7)],
    to: [daysAgo(6), daysAgo(-1)],
  })
})
afterAll(() => house.stop())

/** What closes accounts comes last: nothing is granted to them any more. */
const table = operatorOperations
  .map((operation) => [operation.id, operation] as const)
  .toSorted(([a], [b]) => Number(a === changeStateOperation.id) - Number(b === changeStateOperation.id))

test.each(table)(
  '%s made from the reference is answered as it says, one time in forty with what was asked for',
  async (_, operation) => {
    const count = { done: 0, replayed: 0 }
    const kinds = await fuzzOperation(operation, {
      runs,
      reference: renderOperatorOpenApi('http://localhost'),
      keys: { write: 15, read: 2, nobody: 1 },
      heard,
      look: (_key, { status, headers }) => {
        if (status < 300) count[headers.has('idempotent-replayed') ? 'replayed' : 'done']++
      },
      ask: (method, address, { key, headers, text }) =>
        house.ask(method, address.replace('/operator/v1', ''), {
          token: key === 'nobody' ? key : house.tokens[key as 'read' | 'write'].token,
          headers: { ...headers, ...(text !== null && { 'content-type': 'application/json' }) },
          ...(text !== null && { body: text }),
        }),
    })
    expect(kinds.size).toBeGreaterThan(3)
    expect(count.done, 'answered with 200 or 201').toBeGreaterThan(runs / 40)
    if (operation.headers !== undefined) expect(count.replayed, 'answered once more').toBeGreaterThan(0)
  },
  endAfter(60_000),
)
