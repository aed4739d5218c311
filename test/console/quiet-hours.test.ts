import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMember } from '../../src/accounts/people/members.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const night = { from: 1_260, until: 480 }
const readBy = async (person: TestConsole['ada'], accountId = person.accountId) =>
  (await person.read('quiet-hours/read', {}, { accountId })).body

test('an owner sets the quiet hours of the own account, and the log says who', async () => {
  const { ada, bob } = house
  expect(await readBy(ada)).toEqual({ hours: null, canSet: true })
  expect(await ada.change('quiet-hours/set', { hours: night })).toMatchObject({
    status: 200,
    body: { hours: night },
  })
  expect(await readBy(ada)).toEqual({ hours: night, canSet: true })
  expect(await readBy(bob)).toEqual({ hours: null, canSet: true })
  const log = house.app.storage.read
    .selectFrom('audit_log')
    .select(['account_id', 'actor', 'detail'])
    .where('action', '=', 'account.quiet_hours')
  expect(await log.execute()).toEqual([
    { account_id: ada.accountId, actor: ada.userId, detail: '{"from":"21:00","until":"08:00"}' },
  ])
  await ada.change('quiet-hours/set', { hours: null })
  expect(await readBy(ada)).toEqual({ hours: null, canSet: true })
})

test('what is no span of a day is refused', async () => {
  const { ada } = house
  for (const hours of [
    { from: 60, until: 60 },
    { from: -1, until: 60 },
    { from: 0, until: 1_440 },
    { from: 0 },
    'night',
  ])
    expect((await ada.change('quiet-hours/set', { hours })).status).toBe(422)
  expect(await readBy(ada)).toMatchObject({ hours: null })
})

test('a member sees them and changes nothing', async () => {
  const { ada, bob } = house
  await bob.change('quiet-hours/set', { hours: night })
  await house.app.storage.writer.write((tx) =>
    addMember(
      tx,
      { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now() },
      { accountId: bob.accountId, userId: ada.userId, role: 'member', actor: 'test' },
    ),
  )
  expect(await readBy(ada, bob.accountId)).toEqual({ hours: night, canSet: false })
  const refused = await ada.change('quiet-hours/set', { hours: null }, { accountId: bob.accountId })
  expect(refused.status).toBe(403)
  expect(await readBy(bob)).toMatchObject({ hours: night })
})
