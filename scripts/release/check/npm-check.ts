import { spawn } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeBinary } from '../one-file/node-binary.ts'
import { run } from '../release.ts'
import { type Artefacts, artefact, tools, versionLine } from './artefacts.ts'
import { type Installed, proveFirstStart, runCommand } from './first-start.ts'
import type { Check } from './run-checks.ts'

/** Installs the package into an empty folder, without the registry. Returns the folder. */
export async function installPackage(on: Artefacts): Promise<string> {
  const folder = join(on.scratch, 'project')
  await mkdir(folder, { recursive: true })
  // What npm installs into: a folder with a package.json of its own.
  await run('npm', ['init', '--yes', '--silent'], { cwd: folder })
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', artefact(on, '.tgz')], { cwd: folder })
  return folder
}

/** The installed package on a Node.js: of this machine, its commands find nothing but that and the tools of the system. */
async function onNode(folder: string, { node, name }: { node: string; name: string }): Promise<Installed> {
  const place = join(folder, '..', name)
  await mkdir(join(place, 'bin'), { recursive: true })
  await symlink(node, join(place, 'bin/node'))
  const env = { PATH: `${join(place, 'bin')}:/usr/bin:/bin`, HOME: place }
  return {
    data: join(place, 'data'),
    start: (args, settings) =>
      spawn(join(folder, 'node_modules/.bin/onesixty'), args, {
        cwd: folder,
        env: { ...env, ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  }
}

async function expectVersion(on: Artefacts, installed: Installed, node: string): Promise<void> {
  const { output } = await runCommand(installed, ['version'])
  if (output !== versionLine(on, 'package', node)) throw new Error(`onesixty version says: ${output}`)
}

/** npm, which nobody here wrote, installs the package where no checkout is. */
export const npmCheck: Check<Artefacts> = {
  name: 'npm',
  needs: [tools.curl],
  async run(on) {
    const installed = await onNode(await installPackage(on), { node: process.execPath, name: 'own-node' })
    await expectVersion(on, installed, process.versions.node)
    return proveFirstStart(installed)
  },
}

/** The lowest and the newest version that the package names, and one that it does not. */
const [lowest, newest, tooOld] = ['24.8.0', '26.10.0', '20.20.2'] as const

/** Node.js of other versions is from the registry, once. */
export const nodesCheck: Check<Artefacts> = {
  name: 'nodes',
  needs: [tools.curl],
  async run(on) {
    const folder = await installPackage({ ...on, scratch: join(on.scratch, 'nodes') })
    const seen: string[] = []
    for (const version of [lowest, newest]) {
      const { file } = await nodeBinary('x64', `v${version}`)
      const installed = await onNode(folder, { node: file, name: version })
      await expectVersion(on, installed, version)
      seen.push(`${version}: ${await proveFirstStart(installed)}`)
    }
    const { file } = await nodeBinary('x64', `v${tooOld}`)
    // It warns of options of the first line before it reads the program.
    const older = await onNode(folder, { node: file, name: tooOld })
    const { code, output } = await runCommand(older, ['serve'])
    if (code !== 78 || !/^onesixty: .* needs Node\.js 24\.8 or newer; this is [\d.]+\.$/m.test(output))
      throw new Error(`On Node.js ${tooOld} it ended with ${code}: ${output}`)
    return `${seen.join('; ')}; ${tooOld}: 78, ${output}`
  },
}
