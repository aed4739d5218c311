import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PhoneInvitation } from '../../src/api/console/devices/device-connect-calls.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.stop())

test('an invitation in the place of a former one leaves no private token behind, unless a phone has used it or it is another owner’s', async () => {
  const { ada, bob } = console
  const invite = async (person: ConsolePerson, former?: string) => {
    const input = { isShared: false, ...(former === undefined ? {} : { former }) }
    return (await person.change('devices/invite-phone', input)).body as PhoneInvitation
  }
  const register = async ({ token }: PhoneInvitation): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = '{"name":"samsung/a12"}'
    return (await fetch(`${console.url}/mobile/v1/device`, { method: 'POST', headers, body })).status
  }
  const first = await invite(ada)
  const foreign = await invite(bob, first.tokenId)
  const second = await invite(ada, first.tokenId)
  expect(await register(first)).toBe(401)
  expect(await register(second)).toBe(201)
  await invite(ada, second.tokenId)
  await invite(ada, foreign.tokenId)
  expect([await register(second), await register(foreign)]).toEqual([201, 201])
}) // prettier-ignore
