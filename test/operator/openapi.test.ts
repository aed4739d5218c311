import { readFile } from 'node:fs/promises'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorOpenApi } from '../../scripts/generators/operator-openapi.ts'
import { operatorOperations } from '../../src/api/operator/operations.ts'
import { type OperatorHouse, startOperatorHouse } from './operator-client.ts'

let house: OperatorHouse
beforeAll(async () => {
  house = await startOperatorHouse()
})
afterAll(() => house.stop())

const answered = (id: string, body: unknown): unknown[] => {
  const { answers } = operatorOperations.find(
    (operation) => operation.id === id,
  ) as (typeof operatorOperations)[number]
  const answer = answers[200] ?? answers[201]
  if (answer === undefined) throw new Error(`${id} documents no answer.`)
  return [...Compile(answer.schema).Errors(body)]
}

test('the committed document is the one that the code makes, and the service serves it with its own address', async () => {
  const text = await operatorOpenApi.render()
  expect(await readFile(new URL(`../../${operatorOpenApi.path}`, import.meta.url), 'utf8')).toBe(text)
  const served = (await (await fetch(`${house.url}/operator/openapi.json`)).json()) as Record<string, unknown>
  expect(served).toEqual({ ...(JSON.parse(text) as object), servers: [{ url: house.url }] })
})

test('it names every operation once, each with its parameter in the path', async () => {
  const { paths } = JSON.parse(await operatorOpenApi.render()) as {
    paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>
  }
  const named = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(named.toSorted()).toEqual(operatorOperations.map(({ id }) => id).toSorted())
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters } of Object.values(methods))
      expect(
        parameters.some((one) => one.in === 'path'),
        path,
      ).toBe(path.includes('{account_id}'))
})

test('nothing of it stands in the reference of accounts, which keeps its four operations', async () => {
  const text = await (await fetch(`${house.url}/openapi.json`)).text()
  expect(text).not.toContain('/operator/')
})

test('the examples fit their schemas, and so does what is really answered', async () => {
  for (const { id, answers } of operatorOperations)
    for (const answer of Object.values(answers)) expect(answered(id, answer.example), id).toEqual([])
  const opened = await house.post('/accounts', { name: 'Ada', email: 'ada@example.org' }, 'o')
  const at = `/accounts/${opened.body.account.id}`
  expect(answered('createAccount', opened.body)).toEqual([])
  expect(answered('grantSms', (await house.post(`${at}/grants`, { sms: 1, note: 'N' }, 'g')).body)).toEqual(
    [],
  )
  expect(
    answered('changeAccountState', (await house.post(`${at}/state`, { state: 'suspended' })).body),
  ).toEqual([])
  const question = { account_id: opened.body.account.id, to: '+4915112345678' }
  expect(answered('explainRoute', (await house.post('/route-explanations', question)).body)).toEqual([])
  for (const [id, path] of [
    ['getAccount', at],
    ['listAccounts', '/accounts'],
    ['listLedgerEntries', `${at}/ledger`],
    ['getUsage', `${at}/usage`],
  ] as const)
    expect(answered(id, (await house.get(path)).body), id).toEqual([])
})

test('people read it on a page of its own, which says without JavaScript where it stands', async () => {
  const page = await fetch(`${house.url}/operator/docs`)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const text = await page.text()
  expect(text).toContain('data-document="/operator/openapi.json"')
  for (const words of ['OPERATOR_TOKEN', '/operator/v1/accounts/{account_id}/grants'])
    expect(text).toContain(words)
})
