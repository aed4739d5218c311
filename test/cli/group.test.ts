import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let accountId: string
beforeAll(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
})
afterAll(() => cli.close())

const add = async (rest: string): Promise<string> =>
  (await cli.json<{ id: string }>(`device add simulator --name S ${rest}`)).id
const groups = async () =>
  (await cli.json<{ groups: { id: string; devices: string[] }[] }>('group list')).groups

test('the hosts of one carrier are put into a group and taken out of it, and a group that is removed leaves its devices', async () => {
  const [one, other] = [await add('--shared'), await add('--shared')]
  const { id } = await cli.json<{ id: string }>('group add --name Carrier --shared-receipts')
  for (const device of [one, other])
    expect(await cli.json(`device set ${device} --group ${id}`)).toMatchObject({ group_id: id })
  expect(await groups()).toMatchObject([
    { id, name: 'Carrier', shared_receipts: true, devices: [one, other] },
  ])
  expect(await cli.json(`device set ${one} --no-group`)).toMatchObject({ group_id: null })
  expect(await groups()).toMatchObject([{ devices: [other] }])
  await cli.json(`group remove ${id}`)
  expect(await groups()).toEqual([])
  const { devices } = await cli.json<{ devices: { group_id: string | null }[] }>('device list')
  expect(devices.map(({ group_id }) => group_id)).toEqual([null, null])
})

test('a group takes no device of another owner or mode, no ninth that shares its receipts, and none that is not there', async () => {
  const { id } = await cli.json<{ id: string }>('group add --name Hosts --shared-receipts')
  const code = async (words: string) => (await cli.run(words)).code
  for (let i = 0; i < 8; i++) await cli.json(`device set ${await add('--shared')} --group ${id}`)
  expect(await code(`device set ${await add('--shared')} --group ${id}`)).not.toBe(0)
  const [first] = (await groups())[0]?.devices ?? []
  await cli.json(`device set ${first} --no-group`)
  expect(await code(`device set ${await add(`--account ${accountId}`)} --group ${id}`)).not.toBe(0)
  expect(await code(`device set ${await add('--shared --mode test')} --group ${id}`)).not.toBe(0)
  expect(await code(`device set ${first} --group grp_nobody`)).not.toBe(0)
  expect((await groups())[0]?.devices).toHaveLength(7)
})

test('a group is renamed, and shares its receipts only while it has no more devices than a receipt is looked for among', async () => {
  const { id } = await cli.json<{ id: string }>('group add --name Pool')
  for (let i = 0; i < 9; i++) await cli.json(`device set ${await add('--shared')} --group ${id}`)
  expect(await cli.run(`group set ${id} --shared-receipts`)).toMatchObject({ code: 1 })
  expect(await cli.json(`group set ${id} --name Modems`)).toMatchObject({
    name: 'Modems',
    shared_receipts: false,
  })
  const { devices } = await cli.json<{ devices: string[] }>(`group show ${id}`)
  await cli.json(`device set ${devices[0]} --no-group`)
  expect(await cli.json(`group set ${id} --shared-receipts`)).toMatchObject({ shared_receipts: true })
  expect(await cli.json(`group set ${id} --own-receipts`)).toMatchObject({ shared_receipts: false })
  expect((await cli.run(`group set ${id}`)).stderr).toContain('Nothing to change')
  expect((await cli.run('group show grp_nobody')).stderr).toContain('Unknown group grp_nobody.')
})
