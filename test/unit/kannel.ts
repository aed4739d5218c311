import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { until } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { foreignEnv } from '../peers/foreign-tools.ts'

/** An SMSC of Kannel, with the words of its configuration that say what goes there. */
export interface KannelSmsc {
  id: string
  /** No client is connected to it: it does not work. */
  isOff: boolean
  allowedPrefix?: readonly string[]
  deniedPrefix?: readonly string[]
  preferredPrefix?: readonly string[]
  allowedSmscId: readonly string[]
  preferredSmscId?: readonly string[]
}

export interface KannelMessage {
  /** Digits. */
  to: string
  smscId: string
  /** One word, by which the message is found again. */
  text: string
}

export interface Kannel {
  /** Sends a message; says what Kannel answers at once. */
  send(message: KannelMessage): Promise<'accepted' | 'queued' | 'not routable'>
  /** The SMSC that each text was given to. */
  given: ReadonlyMap<string, string>
  stop(): Promise<void>
}

/** Runs Kannel 1.4.5 as Debian packages it: a bearerbox with SMSCs of the kind `fake`, and an smsbox that takes messages by HTTP. */
export async function startKannel(smscs: readonly KannelSmsc[]): Promise<Kannel> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-kannel-'))
  const ports = await Promise.all(Array.from({ length: smscs.length + 3 }, freePort))
  const [admin = 0, box = 0, http = 0, ...ofSmscs] = ports
  const file = join(folder, 'kannel.conf')
  await writeFile(file, configurationOf(smscs, { admin, box, http, ofSmscs }))
  const given = new Map<string, string>()
  const boxes: ChildProcess[] = [startBox('bearerbox', file, folder)]
  const sockets: Socket[] = []
  const stop = async (): Promise<void> => {
    for (const one of boxes) {
      one.kill('SIGKILL')
      if (one.exitCode === null && one.signalCode === null) await once(one, 'exit')
    }
    for (const socket of sockets) socket.destroy()
    await rm(folder, { recursive: true })
  }
  const working = smscs.map(({ id, isOff }, i) => ({ id, isOff, port: ofSmscs[i] as number })).filter(({ isOff }) => !isOff) // prettier-ignore
  try {
    for (const { id, port } of working) {
      const socket = await connectTo(port)
      sockets.push(socket)
      const lines = createInterface({ input: socket })
      // One for each message: sender, receiver, kind, text.
      lines.on('line', (line) => given.set(line.split(' ')[3] as string, id))
      // It repeats the errors of the socket.
      lines.on('error', () => undefined)
    }
    ;(await connectTo(box)).destroy()
    boxes.unshift(startBox('smsbox', file, folder))
    ;(await connectTo(http)).destroy()
    await until(() => onlineAt(admin), (count) => count === working.length, 20_000) // prettier-ignore
  } catch (error) {
    await stop()
    throw error
  }
  return { given, send: (message) => sendAt(http, message), stop }
}

const startBox = (name: string, file: string, cwd: string): ChildProcess =>
  spawn(name, ['-v', '4', file], { cwd, env: foreignEnv(), stdio: 'ignore' })

async function connectTo(port: number): Promise<Socket> {
  const tried = await until(
    () =>
      new Promise<Socket | null>((resolve) => {
        const socket = createConnection(port, '127.0.0.1')
        socket.once('connect', () => resolve(socket)).once('error', () => resolve(null))
      }),
    (socket) => socket !== null,
    20_000,
  )
  return (tried as Socket).on('error', () => undefined)
}

/** How many SMSCs its status page says to be online. */
async function onlineAt(admin: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${admin}/status.txt?password=${secret}`)
  return (await answer.text()).match(/\(online \d+s/g)?.length ?? 0
}

async function sendAt(
  http: number,
  { to, smscId, text }: KannelMessage,
): Promise<'accepted' | 'queued' | 'not routable'> {
  const query = new URLSearchParams({
    username: 'test',
    password: secret,
    from: '100',
    to,
    text,
    smsc: smscId,
  })
  const answer = await fetch(`http://127.0.0.1:${http}/cgi-bin/sendsms?${query.toString()}`)
  const words = await answer.text()
  if (words.startsWith('0:')) return 'accepted'
  if (words.startsWith('3:')) return 'queued'
  if (words.startsWith('Not routable')) return 'not routable'
  throw new Error(`Kannel answers ${answer.status}: ${words}`)
}

const secret = 'kannel-of-a-test'

function configurationOf(
  smscs: readonly KannelSmsc[],
  ports: { admin: number; box: number; http: number; ofSmscs: readonly number[] },
): string {
  const groups: (readonly (readonly [name: string, value: string | number])[])[] = [
    [['group', 'core'], ['admin-port', ports.admin], ['admin-interface', '127.0.0.1'], ['admin-password', secret], ['smsbox-port', ports.box], ['smsbox-interface', '127.0.0.1'], ['box-allow-ip', '127.0.0.1']],
    [['group', 'smsbox'], ['bearerbox-host', '127.0.0.1'], ['sendsms-port', ports.http], ['sendsms-interface', '127.0.0.1']],
    [['group', 'sendsms-user'], ['username', 'test'], ['password', secret]],
    ...smscs.map((smsc, i) => [['group', 'smsc'], ['smsc', 'fake'], ['smsc-id', smsc.id], ['our-host', '127.0.0.1'], ['port', ports.ofSmscs[i] as number], ...listsOf(smsc)] as const),
  ] // prettier-ignore
  return groups.map((group) => group.map(([name, value]) => `${name} = "${value}"\n`).join('')).join('\n')
}

const listsOf = (smsc: KannelSmsc): (readonly [string, string])[] => {
  const lists = [
    ['allowed-prefix', smsc.allowedPrefix],
    ['denied-prefix', smsc.deniedPrefix],
    ['preferred-prefix', smsc.preferredPrefix],
    ['allowed-smsc-id', smsc.allowedSmscId],
    ['preferred-smsc-id', smsc.preferredSmscId],
  ] as const
  return lists.flatMap(([name, values = []]) => (values.length === 0 ? [] : [[name, values.join(';')] as const])) // prettier-ignore
}
