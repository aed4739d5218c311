import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, createApiClient } from '../../../test/api-client.ts'
import { createLoad, type Load } from '../../../test/crash/load.ts'
import { faultsOf, usedBy } from '../../../test/crash/sums.ts'
import { until } from '../../../test/eventually.ts'
import { type MessagePeer, startMessagePeer } from '../../../test/peers/message-peer.ts'
import { readWelcome } from '../../../test/server-child.ts'
import { run } from '../release.ts'
import { buildOf, formerCommit, keepOnly } from './another-build.ts'
import { type Artefacts, tools } from './artefacts.ts'
import { runCommand, type Server, startServer } from './first-start.ts'
import { type DebianTree, inDebian } from './installed-deb.ts'
import type { Check } from './run-checks.ts'

const perSecond = 100
/** More than the load sends, and the ten that an account begins with. */
const given = 1_000_000
const granted = given + 10
/** The load writes to neighbouring numbers, hundreds in a minute. */
const settings = { ONESIXTY_PUMPING_MESSAGES: '0' }
/** Before, between and after what happens to the server. */
const loadMs = 2_000

/** An upgrade by dpkg over the former version, while its server runs under load, and the restart that follows lose and double nothing. */
export const upgradeCheck: Check<Artefacts> = {
  name: 'upgrade',
  needs: [tools.dpkg, tools.git, tools.unshare],
  isRoot: true,
  longestMs: 3_600_000,
  async run(on) {
    const commit = await formerCommit(on.commit)
    const file = join(on.scratch, 'former.deb')
    const build = await buildOf(commit, { folder: join(on.out, 'work/former'), parts: ['deb'] })
    await keepOnly(build, '*_amd64.deb', file)
    const seen = await inDebian(on, async (debian) => {
      const former = await debian.rename(file, '0~former-1')
      const { code, output } = await debian.install(former)
      if (code !== 0) throw new Error(`dpkg ended with ${code}: ${output.slice(-600)}`)
      const peer = await startMessagePeer(join(on.scratch, 'peer.ndjson'))
      try {
        return await upgradeUnderLoad(debian, peer)
      } finally {
        await peer.stop()
      }
    })
    const subject = (await run('git', ['log', '-1', '--format=%h of %as', commit])).trim()
    return `over ${subject}: ${seen}`
  },
}

async function upgradeUnderLoad(debian: DebianTree, peer: MessagePeer): Promise<string> {
  const { installed } = debian
  let server = await startServer(installed, { settings })
  let load: Load | undefined
  try {
    const key = await prepareAccount(debian, { server, peer })
    load = createLoad({ url: server.url, key, perSecond, isPatient: true })
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
    return `${messages} messages at ${perSecond} sends/s and a restart (${awayMs} ms, ${repeated} sends repeated): each stored, submitted and charged once, doctor fine`
  } finally {
    load?.close()
    server.kill()
  }
}

/** Gives the first account enough SMS, no limits and a device whose other end writes down what it is handed. Returns its key. */
async function prepareAccount(
  { installed }: DebianTree,
  { server, peer }: { server: Server; peer: MessagePeer },
): Promise<string> {
  const { accountId, liveKey } = await until(
    () => readWelcome(server.output()),
    (found) => found.liveKey !== '',
  )
  const account = ['--account', accountId]
  for (const command of [
    ['account', 'grant', ...account, '--sms', String(given), '--note', 'For the check'],
    ['account', 'limit', ...account, '--send-per-minute', '0', '--read-per-minute', '0', '--queue', '0'],
    ['device', 'add', 'simulator', ...account, '--name', 'Peer', '--set', `peer_url=${peer.url}`, '--set', 'delay_ms=200'],
  ]) {
    const { code, output } = await runCommand(installed, command, server.settings)
    if (code !== 0) throw new Error(`onesixty ${command.join(' ')} ended with ${code}: ${output}`)
  } // prettier-ignore
  return liveKey
}

/** The sums of the proof `kills` (test/crash/sums.ts), and that each message that was stored was answered, submitted and delivered. */
async function expectSums(
  { url }: Server,
  { load, peer, key }: { load: Load; peer: MessagePeer; key: string },
): Promise<number> {
  const client: ApiClient = createApiClient(url)
  try {
    const messages = await until(() => client.history(key), (all) => all.length > 0 && all.every(({ final }) => final)) // prettier-ignore
    const accepted = [...load.accepted.values()].flatMap((send) => send.messages).length
    const used = usedBy(messages)
    const found = {
      ...faultsOf({ messages, loads: [load], records: peer.records() }),
      ...differing({ refused: load.refused, unanswered: [...load.unanswered.keys()] }, { refused: [], unanswered: [] }),
      ...differing({ messages: messages.length, undelivered: undelivered(messages) }, { messages: accepted, undelivered: 0 }),
      ...differing({ ...(await client.balance(key)) }, { granted, used, reserved: 0, available: granted - used }),
    } // prettier-ignore
    if (Object.keys(found).length > 0 || messages.length < perSecond)
      throw new Error(`Of ${messages.length} messages: ${JSON.stringify(found).slice(0, 600)}`)
    return messages.length
  } finally {
    client.close()
  }
}

const undelivered = (messages: readonly { status: string }[]): number =>
  messages.filter(({ status }) => status !== 'delivered').length

/** Lists the members that are other than they must be. */
const differing = (
  found: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): object =>
  Object.fromEntries(
    Object.entries(wanted)
      .filter(([name, value]) => JSON.stringify(found[name]) !== JSON.stringify(value))
      .map(([name]) => [name, found[name]]),
  )
