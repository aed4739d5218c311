import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeAll(async () => void (cli = await openCli()))
afterAll(() => cli.close())

test('sets, shows and removes what the contract of a SIM includes', async () => {
  await cli.run('account create --name Ada --email ada@example.org')
  const { id } = await cli.json<{ id: string }>('device add simulator --shared --name S --sender +4915112345678')
  const plan = (rest: string) => cli.json<{ sim_plans: object[] }>(`device plan ${id} ${rest}`)
  expect(await plan('')).toEqual({ device_id: id, sim_plans: [] })
  expect(await plan('--parts-per-day 500 --parts-per-month 3000 --numbers-per-month 99 --month-starts 12')).toMatchObject({
    sim_plans: [
      { sim: 1, parts_per_day: 500, parts_today: 0, parts_per_month: 3000, numbers_per_month: 99, numbers_this_month: 0, zone: 'Europe/Berlin', reached_on: null },
    ],
  })
  expect(await plan('--parts-per-day 0 --zone America/New_York')).toMatchObject({
    sim_plans: [{ parts_per_day: null, parts_per_month: 3000, zone: 'America/New_York' }],
  })
  const { stdout } = await cli.run(`device plan ${id}`)
  expect(stdout).toContain('SIM 1  0 of 3000 parts this month  0 of 99 numbers this month  month from ')
  expect((await cli.run(`device plan ${id} --remove --parts-per-day 50`)).code).toBe(2)
  expect((await cli.run(`device plan ${id} --sim 2 --parts-per-day 5`)).stderr).toContain('Parts per day must be from 10')
  expect(await plan('--remove')).toEqual({ device_id: id, sim_plans: [] })
  expect((await cli.run('device plan dev_none')).code).toBe(1)
}) // prettier-ignore
