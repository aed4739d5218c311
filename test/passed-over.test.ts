import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { MessagePage } from '../src/api/console/messages/message-page.ts'
import { startConsole, type TestConsole } from './console/start-console.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { type AtModemControl, startAtModem } from './peers/at-modem-control.ts'
import { type PeerProcess, startPeerProcess } from './peers/peer-process.ts'
import type { Submitted } from './peers/provider-peer.ts'
import { type SmscControl, startSmsc } from './peers/smsc-control.ts'
import { type LocalPhone, startLocalPhone } from './phones/local-phone.ts'
import { cli, cliJson } from './run-command.ts'

const to = '+4915112345001'
const toAnother = '+4915112345002'

let house: TestConsole
/** Each fails in its own way: the phone refuses, the modem is busy with another message, the SMSC answers no bind, nobody listens at the provider. */
let peers: { phone: LocalPhone; modem: AtModemControl; smsc: SmscControl; provider: PeerProcess<{ port: number }> } // prettier-ignore
/** Their devices, as stages of one rule. */
let devices: { phone: string; modem: string; smpp: string; provider: string }

/** Opens the house of the running test. */
async function openHouse(): Promise<void> {
  const port = String(await freePort())
  const env = { ONESIXTY_PORT: port, ONESIXTY_PUBLIC_URL: `http://127.0.0.1:${port}`, ONESIXTY_PROVIDER_ALLOW: '127.0.0.1' } // prettier-ignore
  const [started, phone, modem, smsc, provider] = await Promise.all([
    startConsole(env),
    startLocalPhone({ outcomeOf: { [to]: 'no-service' } }),
    startAtModem({
      settings: { submit: { rules: [{ to: toAnother.slice(1), isTaken: true, answer: 'held' }] } },
    }),
    startSmsc({ settings: { bind: { silent: true } } }),
    startPeerProcess<{ port: number }>(join(import.meta.dirname, 'peers/provider-peer.ts'), []),
  ])
  onTestFinished(() => modem.stop())
  onTestFinished(() => smsc.stop())
  onTestFinished(() => provider.kill())
  onTestFinished(() => started.stop())
  house = started
  peers = { phone, modem, smsc, provider }
  await provider.call('setOffline', true)
  devices = await addDevices()
}

