import { expect, onTestFinished, test } from 'vitest'
import type { RulesAnswer } from '../../src/api/console/operator/rule-calls.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { makeOperator } from '../e2e/signed-in.ts'
import { startConsole } from './start-console.ts'

test('the operator sees all own rules, and those of accounts up to 1,000, each account whole; all are counted', async () => {
  const house = await startConsole()
  onTestFinished(() => house.stop())
  const operator = await house.newPerson('Olga')
  await makeOperator(house, operator.userId)
  const accounts = [await house.openAccount('First'), await house.openAccount('Second')]
  const rulesOf = (account_id: string | null, amount: number, mark: string) =>
    Array.from({ length: amount }, (_, i) => ({
      id: `rul_${mark}${String(i).padStart(25, '0')}`, account_id, place: i + 1, name: `${mark}${i}`, conditions: '{}', stages: null, created_at: 1, updated_at: 1,
    })) // prettier-ignore
  await house.app.storage.writer.write(async (tx) => {
    await insertRows(tx, 'route_rules', rulesOf(null, 3, 'o'))
    await insertRows(tx, 'route_rules', rulesOf(accounts[0]!.accountId, 600, 'a'))
    await insertRows(tx, 'route_rules', rulesOf(accounts[1]!.accountId, 600, 'b'))
  })
  const { rules, total } = (await operator.read('operator/rules', {})).body as RulesAnswer
  expect([total, rules.length]).toEqual([1_203, 603])
  expect(rules.slice(-3)).toMatchObject([{ name: 'o0' }, { name: 'o1' }, { name: 'o2' }])
  expect(rules[599]).toMatchObject({ name: 'a599', accountName: 'First' })
})

test('a range of parts that no message has is refused, and a hundred accounts fit', async () => {
  const house = await startConsole()
  onTestFinished(() => house.stop())
  const operator = await house.newPerson('Olga')
  await makeOperator(house, operator.userId)
  const rule = { accountId: null, name: 'Rule', way: null }
  const empty = await operator.change('operator/add-rule', { ...rule, conditions: { minParts: 3, maxParts: 2 } }) // prettier-ignore
  expect(empty).toMatchObject({ status: 422, body: { errors: [{ pointer: '/parts', code: 'invalid_format' }] } }) // prettier-ignore
  const account = Array.from({ length: 100 }, (_, i) => `acc_${String(i).padStart(26, '0')}`).join(', ')
  expect(await operator.change('operator/add-rule', { ...rule, conditions: { account } })).toMatchObject({ status: 200 }) // prettier-ignore
})
