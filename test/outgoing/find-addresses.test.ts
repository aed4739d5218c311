import { expect, test } from 'vitest'
import { createAddressGuard } from '../../src/outgoing/address-guard.ts'
import { createFindAddresses } from '../../src/outgoing/find-addresses.ts'

const publicV4 = '93.184.216.34'
const publicV6 = '2606:4700::1111'
const never = new Promise<never>(() => undefined)

/** What is found of a name of which the name servers say this; `isOver`: whether the delay has passed when that is asked. */
async function find(
  said: { v4: Promise<readonly string[]>; v6: Promise<readonly string[]> },
  isOver = false,
): Promise<{ found: readonly string[]; canceled: number; delays: number[] }> {
  const [delays, seen] = [[] as number[], { canceled: 0 }]
  const findAddresses = createFindAddresses(createAddressGuard([], 'ONESIXTY_WEBHOOK_ALLOW'), {
    ask: () => ({ ...said, cancel: () => void seen.canceled++ }),
    delay: (ms) => {
      delays.push(ms)
      return isOver ? Promise.resolve() : never
    },
  })
  return { found: await findAddresses('hooks.example.org'), delays, ...seen }
}

test('IPv4 that may be connected to waits a moment for IPv6, and no longer', async () => {
  const both = await find({ v4: Promise.resolve([publicV4]), v6: Promise.resolve([publicV6]) })
  expect(both.found).toEqual([publicV4, publicV6])
  const silent = await find({ v4: Promise.resolve([publicV4]), v6: never }, true)
  expect(silent).toEqual({ found: [publicV4], canceled: 1, delays: [50] })
})

test('IPv6 is waited for where IPv4 has nothing that may be connected to', async () => {
  const late = async (addresses: string[]) => {
    for (let i = 0; i < 5; i++) await Promise.resolve()
    return addresses
  }
  for (const v4 of [[], ['10.0.0.1'], ['127.0.0.1', '192.168.0.1']]) {
    const { found, delays } = await find({ v4: Promise.resolve(v4), v6: late([publicV6]) }, true)
    expect([found, delays]).toEqual([[...v4, publicV6], []])
  }
  const { found } = await find({ v4: Promise.reject(new Error('ENODATA')), v6: late([publicV6]) }, true)
  expect(found).toEqual([publicV6])
})

test('IPv4 is waited for however soon IPv6 is there, and failures of IPv6 are none', async () => {
  const order: string[] = []
  const v4 = (async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve()
    order.push('v4')
    return [publicV4]
  })()
  expect((await find({ v4, v6: Promise.resolve([publicV6]) })).found).toEqual([publicV4, publicV6])
  expect(order).toEqual(['v4'])
  const failing = await find({ v4: Promise.resolve([publicV4]), v6: Promise.reject(new Error('ESERVFAIL')) })
  expect(failing.found).toEqual([publicV4])
})

test('a name of which nobody knows anything is not found, for the reason that IPv4 gave', async () => {
  const said = { v4: Promise.reject(new Error('ENOTFOUND')), v6: Promise.reject(new Error('ETIMEOUT')) }
  await expect(find(said)).rejects.toThrow('ENOTFOUND')
})
