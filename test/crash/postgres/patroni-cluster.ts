import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../eventually.ts'
import { freePort } from '../../free-port.ts'
import { foreignEnv } from '../../peers/foreign-tools.ts'
import { killIfThere, processesNaming, serverProcesses } from '../../server-processes.ts'
import { haproxySettings, type MemberPorts, patroniSettings, superuser } from './patroni-settings.ts'

/**
 * PostgreSQL on three machines as its operators run it: Patroni elects the primary through etcd, and HAProxy leads one address to it. All of them are
 * packages of Debian.
 */
export interface PatroniCluster {
  /** Leads to the primary, or nowhere while there is none. */
  url: string
  /** The member that is the primary now. */
  primary(): Promise<string>
  /** Kills a member as a power cut does: its PostgreSQL, and the Patroni that would say that it is gone. */
  kill(name: string): Promise<void>
  /** Starts a member that was killed: it rewinds to where the primary has left it behind, and follows. */
  start(name: string): Promise<void>
  /** Moves the primary as its operator does; gives the new one. */
  switchOver(): Promise<string>
  /** Settles when every member runs, and one of them has all that the primary has flushed. */
  whole(): Promise<void>
  stop(): Promise<void>
}

/** By the REST API of Patroni, `GET /cluster`: `role` is `leader`, `sync_standby` or `replica`. */
interface Member {
  name: string
  role: string
  state: string
}

const names = ['a', 'b', 'c'] as const

/** Starts it; settles when it is whole. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'patroni-'))
  const user = serverUser()
  await chmod(folder, 0o755)
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  const [etcdPort, etcdPeerPort, port] = [await freePort(), await freePort(), await freePort()]
  const members = new Map<string, MemberPorts>()
  for (const name of names) members.set(name, { port: await freePort(), restPort: await freePort() })

  const running = new Map<string, ChildProcess>()
  const run = (name: string, command: string, ...args: string[]): void => {
    const child = spawn(command, args, { ...user, cwd: folder, stdio: 'ignore', env: foreignEnv() })
    running.set(name, child)
  }
  const settingsOf = (name: string): string => join(folder, `${name}.yml`)
  const startMember = (name: string): void => run(name, 'patroni', settingsOf(name))
  /** All processes of a member. */
  const killMember = async (name: string): Promise<void> => {
    const patroni = running.get(name)
    // Its file names a process that is gone, or another one by now.
    if (patroni === undefined) return
    running.delete(name)
    patroni.kill('SIGKILL')
    const disk = join(folder, name)
    for (const pid of await serverProcesses(disk)) killIfThere(pid)
    // What it has run on the disk, a first copy or a rewind, may just start more.
    const left = (): Promise<number[]> => processesNaming(disk)
    for (let pids = await left(); pids.length > 0; pids = await left()) pids.forEach(killIfThere)
  }
  const ask = async (): Promise<Member[]> => {
    for (const name of running.keys()) {
      const ports = members.get(name)
      if (ports === undefined) continue
      const answer = await fetch(`http://127.0.0.1:${ports.restPort}/cluster`).catch(() => null)
      if (answer?.ok === true) return ((await answer.json()) as { members: Member[] }).members
    }
    return []
  }
  const withRole = async (role: string): Promise<string | undefined> =>
    (await ask()).find((member) => member.role === role && member.state === 'running')?.name
  const primary = async (): Promise<string> => (await until(() => withRole('leader'), isNamed)) as string
  const stop = async (): Promise<void> => {
    for (const name of names) await killMember(name)
    const ended = [...running.values()].map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    await Promise.all(ended)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const cluster: PatroniCluster = {
    url: `postgres://${superuser.username}:${superuser.password}@127.0.0.1:${port}/postgres`,
    primary,
    kill: killMember,
    async start(name) {
      startMember(name)
      await cluster.whole()
    },
    async switchOver() {
      const [from, to] = [await primary(), await until(() => withRole('sync_standby'), isNamed)]
      // As `patronictl switchover` asks a member.
      const { restPort = 0 } = members.get(from) ?? {}
      const body = JSON.stringify({ leader: from, candidate: to })
      const answer = await fetch(`http://127.0.0.1:${restPort}/switchover`, { method: 'POST', body })
      if (!answer.ok) throw new Error(`Patroni does not switch over: ${await answer.text()}`)
      return primary()
    },
    async whole() {
      await until(ask, (all) => all.length === names.length && all.every(({ state }) => state === 'running'))
      await until(() => withRole('sync_standby'), isNamed)
    },
    stop,
  }

  try {
    for (const [name, ports] of members)
      await writeFile(settingsOf(name), patroniSettings({ name, folder, etcdPort, ...ports }))
    await writeFile(join(folder, 'haproxy.cfg'), haproxySettings(port, [...members.values()]))
    run('etcd', 'etcd', ...etcdArguments(folder, etcdPort, etcdPeerPort))
    run('haproxy', 'haproxy', '-db', '-f', join(folder, 'haproxy.cfg'))
    await until(() => answers(`http://127.0.0.1:${etcdPort}/health`), Boolean)
    for (const name of names) startMember(name)
    await cluster.whole()
  } catch (error) {
    await stop()
    throw error
  }
  return cluster
}

const isNamed = (name: string | undefined): boolean => name !== undefined

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => wait(100, false),
  )

/** PostgreSQL refuses to run as root: the user that Debian's package has made does. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((which) =>
    Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' })),
  )
  return { uid: uid as number, gid: gid as number }
}

const etcdArguments = (folder: string, port: number, peerPort: number): string[] => {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const asClient = ['--listen-client-urls', client, '--advertise-client-urls', client]
  const asMember = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer]
  return [
    '--data-dir',
    join(folder, 'etcd'),
    ...asClient,
    ...asMember,
    '--initial-cluster',
    `default=${peer}`,
  ]
}
