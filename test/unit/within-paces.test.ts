import { expect, test } from 'vitest'
import { withinPaces } from '../../src/messages/queue/within-paces.ts'

const row = (id: number, parts: number, request = 0) => ({ id, parts, request, recipient: '+4915112345678' })

test('rows fill the parts of their request exactly, and the first goes in any case', () => {
  const rows = [row(1, 2), row(2, 1), row(3, 1), row(4, 9, 1), row(5, 1, 1)]
  const given = withinPaces(rows, [
    { deviceId: 'dev_1', maxParts: 3 },
    { deviceId: 'dev_1', maxParts: 3 },
  ])
  expect(given.map(({ id }) => id)).toEqual([1, 2, 4])
})

test('of the SIMs of a phone the one with the most room is next, across its requests, until none has room', () => {
  const sims = [1, 2].map((sim) => ({ sim, parts: 3 }))
  const phone = { phoneId: 'phn_1', sims }
  const rows = [row(1, 2), row(2, 1), row(3, 1), row(4, 1, 1), row(5, 2, 1), row(6, 1, 1)]
  const given = withinPaces(rows, [{ deviceId: 'dev_1', phone, maxParts: 9 }, { deviceId: 'dev_1', phone, maxParts: 9 }])
  expect(given.map(({ id, sim }) => [id, sim])).toEqual([[1, 1], [2, 2], [3, 2], [4, 1]])
}) // prettier-ignore
