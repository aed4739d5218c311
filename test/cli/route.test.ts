import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

interface RuleJson {
  id: string
  account_id: string | null
  name: string
  conditions: Record<string, unknown>
  way: string | null
  ways: number
  refuses: boolean
}

let cli: Cli
let accountId: string
let [own, net] = ['', '']
beforeAll(async () => {
  cli = await openCli()
  accountId = (await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org'))
    .account_id
  const add = async (rest: string): Promise<string> =>
    (await cli.json<{ id: string }>(`device add simulator --name S ${rest}`)).id
  own = await add(`--account ${accountId}`)
  net = await add('--shared')
})
afterAll(() => cli.close())

const add = (line: readonly string[]) => cli.json<RuleJson>(['route', 'add', ...line])
const names = async () => (await cli.json<{ rules: RuleJson[] }>('route list')).rules.map(({ name }) => name)

test('rules are added, changed, moved and removed, and asked in order: those of an account first', async () => {
  const first = await add(['--name', 'First', '--to', '49,33', '--from', 'Shop,none', '--min-parts', '2', '--way', `own; ${net} after=5m`]) // prettier-ignore
  expect(first).toMatchObject({
    account_id: null,
    conditions: { to: ['49', '33'], from: ['Shop', ''], min_parts: 2 },
    way: `own; ${net} after=5m`,
    ways: 1,
    refuses: false,
  })
  await add(['--name', 'Refused', '--to', '4990', '--refuse', '--before', first.id])
  const split = await add(['--name', 'Split', '--owner', accountId, '--way', `${own}*70,${net}*30`])
  expect(split).toMatchObject({ account_id: accountId, ways: 2 })
  expect(await names()).toEqual(['Split', 'Refused', 'First'])
  await cli.json(['route', 'move', first.id, '--before', (await cli.json<{ rules: RuleJson[] }>('route list')).rules[1]?.id as string]) // prettier-ignore
  expect(await names()).toEqual(['Split', 'First', 'Refused'])
  await cli.json(['route', 'move', first.id])
  expect(await names()).toEqual(['Split', 'Refused', 'First'])
  expect(await cli.json(['route', 'set', first.id, '--all', '--way', 'own', '--name', 'All'])).toMatchObject({
    name: 'All',
    conditions: {},
    way: 'own',
  })
  expect((await cli.run(`route show ${first.id}`)).stdout).toContain('All  all  own')
  await cli.json(`route remove ${first.id}`)
  expect(await names()).toEqual(['Split', 'Refused'])
  for (const { id } of (await cli.json<{ rules: RuleJson[] }>('route list')).rules)
    await cli.json(`route remove ${id}`)
  expect((await cli.run('route list')).stdout).toContain('No rules')
})

test('a rule that cannot be is refused with what to do', async () => {
  const fault = async (...line: string[]) => (await cli.run(['route', 'add', '--name', 'R', ...line])).stderr
  expect(await fault()).toContain('Give either --way or --refuse.')
  expect(await fault('--way', 'own', '--refuse')).toContain('not both')
  expect(await fault('--way', 'phone')).toContain("'phone' is no device")
  expect(await fault('--way', 'dev_nobody')).toContain('dev_nobody not found.')
  expect(await fault('--way', 'grp_nobody')).toContain('grp_nobody not found.')
  expect(await fault('--way', 'own', '--to', '+49')).toContain('--to')
  expect(await fault('--way', 'own', '--country', 'de')).toContain('--country')
  expect(await fault('--way', 'own', '--network', '26201')).toContain(
    '--network is not available. The network of a number is not known when a message is accepted',
  )
  expect(await fault('--way', 'own', '--min-parts', '11')).toContain('from 1 to 10')
  expect(await fault('--way', 'own', '--owner', 'acc_nobody')).toContain('Unknown account acc_nobody.')
  const other = (await cli.json<{ account_id: string }>('account create --name Bob --email bob@example.org'))
    .account_id
  expect(await fault('--way', own, '--owner', other)).toContain(`${own} belongs to another account.`)
  expect((await cli.run('route show rul_nobody')).stderr).toContain('Unknown rule rul_nobody.')
})

test('a group that a rule names is not removed before the rule is changed', async () => {
  const { id } = await cli.json<{ id: string }>('group add --name Pool')
  const rule = await add(['--name', 'Pool first', '--way', id])
  expect((await cli.run(`group remove ${id}`)).stderr).toContain(
    `The rule ${rule.id} (Pool first) names this group`,
  )
  await cli.json(['route', 'set', rule.id, '--way', 'own'])
  expect(await cli.json(`group remove ${id}`)).toEqual({ id, removed: true })
  await cli.json(`route remove ${rule.id}`)
})

test('route explain says which rule matches, and what each device is for the message', async () => {
  const rule = await add(['--name', 'Codes', '--category', 'authentication', '--way', `own; ${net} busy`])
  const explained = await cli.json<{ rule: { id: string } | null; stages: { opens: string | null; devices: { id: string; verdict: string }[] }[] }>(`route explain --account ${accountId} --to +4915112345678 --category authentication --fallback`) // prettier-ignore
  expect(explained).toMatchObject({
    rule: { id: rule.id, name: 'Codes' },
    stages: [
      { opens: null, devices: [{ id: own, verdict: 'offline' }] },
      {
        opens: 'while devices before have no room, or when no device before works',
        devices: [{ id: net, verdict: 'offline' }],
      },
    ],
  })
  const usual = await cli.json(`route explain --account ${accountId} --to +4915112345678 --fallback`)
  expect(usual).toMatchObject({ rule: null, way: null })
  expect((await cli.run(`route explain --account ${accountId} --to 0151`)).code).not.toBe(0)
  await cli.json(`device set ${own} --only-to 33,1`)
  expect(await cli.json(`route explain --account ${accountId} --to +4915112345678 --fallback`)).toMatchObject(
    { stages: [{ devices: [{ id: own, verdict: 'destination_excluded' }] }, {}] },
  )
  await cli.json(`device set ${own} --only-to all`)
  expect((await cli.run(`device set ${own} --not-to +33`)).stderr).toContain(
    '--not-to takes the first digits',
  )
  await cli.json(`route remove ${rule.id}`)
})

test('a plan that no account has is shown, for it may be mistyped', async () => {
  await cli.json(`account plan --account ${accountId} --plan plus`)
  const line = ['route', 'add', '--name', 'Typo', '--refuse', '--plan']
  const text = async (plans: string) => (await cli.run([...line, plans])).stdout
  expect(await text('pluss,plus,none')).toContain('No account has the plan pluss.')
  expect(await text('plus,none')).not.toContain('No account')
  const { rules } = await cli.json<{ rules: RuleJson[] }>('route list')
  const typo = rules.find(({ name }) => name === 'Typo')?.id ?? ''
  expect((await cli.run(['route', 'set', typo, '--plan', 'pluss'])).stdout).toContain(
    'No account has the plan pluss.',
  )
  for (const { id, name } of rules) if (name === 'Typo') await cli.run(`route remove ${id}`)
  await cli.json(`account plan --account ${accountId} --no-plan`)
})

test('a rule by plan matches the messages of accounts that have it', async () => {
  const pro = await add(['--name', 'Pro', '--plan', 'pro,plus', '--way', own])
  const others = await add(['--name', 'Others', '--plan', 'none', '--refuse'])
  expect(pro.conditions).toEqual({ plan: ['pro', 'plus'] })
  expect((await cli.run(`route show ${others.id}`)).stdout).toContain('plan=none')
  const explained = async () => (await cli.json<{ rule: { name: string } | null }>(`route explain --account ${accountId} --to +4915112345678`)).rule?.name // prettier-ignore
  expect(await explained()).toBe('Others')
  await cli.json(`account plan --account ${accountId} --plan plus`)
  expect(await explained()).toBe('Pro')
  await cli.json(`account plan --account ${accountId} --plan free`)
  expect(await explained()).toBeUndefined()
  expect((await cli.run(['route', 'add', '--name', 'R', '--plan', 'Pro', '--refuse'])).stderr).toContain(
    '--plan Plans of the accounts that send',
  )
  for (const { id } of [pro, others]) await cli.json(`route remove ${id}`)
})

test('what waits gets the ways of now when it is asked for, and keeps its place', async () => {
  expect((await cli.run('route apply')).stderr).toContain('Give --waiting')
  expect(await cli.json('route apply --waiting')).toEqual({ moved: 0, refused: 0, held: 0 })
})
