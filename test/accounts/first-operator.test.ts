import { afterEach, beforeEach, expect, test } from 'vitest'
import { findOperator, welcomeBack } from '../../src/cli/server/second-start.ts'
import { startApp, type TestApp } from '../harness.ts'
import { givePassword, makeOperator } from '../e2e/signed-in.ts'

let app: TestApp
beforeEach(async () => {
  app = await startApp()
})
afterEach(() => app.stop())

const find = () => findOperator(app.app.storage.read)

test('a later start names the operator who has a password, else the first one, else none', async () => {
  expect(await find()).toBe(null)
  const { userId: ada } = await app.openAccount('Ada')
  const { userId: bob } = await app.openAccount('Bob')
  const { userId: eve } = await app.openAccount('Eve')
  await givePassword(app, eve)
  expect(await find(), 'a user who is no operator').toBe(null)
  await makeOperator(app, ada)
  expect(await find()).toEqual({ email: 'ada@example.org', hasPassword: false })
  await makeOperator(app, bob)
  await givePassword(app, bob)
  expect(await find()).toEqual({ email: 'bob@example.org', hasPassword: true })
})

test('it prints four lines, of which the command is complete', () => {
  const linesOf = (text: string): string[] => text.trim().split('\n')
  const url = 'https://sms.example.org'
  expect(linesOf(welcomeBack(url, { email: 'ada@example.org', hasPassword: true }))).toEqual([
    'Console: https://sms.example.org',
    'You set it up as ada@example.org.',
    'New link to choose a password: onesixty user reset-link --email ada@example.org',
    'Guides: https://sms.example.org/docs/guides',
  ])
  expect(linesOf(welcomeBack(url, null))[1]).toBe('No password has been chosen yet.')
})
