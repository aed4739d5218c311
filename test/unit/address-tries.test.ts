import { expect, test } from 'vitest'
import { AddressTries } from '../../src/api/console/core/address-tries.ts'
import { createStubClock } from '../stub-clock.ts'

const address = 'https://sms.example.org/mobile/v1'

function openTries() {
  const clock = createStubClock()
  const ends: (() => void)[] = []
  const tryAddress = (tried: string) =>
    new Promise<never>((resolve) =>
      ends.push(() => resolve({ address: tried, isReached: true, steps: [] } as never)),
    )
  return { clock, ends, tries: new AddressTries({ clock, tryAddress }) }
}

test('one try serves all who ask meanwhile, and the next one begins anew', async () => {
  const { ends, tries } = openTries()
  const both = [tries.run('acc_a', address), tries.run('acc_b', address)]
  expect(ends).toHaveLength(1)
  ends[0]?.()
  const [one, other] = await Promise.all(both)
  expect(one).toBe(other)
  const next = tries.run('acc_a', address)
  expect(ends).toHaveLength(2)
  ends[1]?.()
  await next
})

test('an account that tries 30 times in 10 minutes has to wait, and others do not', async () => {
  const { clock, ends, tries } = openTries()
  const run = (account: string): Promise<unknown> => {
    const trial = tries.run(account, address)
    ends.pop()?.()
    return trial
  }
  for (let n = 0; n < 30; n++) await run('acc_a')
  await expect(run('acc_a')).rejects.toMatchObject({ code: 'rate_limited' })
  await run('acc_b')
  await clock.advance(10 * 60_000)
  await run('acc_a')
})
