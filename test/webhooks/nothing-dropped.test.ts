import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PostFailure, PostResult } from '../../src/webhooks/post.ts'
import { isPostgres } from '../test-database.ts'
import { answered, openWebhookHouse } from './webhook-house.ts'

const failures: readonly PostFailure[] = ['address_refused', 'name_not_found', 'not_connected', 'tls_failed', 'timed_out', 'no_http', 'not_signed'] // prettier-ignore
const failed = fc
  .constantFrom(...failures)
  .map((because): PostResult => ({ kind: 'failed', because, detail: 'as the network has it' }))
const retryAfter = fc.constantFrom(
  null,
  '',
  '0',
  '120',
  '-1',
  'soon',
  'Wed, 21 Oct 2015 07:28:00 GMT',
  '9'.repeat(30),
)
const anyAnswer = fc.oneof(
  fc.tuple(fc.integer({ min: 100, max: 599 }), retryAfter).map((told) => answered(...told)),
  failed,
)
const isYes = (result: PostResult): boolean =>
  result.kind === 'answered' && Math.floor(result.status / 100) === 2

test('whatever a receiver answers, each try is listed with it, and an event counts as delivered by a yes alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAnswer, { minLength: 1, maxLength: 4 }), async (answers) => {
      const house = await openWebhookHouse()
      try {
        const { endpointId } = await house.addEndpoint()
        const given: PostResult[] = []
        house.answer = () => {
          const answer = answers[given.length] ?? answered(200)
          given.push(answer)
          return answer
        }
        await house.send()
        await house.deliverer.drain()
        for (let hours = 0; hours < 12 && given.length < answers.length; hours++) await house.after(3_600_000)
        const tries = await house.attempts()
        expect(tries.length).toBe(given.length)
        for (const [i, { status, failure }] of tries.entries()) {
          const answer = given[i] as PostResult
          expect(status).toBe(answer.kind === 'answered' ? answer.status : null)
          expect(failure).toBe(answer.kind === 'answered' ? null : `${answer.because}: ${answer.detail}`)
        }
        const [delivery] = await house.deliveries()
        const last = given.at(-1) as PostResult
        expect(given.slice(0, -1).some(isYes)).toBe(false)
        expect(delivery?.outcome === 'delivered').toBe(isYes(last))
        // What is not delivered waits for its next try, or its endpoint was disabled and says why.
        const { state, disabled_because } = await house.endpoint(endpointId)
        if (state === 'disabled') expect(disabled_because).not.toBeNull()
        else if (!isYes(last)) expect(delivery?.outcome).toBeNull()
      } finally {
        await house.close()
      }
    }),
    { numRuns: isPostgres ? 5 : 60 },
  )
})
