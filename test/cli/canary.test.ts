import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeAll(async () => void (cli = await openCli()))
afterAll(() => cli.close())

test('adds, lists, shows and removes a canary', async () => {
  const { account_id: account } = await cli.json<{ account_id: string }>(
    'account create --name Ada --email ada@example.org',
  )
  const device = async (rest: string) => (await cli.json<{ id: string }>(`device add simulator ${rest}`)).id
  const from = await device(`--account ${account} --name A`)
  const to = await device('--shared --name B --sender +4915112345678')
  expect(await cli.json('canary list')).toEqual({ canaries: [] })
  const added = await cli.json<{ id: string }>(`canary add --account ${account} --from ${from} --to ${to} --every 2h`)
  const facts = { account_id: account, from_device: from, to_device: to, recipient: '+4915112345678', every_seconds: 7200, runs: 0, lost: 0, last_state: null, status: 'ok' }
  expect(added).toMatchObject(facts)
  expect(await cli.json(`canary show ${added.id}`)).toMatchObject(facts)
  const listed = await cli.run(`canary list --account ${account}`)
  expect(listed.stdout).toContain(`${added.id}  ${from} to ${to}  every 120 min  no run yet  0 of 0 lost`)
  expect((await cli.run(`canary add --account ${account} --from ${to} --to ${from}`)).stderr).toContain('no known number')
  expect((await cli.run(`canary add --account ${account} --from ${from} --to ${to} --every soon`)).code).toBe(2)
  expect((await cli.run(`canary add --from ${from} --to ${to}`)).stderr).toContain('must own both devices')
  expect(await cli.json(`canary remove ${added.id}`)).toEqual({ id: added.id, removed: true })
  expect((await cli.run(`canary show ${added.id}`)).code).toBe(1)
}) // prettier-ignore
