import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** The machines of a home, each a network namespace of its own. */
export type Machine = 'router' | 'server' | 'phone'

/** Addresses in the LAN, and those that the router has towards the internet. */
export const addressOf = { router: '192.168.7.1', server: '192.168.7.2', phone: '192.168.7.3' } as const
/** The router answers at it, whoever asks: it leads no connection from inside back in. */
export const publicAddress = '203.0.113.7'
/** It drops what is sent to this one, without a word. */
export const droppedAddress = '203.0.113.8'
/** It rejects what is sent to this one (ICMP: administratively prohibited). */
export const prohibitedAddress = '203.0.113.9'

export interface HomeNetwork {
  /** Runs a program on a machine, and gives what it printed. */
  run(machine: Machine, program: readonly string[]): string
  /** Starts one on a machine; it is ended with the test. Settles once it has printed a line. */
  start(machine: Machine, program: readonly string[]): Promise<void>
  /** As a Wi-Fi does whose access point isolates its clients from one another. */
  isolateClients(): void
}

/**
 * Opens a home behind a router for the running test: a LAN on a bridge, and addresses on the internet (RFC 5737). It needs
 * no privileges: `unshare` makes the caller the root of a user namespace.
 */
export async function openHomeNetwork(): Promise<HomeNetwork> {
  const router = await holdNamespace(['unshare', '-rn'])
  const within = ['nsenter', '-t', String(router.pid), '-U', '-n', '--preserve-credentials']
  const hosts = {
    router,
    server: await holdNamespace([...within, 'unshare', '-n']),
    phone: await holdNamespace([...within, 'unshare', '-n']),
  }
  const enter = (machine: Machine): string[] =>
    ['nsenter', '-t', String(router.pid), '-U', '-t', String(hosts[machine].pid), '-n', '--preserve-credentials'] // prettier-ignore
  const run = (machine: Machine, program: readonly string[]): string => {
    const [command = '', ...args] = [...enter(machine), ...program]
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  const sh = (machine: Machine, line: string): void => void run(machine, line.split(' '))
  sh('router', 'ip link add lan type bridge')
  for (const machine of ['server', 'phone'] as const) {
    sh('router', `ip link add ${machine} type veth peer name eth0 netns ${hosts[machine].pid}`)
    sh('router', `ip link set ${machine} master lan up`)
    sh(machine, `ip addr add ${addressOf[machine]}/24 dev eth0`)
    for (const link of ['lo', 'eth0']) sh(machine, `ip link set ${link} up`)
  }
  sh('router', `ip addr add ${addressOf.router}/24 dev lan`)
  sh('router', `ip addr add ${publicAddress}/32 dev lo`)
  for (const link of ['lo', 'lan']) sh('router', `ip link set ${link} up`)
  run('router', ['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'])
  sh('router', `ip route add blackhole ${droppedAddress}`)
  sh('router', `ip route add prohibit ${prohibitedAddress}`)
  for (const machine of ['server', 'phone'] as const)
    sh(machine, `ip route add default via ${addressOf.router}`)
  return {
    run,
    async start(machine, program) {
      const [command = '', ...args] = [...enter(machine), ...program]
      await hold(spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
    },
    isolateClients() {
      for (const machine of ['server', 'phone']) sh('router', `bridge link set dev ${machine} isolated on`)
    },
  }
}

/** Keeps a new namespace by a process in it, which says a line once it is there. */
const holdNamespace = ([command = '', ...args]: readonly string[]): Promise<ChildProcess> =>
  hold(
    spawn(command, [...args, 'sh', '-c', 'echo here; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )

async function hold(child: ChildProcess): Promise<ChildProcess> {
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended with ${String(code)}`)
  })
  ended.catch(() => undefined)
  await Promise.race([once(child.stdout!, 'data'), ended])
  return child
}
