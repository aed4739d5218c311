import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMember } from '../../src/accounts/people/members.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole({ ONESIXTY_STOP_WORDS: 'Sluta' })
})
afterAll(() => house.stop())

const french = { language: 'fr', stop: ['Fini'], start: [], help: ['Aide'], off: [], stopAnswer: 'Fini.', helpAnswer: '' } // prettier-ignore
/** Asks for a new set. */
const added = { ...french, updatedAt: null }
const listed = { ...french, updatedAt: expect.any(Number) as number }
const readBy = async (person: TestConsole['ada'], accountId = person.accountId) =>
  (await person.read('keywords/list', {}, { accountId })).body

test('an owner sets and removes the keywords of the own account, and the log says who', async () => {
  const { ada, bob } = house
  expect(await readBy(ada)).toEqual({ sets: [], canSet: true })
  expect(await ada.change('keywords/set', added)).toMatchObject({ status: 200, body: { set: french } })
  expect(await readBy(ada)).toEqual({ sets: [listed], canSet: true })
  expect(await readBy(bob)).toEqual({ sets: [], canSet: true })
  expect((await bob.change('keywords/remove', { language: 'fr' })).body).toEqual({ removed: false })
  expect((await ada.change('keywords/remove', { language: 'fr' })).body).toEqual({ removed: true })
  expect(await readBy(ada)).toEqual({ sets: [], canSet: true })
  const log = house.app.storage.read
    .selectFrom('audit_log')
    .select(['account_id', 'actor'])
    .where('action', 'like', 'account.keywords%')
  const byAda = { account_id: ada.accountId, actor: ada.userId }
  expect(await log.execute()).toEqual([byAda, byAda])
})

test('what is wrong is said at its field, all at once', async () => {
  const wrong = { ...added, language: 'french', start: ['stop please'], help: ['sluta'], off: ['END'], stopAnswer: 'x'.repeat(500) } // prettier-ignore
  const { status, body } = await house.ada.change('keywords/set', wrong)
  const { errors } = body as { errors: { pointer: string }[] }
  expect([status, errors.map(({ pointer }) => pointer)]).toEqual([
    422,
    ['/language', '/start', '/help', '/off', '/stopAnswer'],
  ])
  expect(await readBy(house.ada)).toMatchObject({ sets: [] })
})

test('a member sees them and changes nothing', async () => {
  const { ada, bob } = house
  await bob.change('keywords/set', added)
  await house.app.storage.writer.write((tx) =>
    addMember(
      tx,
      { ids: createIds({ now: systemClock.now }), nowMs: systemClock.now() },
      { accountId: bob.accountId, userId: ada.userId, role: 'member', actor: 'test' },
    ),
  )
  expect(await readBy(ada, bob.accountId)).toEqual({ sets: [listed], canSet: false })
  for (const refused of [
    await ada.change('keywords/set', { ...added, stop: [] }, { accountId: bob.accountId }),
    await ada.change('keywords/remove', { language: 'fr' }, { accountId: bob.accountId }),
  ])
    expect(refused.status).toBe(403)
  expect(await readBy(bob)).toMatchObject({ sets: [french] })
})

test('who adds a language that is there, or changes what another has changed or removed meanwhile, replaces nothing', async () => {
  const { ada } = house
  const stored = async () => ((await readBy(ada)) as { sets: { stop: string[]; updatedAt: number }[] }).sets
  const change = async (stop: string, updatedAt: number | null, language = 'fr') => {
    const { status, body } = await ada.change('keywords/set', {
      ...french,
      language,
      stop: [stop],
      updatedAt,
    })
    const { errors = [] } = body as { errors?: { pointer: string }[] }
    return [status, ...errors.map(({ pointer }) => pointer)]
  }
  expect(await change('Fini', null)).toEqual([200])
  const [{ updatedAt } = { updatedAt: 0 }] = await stored()
  expect(await change('Assez', null, 'FRA')).toEqual([422, '/language'])
  expect(await change('Marre', updatedAt)).toEqual([200])
  expect(await change('Assez', updatedAt)).toEqual([422, '/updatedAt'])
  expect((await stored()).map(({ stop }) => stop)).toEqual([['Marre']])
  const [{ updatedAt: later } = { updatedAt: 0 }] = await stored()
  await ada.change('keywords/remove', { language: 'fr' })
  expect(await change('Assez', later)).toEqual([422, '/updatedAt'])
  expect(await stored()).toEqual([])
})
