import { afterAll, beforeAll, expect, test } from 'vitest'
import { alertKinds } from '../../src/alerts/alert-texts.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

interface Profile {
  alerts: { kind: string; label: string; isOn: boolean }[]
  sendsMail: boolean
}
const profileOf = async (person: TestConsole['ada']): Promise<Profile> =>
  (await person.read('profile/read')).body as Profile
const mutedBy = async (person: TestConsole['ada']): Promise<string[]> =>
  (await profileOf(person)).alerts.filter(({ isOn }) => !isOn).map(({ kind }) => kind)

test('everybody is told of everything until they choose, each for oneself', async () => {
  const { ada, bob } = house
  const before = await profileOf(ada)
  expect(before.alerts.map(({ kind }) => kind)).toEqual(alertKinds)
  expect(before.alerts.every(({ isOn }) => isOn)).toBe(true)
  expect(before.sendsMail).toBe(false)
  const kinds = ['balance_low', 'key_expiring', 'balance_low']
  expect((await ada.change('profile/mute-alerts', { kinds })).status).toBe(200)
  expect(await mutedBy(ada)).toEqual(['balance_low', 'key_expiring'])
  expect(await mutedBy(bob)).toEqual([])
  await ada.change('profile/mute-alerts', { kinds: [] })
  expect(await mutedBy(ada)).toEqual([])
})

test('what is no kind of alert is refused, and nothing changes', async () => {
  const { ada } = house
  await ada.change('profile/mute-alerts', { kinds: ['balance_low'] })
  for (const kinds of [['everything'], 'balance_low', [1]])
    expect((await ada.change('profile/mute-alerts', { kinds })).status).toBe(422)
  expect(await mutedBy(ada)).toEqual(['balance_low'])
})