async function addDevices(): Promise<typeof devices> {
  const { phone, modem, smsc, provider } = peers
  const { dataFolder, ada } = house
  await cliJson(['account', 'grant', '--account', ada.accountId, '--sms', '10', '--note', 'test'], dataFolder)
  const add = async (stdin: string, ...line: string[]): Promise<string> => {
    const added = await cli(['device', ...line, '--account', ada.accountId, '--json'], { dataFolder, stdin })
    expect(added, added.stderr).toMatchObject({ code: 0 })
    return (JSON.parse(added.stdout) as { id: string }).id
  }
  const set = (...pairs: string[]): string[] => pairs.flatMap((pair) => ['--set', pair])
  const given = {
    phone: await add(`${phone.password}\n`, 'connect', 'android', '--local', phone.address, '--password-stdin'),
    modem: await add('', 'add', 'modem', '--name', 'Stick', ...set(`port=${modem.address}`, 'pause_ms=0')),
    smpp: await add('secret\n', 'add', 'smpp', '--name', 'Carrier', '--host', smsc.host, '--port', String(smsc.port), '--system-id', 'esme', '--password-stdin', ...set('bind_timeout_ms=100', 'reconnect_first_ms=100')),
    provider: await add('secret\n', 'add', 'http', '--name', 'Provider', '--secret-stdin', 'api_secret', ...set('provider=vonage', 'api_key=abcd1234', 'default_sender=Acme', `base=http://127.0.0.1:${provider.ready.port}`)),
  } // prettier-ignore
  await cliJson(['device', 'set', given.phone, '--no-pace', ...set('visit_ms=200', 'visit_idle_s=1')], dataFolder) // prettier-ignore
  const way = `${given.phone}; ${given.modem}; ${given.smpp} busy; ${given.provider} busy`
  await cliJson(['route', 'add', '--owner', ada.accountId, '--name', 'In turn', '--way', way], dataFolder)
  return given
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${house.ada.liveKey}`, 'content-type': 'application/json' }
  const method = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(`${house.url}/api/v1/${path}`, method)
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true)
  return (await answer.json()) as T
}

const send = async (body: object): Promise<string> =>
  (await ask<{ messages: { id: string }[] }>('send', { text: 'Hello', ...body })).messages[0]?.id ?? ''
const pageOf = async (id: string): Promise<MessagePage> =>
  (await house.ada.read('history/message', { id })).body as MessagePage
const hasStatus = (id: string, status: string): Promise<MessagePage> =>
  eventually(() => pageOf(id), ({ message }) => expect(message.status).toBe(status), 20_000) // prettier-ignore

/** Settles when each device is as `peers` are. */
async function standAsTheyFail(): Promise<void> {
  const { modem, phone, smpp } = devices
  await eventually(
    async () => {
      const { devices: seen } = await ask<{ devices: { id: string; status: string; reasons: string[] }[] }>('status') // prettier-ignore
      return Object.fromEntries(seen.map(({ id, status, reasons }) => [id, [status, ...reasons].join(' ')]))
    },
    (seen) => expect(seen).toMatchObject({ [phone]: 'online', [modem]: 'online', [smpp]: expect.stringMatching(/^offline bind_timeout/) }), // prettier-ignore
    20_000,
  )
  // The server has read the rule, too: what it accepts before goes over the usual way.
  await eventually(
    () => ask<{ routing: { stages: unknown[] }[] }>('send', { text: 'Hello', to, dry_run: true }),
    ({ routing }) => expect(routing.map(({ stages }) => stages.length)).toEqual([4]),
    20_000,
  )
  await send({ to: toAnother, via: { device: modem } })
  await eventually(() => peers.modem.submits(), (all) => expect(all).toHaveLength(1), 20_000) // prettier-ignore
}

const sayings = ({ routing }: MessagePage): string[] =>
  routing.flatMap(({ devices: stage }) => stage.map(({ says }) => says))
const attemptsOf = ({ attempts }: MessagePage): unknown[] =>
  attempts.map(({ deviceId, state, why }) => [deviceId, state, why])

test('a message that a phone refuses, a modem is too busy for, an SMSC is silent to and a provider cuts is sent once, charged once, and its page says why each was passed over', async () => {
  await openHouse()
  await standAsTheyFail()
  const id = await send({ to })
  const waiting = await eventually(
    () => pageOf(id),
    (page) => expect(sayings(page)).toEqual([
      'It refused this message: others come first.',
      'It has no room now.',
      'It does not work now.',
      'It does not work now.',
    ]),
    20_000,
  ) // prettier-ignore
  expect(waiting.routing.map(({ opens, open }) => [opens, open])).toEqual([
    [null, true],
    ['when no device before works', true],
    ['while devices before have no room, or when no device before works', true],
    ['while devices before have no room, or when no device before works', true],
  ])
  const refused = [
    [devices.phone, 'refused', null],
    [devices.provider, 'refused', 'busy_before'],
  ]
  expect(attemptsOf(waiting)).toEqual(refused)
  await peers.provider.call('setOffline', false)
  // A changed device is tried at once, not after its rest.
  await cliJson(['device', 'set', devices.provider, '--set', 'window=3'], house.dataFolder)
  await hasStatus(id, 'sent')
  expect(await peers.provider.call('deliver', 3)).toBe(0)
  const sent = await hasStatus(id, 'delivered')
  expect(attemptsOf(sent)).toEqual([...refused, [devices.provider, 'accepted', 'busy_before']])
  expect(sent.message.cost).toMatchObject({ charged: 1, state: 'charged' })
  const { phone, modem, smsc, provider } = peers
  expect(phone.phones.all.radioLog()).toMatchObject([{ to, left: false, times: 1 }])
  expect(smsc.submits()).toEqual([])
  expect(await provider.call<Submitted[]>('submitted')).toMatchObject([{ to: to.slice(1), status: '0' }])
  // The modem is free again, and gets nothing more.
  await modem.answerHeld()
  await eventually(() => ask('balance'), (balance) => expect(balance).toMatchObject({ used: 2, reserved: 0 }), 20_000) // prettier-ignore
  expect(modem.submits()).toHaveLength(1)
  expect(await cliJson(['doctor'], house.dataFolder)).toMatchObject({ ok: true })
}, 60_000)
