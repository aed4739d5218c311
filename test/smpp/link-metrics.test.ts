import { expect, test } from 'vitest'
import { reportLifetimeMs } from '../../src/devices/status/device-report.ts'
import { eventually } from '../eventually.ts'
import { withDatabase } from '../open-database.ts'
import { cli } from '../run-command.ts'
import { numbersFrom, openSmppHouse } from './smpp-house.ts'

const metricsOf = async (url: string): Promise<Map<string, string>> => {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
  )
}

test('a link tells Prometheus its state, its window, its rate, each kind of answer and how long it took, and lost sessions', async () => {
  const house = await openSmppHouse({ settings: ['window=7', 'max_per_second=40'] })
  const device = `device="${house.deviceId}"`
  const read = () => metricsOf(house.server.url)
  const idle = await read()
  expect(idle.get(`onesixty_device_state{${device}}`)).toBe('2')
  expect(Number(idle.get(`onesixty_device_window{${device}}`))).toBeGreaterThan(0)
  expect(idle.get(`onesixty_device_parts_per_second{${device}}`)).toBe('40')

  await house.smsc.set({
    submit: {
      rules: [
        { times: 1, status: 0x0b, taken: false },
        { times: 1, status: 0x4ff, taken: false },
      ],
    },
  })
  await house.send('Your code is 123456', numbersFrom(0, 5))
  await eventually(house.counts, (counts) => expect(counts).toEqual({ delivered: 3, failed: 2 }), 15_000)
  const busy = await read()
  expect(busy.get(`onesixty_smpp_responses_total{${device},status="ESME_ROK"}`)).toBe('3')
  expect(busy.get(`onesixty_smpp_responses_total{${device},status="ESME_RINVDSTADR"}`)).toBe('1')
  expect(busy.get(`onesixty_smpp_responses_total{${device},status="other"}`)).toBe('1')
  expect(busy.get(`onesixty_smpp_response_seconds_count{${device}}`)).toBe('5')

  await house.smsc.cut('rst')
  await eventually(
    read,
    (now) => expect(now.get(`onesixty_smpp_sessions_lost_total{${device}}`)).toBe('1'),
    10_000,
  )
}, 60_000)

test('device test binds a link that is not bound, says what to do when that fails, and leaves a bound one alone', async () => {
  const house = await openSmppHouse({ ownProcess: true })
  const { dataFolder } = house.server
  const trial = async () => {
    const { code, stdout } = await cli(['device', 'test', house.deviceId, '--json'], { dataFolder })
    const { checks, remedies } = JSON.parse(stdout) as {
      checks: { name: string; ok: boolean }[]
      remedies: string[]
    }
    return { code, peer: checks.find(({ name }) => name === 'peer'), remedies }
  }
  const binds = house.smsc.links('bound').length
  expect(await trial()).toMatchObject({ code: 0, peer: undefined })
  expect(house.smsc.links('bound').length).toBe(binds)

  await house.server.process.kill('SIGTERM')
  // As later, when its last report says nothing any more.
  await withDatabase(dataFolder, (db) =>
    db
      .updateTable('device_reports')
      .set(({ eb }) => ({ reported_at: eb('reported_at', '-', reportLifetimeMs + 1) }))
      .execute(),
  )
  expect(await trial()).toMatchObject({ peer: { ok: true } })
  expect(house.smsc.links('bound').length).toBeGreaterThan(binds)
  await house.smsc.set({ bind: { password: 'another' } })
  const refused = await trial()
  expect(refused.peer).toMatchObject({ ok: false })
  expect(refused.remedies.join()).toContain('--password-stdin')
  await house.smsc.stop()
  const gone = await trial()
  expect(gone.peer).toMatchObject({ ok: false })
  expect(gone.remedies.join()).toContain('`port`')
}, 120_000)
