import { expect, test } from 'vitest'
import { dayMs } from '../../src/runtime/clock.ts'
import { openRoutesHouse } from './routes-house.ts'

test('a phone says that the certificate with which it connects ends within 30 days, until it has met the new one', async () => {
  const house = await openRoutesHouse()
  const { store, phone, clock } = house
  const reasons = async (days: number | null) => {
    store.certificateUntilMs = days === null ? null : clock.now() + days * dayMs
    expect(await house.call('GET', '/message')).toMatchObject({ status: 200 })
    return phone.health().reasons
  }
  expect(await reasons(31)).toEqual([])
  expect(await reasons(29)).toEqual(['certificate_ending'])
  expect(phone.health()).toMatchObject({ status: 'degraded' })
  expect(await reasons(365)).toEqual([])
  expect(await reasons(29)).toEqual(['certificate_ending'])
  // Over the first listener it has another certificate.
  expect(await reasons(null)).toEqual([])
})
