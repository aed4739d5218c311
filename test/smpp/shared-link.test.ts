import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type ServerProcess, startServerProcess, temporaryFolder } from '../harness.ts'
import { cli, cliJson } from '../run-command.ts'
import { mobileOriginated } from '../peers/sms-text/mobile-originated.ts'
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'

interface Tenant {
  send(text: string, to: string): Promise<void>
  received(): Promise<string[]>
  states(): Promise<string[]>
}

/** A server whose one device, a link to the foreign SMSC, every account may use. */
async function openSharedLink(): Promise<{ smsc: SmscControl; tenant(name: string): Promise<Tenant> }> {
  const smsc = await startSmsc()
  onTestFinished(() => smsc.stop())
  const dataFolder = await temporaryFolder()
  const server = await startServerProcess({ dataFolder })
  onTestFinished(async () => void (await server.kill('SIGKILL')))
  const link = ['--host', smsc.host, '--port', String(smsc.port), '--system-id', 'esme', '--password-stdin']
  const add = ['device', 'add', 'smpp', '--shared', '--name', 'Carrier', ...link]
  expect(await cli(add, { dataFolder, stdin: 'secret\n' })).toMatchObject({ code: 0 })
  await eventually(
    () => smsc.links('bound'),
    (bound) => expect(bound).toHaveLength(1),
    10_000,
  )
  return { smsc, tenant: (name) => openTenant(server, dataFolder, name) }
}

async function openTenant(server: ServerProcess, dataFolder: string, name: string): Promise<Tenant> {
  const create = ['account', 'create', '--name', name, '--email', `${name}@example.org`]
  const { live_key: key } = await cliJson<{ live_key: string }>(create, dataFolder)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const history = async (direction: string) => {
    const answer = await fetch(`${server.url}/api/v1/history?direction=${direction}`, { headers })
    return ((await answer.json()) as { data: { text: string; status: string }[] }).data
  }
  return {
    async send(text, to) {
      const body = JSON.stringify({ to, text })
      const answer = await fetch(`${server.url}/api/v1/send`, { method: 'POST', headers, body })
      expect(answer.status, await answer.text()).toBe(202)
    },
    received: async () => (await history('inbound')).map(({ text }) => text),
    states: async () => (await history('outbound')).map(({ status }) => status),
  }
}

const mobile = '4915112345678'
const long = 'A long answer that needs more than one piece. '.repeat(8).trim()

test('over one link for two accounts, each answer reaches the account that last sent to the number', async () => {
  const { smsc, tenant } = await openSharedLink()
  const [ada, ben] = [await tenant('ada'), await tenant('ben')]
  const arrives = (who: Tenant, states: string[]): Promise<unknown> =>
    eventually(who.states, (seen) => expect(seen).toEqual(states), 10_000)
  const answers = async (text: string, from = mobile, method: 'none' | 'udh8' = 'none'): Promise<void> => {
    for (const order of mobileOriginated({ from, to: '12345', text, method }))
      expect(await smsc.deliver(order)).toMatchObject({ outcome: 0 })
  }
  await ada.send('From Ada', `+${mobile}`)
  await arrives(ada, ['delivered'])
  await answers('to Ada')
  await ben.send('From Ben', `+${mobile}`)
  await arrives(ben, ['delivered'])
  await answers(long, mobile, 'udh8')
  await answers('to nobody', '4915100000000')
  expect(await ada.received()).toEqual(['to Ada'])
  expect(await ben.received()).toEqual([long])
}, 60_000)
