import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, type ApiMessage, createApiClient } from '../../../test/api-client.ts'
import { createLoad, type Load } from '../../../test/crash/load.ts'
import { type MessagePeer, startMessagePeer } from '../../../test/peers/message-peer.ts'
import { type Artefacts, tools } from './artefacts.ts'
import { runCommand, type Server, startServer, until } from './first-start.ts'
import { type DebianTree, inDebian } from './installed-deb.ts'
import type { Check } from './run-checks.ts'

const perSecond = 100
/** The load writes to neighbouring numbers, hundreds in a minute. */
const settings = { ONESIXTY_PUMPING_MESSAGES: '0' }
/** Before, between and after what happens to the server. */
const loadMs = 2_000

/** An upgrade by dpkg while the server runs under load, and the restart that follows it, lose and double nothing. */
export const upgradeCheck: Check<Artefacts> = {
  name: 'upgrade',
  needs: [tools.dpkg, tools.unshare],
  isRoot: true,
  run: (on) =>
    inDebian(on, async (debian) => {
      const { code, output } = await debian.install(debian.packages.older)
      if (code !== 0) throw new Error(`dpkg ended with ${code}: ${output.slice(-600)}`)
      const peer = await startMessagePeer(join(on.scratch, 'peer.ndjson'))
      try {
        return await upgradeUnderLoad(debian, peer)
      } finally {
        await peer.stop()
      }
    }),
}

async function upgradeUnderLoad(debian: DebianTree, peer: MessagePeer): Promise<string> {
  const { installed } = debian
  let server = await startServer(installed, { settings })
  const key = await prepareAccount(debian, { server, peer })
  const load = createLoad({ url: server.url, key, perSecond, isPatient: true })
  try {
    load.resume()
    await sleep(loadMs)
    const { code, output } = await debian.install(debian.packages.built)
    if (code !== 0) throw new Error(`dpkg ended with ${code}: ${output.slice(-600)}`)
    await sleep(loadMs)
    // What postinst does by systemd.
    const stoppedMs = performance.now()
    const end = await server.stop()
    if (end !== 0) throw new Error(`The former server ended with ${end}.`)
    server = await startServer(installed, { port: Number(new URL(server.url).port), settings })
    const awayMs = Math.round(performance.now() - stoppedMs)
    await sleep(loadMs)
    await load.pause()
    const repeated = await load.repeatUnanswered()
    const messages = await expectSums(server, { load, peer, key })
    const { code: doctor, output: found } = await runCommand(installed, ['doctor'], server.settings)
    if (doctor !== 0) throw new Error(`The doctor says: ${found.slice(-400)}`)
    await server.stop()
    return `${messages} messages at ${perSecond} sends/s over an upgrade and a restart (${awayMs} ms, ${repeated} sends repeated): each stored, handed over and charged once, doctor fine`
  } finally {
    load.close()
    server.kill()
  }
}

/** Gives the first account enough SMS, no limits and a device whose other end writes down what it is handed. Returns its key. */
async function prepareAccount(
  { installed }: DebianTree,
  { server, peer }: { server: Server; peer: MessagePeer },
): Promise<string> {
  const find = (label: string): string => new RegExp(`${label} +(\\S+)`).exec(server.output())?.[1] ?? ''
  await until(async () => find('live key'), (key) => key !== '') // prettier-ignore
  const account = ['--account', find('account')]
  for (const command of [
    ['account', 'grant', ...account, '--sms', '1000000', '--note', 'For the check'],
    ['account', 'limit', ...account, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0'],
    ['device', 'add', 'simulator', ...account, '--name', 'Peer', '--set', `peer_url=${peer.url}`, '--set', 'delay_ms=200'],
  ]) {
    const { code, output } = await runCommand(installed, command, server.settings)
    if (code !== 0) throw new Error(`onesixty ${command.join(' ')} ended with ${code}: ${output}`)
  } // prettier-ignore
  return find('live key')
}

/** The sums of the proof `kills` (test/crash/crash-house.ts), by the word of the client, of the server and of the other end of the device. */
async function expectSums(
  { url }: Server,
  { load, peer, key }: { load: Load; peer: MessagePeer; key: string },
): Promise<number> {
  const client: ApiClient = createApiClient(url)
  try {
    const messages = await until(() => client.history(key), (all) => all.every(({ final }) => final)) // prettier-ignore
    const accepted = [...load.accepted.values()].flatMap((send) => send.messages)
    const [stored, submitted] = [messages.map(identityOf), peer.records().map(identityOf)]
    const balance = await client.balance(key)
    const used = messages.reduce((sum, { parts }) => sum + parts, 0)
    const faults = {
      refused: load.refused,
      unanswered: [...load.unanswered.keys()],
      lost: accepted.filter(({ id }) => !messages.some((message) => message.id === id)),
      'stored without an answer': messages.length - accepted.length,
      'stored twice': stored.length - new Set(stored).size,
      'handed over twice': submitted.length - new Set(submitted).size,
      'not handed over': stored.filter((name) => !submitted.includes(name)),
      'not delivered': messages.filter(({ status }) => status !== 'delivered').map(({ status }) => status),
      'charged otherwise': balance.used - used + balance.reserved,
    }
    const found = Object.entries(faults).filter(([, fault]) => (typeof fault === 'number' ? fault !== 0 : fault.length > 0)) // prettier-ignore
    if (found.length > 0 || messages.length < perSecond)
      throw new Error(`Of ${messages.length} messages: ${JSON.stringify(Object.fromEntries(found)).slice(0, 600)}`) // prettier-ignore
    return messages.length
  } finally {
    client.close()
  }
}

/** What a message is, whatever its ids: its text and its recipient. */
const identityOf = ({ text, to }: Pick<ApiMessage, 'text' | 'to'>): string => `${text} ${to}`
