import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OperatorHouse, startOperatorHouse } from './operator-client.ts'

let house: OperatorHouse
beforeAll(async () => {
  house = await startOperatorHouse({
    ONESIXTY_OPERATOR_PER_MINUTE: '3',
    ONESIXTY_FAILED_AUTH_PER_MINUTE: '2',
  })
})
afterAll(() => house.stop())

test('a token that runs wild is held up, another one is not', async () => {
  const { read, write } = house.tokens
  const statuses: number[] = []
  for (let i = 0; i < 4; i++)
    statuses.push((await house.ask('GET', '/accounts', { token: read.token })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const refused = await house.ask('GET', '/accounts', { token: read.token })
  expect(refused.body).toMatchObject({ code: 'rate_limited', violated_policies: ['operator'] })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await house.ask('GET', '/accounts', { token: write.token })).status).toBe(200)
})

test('who guesses tokens is answered 429 in the end, and a good token passes all the same', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await house.ask('GET', '/accounts', { token: 'guess' })).status)
  expect(statuses).toEqual([401, 401, 429])
  expect((await house.ask('GET', '/accounts')).status).toBe(200)
})
