import { copyFile, mkdir, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../release.ts'
import { type Artefacts, artefact, tools, versionLine } from './artefacts.ts'
import { type Installed, proveFirstStart, runCommand, type Server } from './first-start.ts'
import { type MountedTree, mountTree } from './mounts.ts'
import { otherProgramFiles } from './program-mappings.ts'
import type { Check } from './run-checks.ts'

/** What a system needs for the executable: what `ldd` names, and certificates. */
async function systemFilesOf(executable: string): Promise<string[]> {
  const linked = await run('ldd', [executable])
  const libraries = [...linked.matchAll(/(\/lib\S+) \(0x/g)].map(([, file = '']) => file)
  if (libraries.length < 5) throw new Error(`ldd names only ${libraries.length} libraries: ${linked}`)
  return [...libraries, '/etc/ssl/certs/ca-certificates.crt']
}

const certificates = 'etc/ssl/certs'

/** Lays the executable and what it needs out in a folder, and mounts a copy of it as a tree. */
async function mountBare(on: Artefacts): Promise<MountedTree> {
  const folder = join(on.scratch, 'bare')
  const executable = artefact(on, '-linux-x64')
  for (const file of await systemFilesOf(executable)) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await copyFile(file, join(folder, file))
  }
  await mkdir(join(folder, certificates), { recursive: true })
  await copyFile(executable, join(folder, 'onesixty'))
  return mountTree('\ncp -a "$2/." "$1/root/"\nmkdir -m 1777 "$1/root/tmp"', [folder])
}

/** Throws if the server has another file of a program open or mapped than the executable, which it calls by its path in the tree. */
async function expectNoOtherFile({ child }: Server, root: string): Promise<string> {
  const folder = `/proc/${child.pid}`
  const maps = await readFile(`${folder}/maps`, 'utf8')
  if (!maps.includes('/onesixty'))
    throw new Error('The server is another process than the one that was started.')
  const opened = await Promise.all(
    (await readdir(`${folder}/fd`)).map((fd) => readlink(`${folder}/fd/${fd}`).catch(() => '')),
  )
  const others = otherProgramFiles({ maps, opened, root })
  if (others.length > 0) throw new Error(`It has other files open than itself: ${others.join(', ')}`)
  return 'no program file open but itself'
}

/** The kernel runs the executable in a tree that has nothing else of a system than libraries and certificates. */
export const oneFileCheck: Check<Artefacts> = {
  name: 'one-file',
  needs: [tools.curl, tools.unshare],
  isRoot: true,
  async run(on) {
    const tree = await mountBare(on)
    try {
      const installed: Installed = {
        data: '/tmp/data',
        start: (args, settings) => tree.start(['/onesixty', ...args], { env: settings }),
      }
      const { output } = await runCommand(installed, ['version'])
      if (output !== versionLine(on, 'one file')) throw new Error(`onesixty version says: ${output}`)
      return await proveFirstStart(installed, { while: (server) => expectNoOtherFile(server, tree.root) })
    } finally {
      await tree.close()
    }
  },
}
