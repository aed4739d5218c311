import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BalanceAnswer, StatementAnswer } from '../../src/api/console/account/balance-calls.ts'
import { dayMs, utcDay } from '../../src/runtime/clock.ts'
import { startConsole, type TestConsole } from './start-console.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole()
})
afterAll(() => house.stop())

const thisWeek = () => ({ fromDay: utcDay(Date.now()) - 6, toDay: utcDay(Date.now()) + 1 })
const summary = async (): Promise<BalanceAnswer> =>
  (await house.ada.read('balance/summary')).body as BalanceAnswer

describe('the balance', () => {
  test('of a new account is what it was granted, with a day for each of 90 and no pace yet', async () => {
    const { available, burn, pace, canSetThreshold } = await summary()
    expect(available).toBe(10)
    expect(burn).toHaveLength(90)
    expect(burn.at(-1)).toEqual({ day: utcDay(Date.now()), parts: 0 })
    expect(pace).toEqual({ perDay: null, days: 0, daysLeft: null })
    expect(canSetThreshold).toBe(true)
  })

  test('warns from a threshold on that its owner sets and that is written down', async () => {
    expect((await summary()).isLow).toBe(false)
    const set = await house.ada.change('balance/threshold', { threshold: 10 })
    expect(set).toMatchObject({ status: 200, body: { threshold: 10 } })
    expect(await summary()).toMatchObject({ lowThreshold: 10, isLow: true })
    expect((await house.bob.read('balance/summary')).body).not.toMatchObject({ lowThreshold: 10 })
    expect((await house.ada.change('balance/threshold', { threshold: -1 })).status).toBe(422)
  })
})

describe('a statement', () => {
  test('lists what was given with the balance after it', async () => {
    const { body } = await house.ada.read('balance/statement', thisWeek())
    const { rows, opening, closing } = body as StatementAnswer
    expect([opening, closing]).toEqual([0, 10])
    expect(rows).toMatchObject([{ kind: 'grant', sms: 10, balance: 10 }])
  })

  test('of a later time begins with what was before', async () => {
    const tomorrow = utcDay(Date.now() + dayMs)
    const { body } = await house.ada.read('balance/statement', { fromDay: tomorrow, toDay: tomorrow + 1 })
    expect(body).toMatchObject({ opening: 10, closing: 10, rows: [] })
  })

  test('comes as a file that a spreadsheet reads', async () => {
    const { body, headers } = await house.ada.read('balance/export', thisWeek())
    const lines = String(body).split('\r\n')
    expect(headers.get('content-disposition')).toContain('statement-live-')
    expect(lines[0]).toContain('at,kind,sms,balance,note,by,id')
    expect(lines[1]).toMatch(/,opening,,0,,,$/)
    expect(lines[2]).toMatch(/,grant,10,10,/)
  })

  test('is about one to 400 days', async () => {
    for (const period of [
      { fromDay: 20_000, toDay: 20_000 },
      { fromDay: 20_000, toDay: 20_401 },
    ]) {
      const { status, body } = await house.ada.read('balance/statement', period)
      expect({ status, code: (body as { code: string }).code }).toEqual({
        status: 422,
        code: 'validation_failed',
      })
    }
  })
})
