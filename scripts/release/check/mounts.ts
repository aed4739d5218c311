import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { watchChild } from '../../../test/server-child.ts'

/** A tree in mounts of its own, which no other process sees. `close` ends what was started with them, and they are gone. */
export interface MountedTree {
  /** The tree, in these mounts. */
  root: string
  /** Starts a program with these mounts, and the tree as its root unless it is `outside`. Its environment is what is given. */
  start(
    command: readonly string[],
    options?: { env?: Readonly<Record<string, string>>; outside?: true },
  ): ChildProcess
  /** Runs a program in the tree to its end: its exit code, and what it wrote. */
  run(
    command: readonly string[],
    options?: { env?: Readonly<Record<string, string>>; outside?: true },
  ): Promise<{ code: number | null; output: string }>
  close(): Promise<void>
}

/** What a system has: none of it is of this machine. */
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The whole machine, written to memory: what is changed is gone afterwards. */
const overlay = `
mkdir "$1/up" "$1/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$1/root"
mount -t tmpfs -o mode=1777 tmpfs "$1/root/tmp"`

/** Mounts the machine itself as an overlay in memory (unshare(1), mount(8)): a Debian that is thrown away. */
export const mountOverlay = (): Promise<MountedTree> => mountTree(overlay)

/**
 * Mounts a tree by a script, which finds an empty tmpfs at "$1" with an empty folder "root" in it, and fills that. Devices and processes are those of
 * the machine.
 */
export async function mountTree(script: string, args: readonly string[] = []): Promise<MountedTree> {
  const place = await mkdtemp(join(tmpdir(), 'onesixty-mounts-'))
  const root = join(place, 'root')
  const whole = `set -eu
mount -t tmpfs -o mode=0755 tmpfs "$1"
mkdir "$1/root"${script}
mkdir -p "$1/root/dev" "$1/root/proc"
mount --bind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
echo mounted
exec cat`
  // Mounts last as long as a process that has them. This one ends with its standard input; what `start` started ends with `close`, and where that is not
  // reached, with the group of the check (process-group.ts).
  const holder = spawn('unshare', ['--mount', 'sh', '-c', whole, 'sh', place, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let reason = ''
  holder.stderr.on('data', (chunk: Buffer) => (reason += chunk.toString()))
  const ended = once(holder, 'exit')
  const isMounted = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    ended.then(() => false),
  ])
  if (!isMounted) throw new Error(`The tree could not be mounted: ${reason.trim()}`)
  const started = new Set<ChildProcess>()
  const start: MountedTree['start'] = (command, { env = {}, outside } = {}) => {
    const inside = outside === true ? command : ['chroot', root, ...command]
    const all = [`--mount=/proc/${holder.pid}/ns/mnt`, '--', ...inside]
    const child = spawn('nsenter', all, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: path, LC_ALL: 'C', ...env },
    })
    started.add(child)
    child.once('exit', () => started.delete(child))
    return child
  }
  return {
    root,
    start,
    async run(command, options) {
      const { ended: end, output } = watchChild(start(command, options))
      return { code: (await end).code, output: output().trim() }
    },
    async close() {
      await Promise.all([...started].map((child) => (child.kill('SIGKILL'), once(child, 'exit'))))
      holder.stdin.end()
      await ended
      await rm(place, { recursive: true, force: true })
    },
  }
}

/** Runs a program in a tree that must succeed, and returns what it wrote. */
export async function mustRun(
  tree: MountedTree,
  command: readonly string[],
  options?: { env?: Readonly<Record<string, string>>; outside?: true },
): Promise<string> {
  const { code, output } = await tree.run(command, options)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${output.slice(-600)}`)
  return output
}
