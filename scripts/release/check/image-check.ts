import { readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../test/eventually.ts'
import { crane, startRegistry } from '../image.ts'
import { revisionOf, run } from '../release.ts'
import { type Artefacts, artefact, tools, versionLine } from './artefacts.ts'
import { type Installed, proveFirstStart, runCommand, type Server, startServer } from './first-start.ts'
import { type MountedTree, mountTree } from './mounts.ts'
import type { Check } from './run-checks.ts'

/** What a container engine reads of the image (https://specs.opencontainers.org/image-spec/config/). */
interface ImageConfig {
  config: { User: string; Entrypoint: string[]; Cmd: string[]; Env: string[]; Labels: Record<string, string> }
}

/** Has crane read the layout as a registry would, and runs `use` with the image of a platform: its configuration and the archive of its files. */
export async function withImage<T>(
  on: Artefacts,
  platform: string,
  use: (image: { config: ImageConfig['config']; files: string }) => Promise<T>,
): Promise<T> {
  const folder = join(on.scratch, platform.replace('/', '-'))
  const layout = join(folder, 'oci')
  await mkdir(layout, { recursive: true })
  await run('tar', ['--extract', `--file=${artefact(on, '-oci.tar')}`, `--directory=${layout}`])
  const files = join(folder, 'files.tar')
  const registry = await startRegistry()
  let config: ImageConfig['config']
  try {
    const name = `${registry.address}/onesixty:${on.version}`
    await crane(['push', layout, name])
    await crane(['validate', `--remote=${name}`])
    ;({ config } = JSON.parse(await crane(['config', `--platform=${platform}`, name])) as ImageConfig)
    await crane(['export', `--platform=${platform}`, name, files])
  } finally {
    await registry.stop()
  }
  return use({ config, files })
}

const user = '10001:10001'

/** crane finds both platforms in the index, and each has the user, the entry point and the labels of the release. */
export const craneCheck: Check<Artefacts> = {
  name: 'crane',
  needs: [tools.crane],
  async run(on) {
    for (const platform of ['linux/amd64', 'linux/arm64'])
      await withImage(on, platform, async ({ config: { User, Entrypoint, Cmd, Labels } }) => {
        const label = (name: string): string => Labels[`org.opencontainers.image.${name}`] ?? ''
        const found = [User, Entrypoint.join(' '), Cmd.join(' '), label('version'), label('revision')].join(
          ', ',
        )
        const wanted = `${user}, /usr/bin/onesixty, serve, ${on.version}, ${revisionOf(on)}`
        if (found !== wanted) throw new Error(`The image for ${platform} has ${found}, not ${wanted}.`)
      })
    return `valid; both platforms start /usr/bin/onesixty serve as ${user}`
  },
}

/** The files of the image on a read-only root, with the volume and /tmp in memory, as an engine mounts them. */
const readOnlyTree = (files: string): Promise<MountedTree> =>
  mountTree(
    `
tar --extract --same-permissions --numeric-owner --file="$2" --directory="$1/root"
mkdir "$1/root/dev" "$1/root/proc"
mount --bind "$1/root" "$1/root"
mount -o remount,bind,ro "$1/root"
mount -t tmpfs -o mode=1777 tmpfs "$1/root/tmp"
mount -t tmpfs -o mode=0700,uid=10001,gid=10001 tmpfs "$1/root/var/lib/onesixty"`,
    [files],
  )

/** The process that a container begins with, below the one that made its namespace; null where there is none yet, or none any more. */
function firstProcess(pid: number | undefined): number | null {
  if (pid === undefined) return null
  try {
    return firstOf(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null
    throw error
  }
}

/** Returns the first process of proc_pid_task_children(5), which is empty where there is none: 0 would be the group of the caller. */
export function firstOf(children: string): number | null {
  const pid = Number(children.trim().split(' ')[0])
  return pid > 0 ? pid : null
}

const containerIn = (tree: MountedTree, env: Readonly<Record<string, string>>): Installed => ({
  data: '/var/lib/onesixty',
  start: (args, settings) =>
    tree.start(
      ['unshare', '--pid', '--fork', '--kill-child', `--mount-proc=${tree.root}/proc`, 'chroot', `--userspec=${user}`, tree.root, '/usr/bin/onesixty', ...args],
      { env: { ...env, ...settings }, outside: true },
    ),
  // SIGKILL to the process that made the namespace would leave its child: chroot takes the order to die with it away when it changes the user.
  signal: (maker, name) => {
    const first = firstProcess(maker.pid)
    if (first === null) maker.kill(name)
    else process.kill(first, name)
  },
}) // prettier-ignore

/** The kernel runs the files of the image as a container: process 1, user 10001, a root that cannot be written. */
export const imageCheck: Check<Artefacts> = {
  name: 'image',
  needs: [tools.crane, tools.curl, tools.unshare],
  isRoot: true,
  run: (on) =>
    withImage(on, 'linux/amd64', async ({ config, files }) => {
      const env = Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<string, string> // prettier-ignore
      const tree = await readOnlyTree(files)
      try {
        const installed = containerIn(tree, env)
        const { output } = await runCommand(installed, ['version'])
        if (output !== versionLine(on, 'one file')) throw new Error(`onesixty version says: ${output}`)
        let key = ''
        const seen = await proveFirstStart(installed, {
          async while(server) {
            key = /test key +(\S+)/.exec(server.output())?.[1] ?? ''
            return expectContained(installed, server)
          },
        })
        return `${seen}; ${await expectDrained(installed, key)}`
      } finally {
        await tree.close()
      }
    }),
}

async function expectContained(installed: Installed, { child, settings }: Server): Promise<string> {
  const pid = firstProcess(child.pid)
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  if (!/^Uid:\t10001\t/m.test(status) || !/^NSpid:\t\d+\t1$/m.test(status))
    throw new Error(`The server is not process 1 of user 10001: ${status.slice(0, 400)}`)
  const root = (await readFile(`/proc/${pid}/mountinfo`, 'utf8')).split('\n').find((line) => line.split(' ')[4] === '/') // prettier-ignore
  if (root?.split(' ')[5]?.startsWith('ro') !== true) throw new Error(`Its root can be written: ${root}`)
  for (const [port, wanted] of [
    [settings['ONESIXTY_PORT'] ?? '', 0],
    ['1', 1],
  ] as const) {
    const { code } = await runCommand(installed, ['healthy'], { ONESIXTY_PORT: port })
    if (code !== wanted) throw new Error(`onesixty healthy ended with ${code} on port ${port}.`)
  }
  return 'process 1, user 10001, read-only root, healthy'
}

/** As many as one send and one page of history take. */
const drained = 100

/** Sends, stops the server at once, and reads after the next start that no outcome is unknown. */
async function expectDrained(installed: Installed, key: string): Promise<string> {
  const server = await startServer(installed)
  try {
    const to = Array.from({ length: drained }, (_, i) => `+1500555${String(1000 + i)}`)
    const { status } = await fetch(`${server.url}/api/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, text: 'Drained' }),
    })
    if (status !== 202) throw new Error(`A send to ${drained} numbers got ${status}.`)
    const end = await server.stop()
    if (end !== 0) throw new Error(`It ended with ${end} while messages were on their way.`)
  } finally {
    server.kill()
  }
  const again = await startServer(installed)
  try {
    const ask = async (): Promise<{ status: string; final: boolean }[]> => {
      const response = await fetch(`${again.url}/api/v1/history?limit=${drained}`, { headers: { authorization: `Bearer ${key}` } }) // prettier-ignore
      return ((await response.json()) as { data: { status: string; final: boolean }[] }).data
    }
    const messages = await until(ask, (all) => all.length === drained && all.every(({ final }) => final))
    const unknown = messages.filter(({ status }) => status === 'unconfirmed')
    if (unknown.length > 0) throw new Error(`SIGTERM left ${unknown.length} outcomes unknown.`)
    await again.stop()
    return `SIGTERM between ${drained} messages left no outcome unknown`
  } finally {
    again.kill()
  }
}
