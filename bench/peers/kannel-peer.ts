import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/free-port.ts'
import { hasCommands } from '../../test/peers/foreign-tools.ts'
import { recipientOf, textOfMessages } from '../load-job.ts'
import { wideLink } from '../smpp-link.ts'
import { startBenchSmsc } from '../smpp-smsc.ts'
import { runOwn, startOwn, waitFor, waitForPort } from './own-process.ts'
import type { MissingPeer, Mode, Peer, RunningPeer } from './peer.ts'
import { startReceiptCounter } from './receipt-counter.ts'

type Store = 'file' | 'spool'

const settleTimeoutMs = 300_000
/** So long an SMSC takes to answer that is to answer nothing: connected, so that Kannel gives it messages, which wait. */
const neverMs = 86_400_000

/** By gw/bb_store_file.c and gw/bb_store_spool.c of 1.4.5: neither calls fsync. */
const durability: Readonly<Record<Store, string>> = {
  file: 'appended to one file, not flushed to the disk; no ID, state or price',
  spool: 'written to a file of its own, not flushed to the disk; no ID, state or price',
}

/** Kannel as Debian packages it: bearerbox and smsbox, with one of its stores. */
export async function kannelPeer(store: Store): Promise<Peer | MissingPeer> {
  const name = `Kannel, ${store} store`
  if (!hasCommands('bearerbox', 'smsbox')) return { name, missing: 'Install bearerbox and smsbox: apt-get install kannel.' } // prettier-ignore
  const said = await runOwn('bearerbox', ['--version'])
  return {
    name,
    version: /version `([^']+)'/.exec(said)?.[1] ?? 'unknown',
    durability: durability[store],
    // Lives differ little by the store: messages leave it as soon as the SMSC has answered.
    hasLives: store === 'file',
    start: (mode) => start(store, mode),
  }
}

interface Ports {
  admin: number
  box: number
  http: number
  smsc: number
}

async function start(store: Store, mode: Mode): Promise<RunningPeer> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-kannel-'))
  const smsc = await startBenchSmsc(mode === 'life' ? 0 : neverMs)
  const receipts = await startReceiptCounter()
  const [admin, box, http] = [await freePort(), await freePort(), await freePort()]
  const ports: Ports = { admin, box, http, smsc: smsc.port }
  const file = join(folder, 'kannel.conf')
  const location = join(folder, 'store')
  if (store === 'spool') await mkdir(location)
  await writeFile(file, configurationOf(ports, { store, location }))
  const startedMs = performance.now()
  const bearer = startOwn(boxOf('bearerbox', folder, file))
  await waitForPort(box)
  const sms = startOwn(boxOf('smsbox', folder, file))
  await waitForPort(http)
  const readyMs = performance.now() - startedMs
  await waitFor('Kannel is bound to the SMSC', () => isBound(admin))
  return {
    readyMs,
    pids: [bearer.pid, sms.pid],
    port: http,
    token: '',
    shapeOf: (recipients) => shapeOf(recipients, { http, receipts: mode === 'life' ? receipts.port : null }),
    async settled(messages) {
      const enough = async (): Promise<number | null> => {
        const { count, lastMs } = await receipts.count()
        return count >= messages ? lastMs : null
      }
      return waitFor(`${messages} receipts of Kannel`, enough, settleTimeoutMs)
    },
    async stop() {
      await sms.stop()
      await bearer.stop()
      smsc.stop()
      receipts.stop()
      await rm(folder, { recursive: true })
    },
  }
}

const boxOf = (program: string, cwd: string, file: string) => ({
  program,
  // Level 4: panics only. It writes nothing for a message.
  args: ['-v', '4', file],
  cwd,
  log: join(cwd, `${program}.log`),
})

const password = 'kannel-of-the-bench'

/** Whether each instance of the SMSC is online, by the status page. */
async function isBound(admin: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${admin}/status.txt?password=${password}`)
  return (await answer.text()).match(/\(online \d+s/g)?.length === wideLink.sessions
}

/** A GET, as the user's guide has it ("Using HTTP to send SMS"), with one recipient or many in one `to`. */
function shapeOf(recipients: number, { http, receipts }: { http: number; receipts: number | null }) {
  const to = Array.from({ length: recipients }, (_, i) => recipientOf(i).slice(1)).join('+')
  const query = new URLSearchParams({ username: 'bench', password, from: '100', text: textOfMessages })
  if (receipts !== null) {
    // 1 delivered, 2 not delivered.
    query.set('dlr-mask', '3')
    query.set('dlr-url', `http://127.0.0.1:${receipts}/`)
  }
  const request = `GET /cgi-bin/sendsms?to=${to}&${query.toString()} HTTP/1.1\r\nHost: 127.0.0.1:${http}\r\n\r\n`
  return { kind: 'text', recipients, request } as const
}

/** With the sessions and the window of our own link, and no bound on what may wait. */
function configurationOf(
  { admin, box, http, smsc }: Ports,
  { store, location }: { store: Store; location: string },
): string {
  const groups: (readonly (readonly [name: string, value: string | number])[])[] = [
    [['group', 'core'], ['admin-port', admin], ['admin-interface', '127.0.0.1'], ['admin-password', password], ['smsbox-port', box], ['smsbox-interface', '127.0.0.1'], ['box-allow-ip', '127.0.0.1'], ['store-type', store], ['store-location', location], ['sms-outgoing-queue-limit', 100_000_000]],
    [['group', 'smsbox'], ['bearerbox-host', '127.0.0.1'], ['sendsms-port', http], ['sendsms-interface', '127.0.0.1']],
    [['group', 'sendsms-user'], ['username', 'bench'], ['password', password]],
    [['group', 'smsc'], ['smsc', 'smpp'], ['smsc-id', 'bench'], ['host', '127.0.0.1'], ['port', smsc], ['smsc-username', 'bench'], ['smsc-password', 'bench'], ['system-type', 'bench'], ['transceiver-mode', 'true'], ['instances', wideLink.sessions], ['max-pending-submits', wideLink.window], ['wait-ack', 86_400]],
  ] // prettier-ignore
  return groups.map((group) => group.map(([name, value]) => `${name} = "${value}"\n`).join('')).join('\n')
}
