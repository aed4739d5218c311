import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../release.ts'
import { sha256 } from '../sums.ts'
import { type Artefacts, artefact, tools, versionLine } from './artefacts.ts'
import { type Installed, proveFirstStart, runCommand } from './first-start.ts'
import { withImage } from './image-check.ts'
import type { Check } from './run-checks.ts'

/** Throws unless the executable of the image is the one that is published; where none was built, says so. */
async function expectPublished(on: Artefacts, executable: string): Promise<string> {
  const inImage = await sha256(executable)
  if (!on.parts.includes('sea')) return 'no executable was built to compare it with'
  const published = await sha256(artefact(on, '-linux-arm64'))
  if (inImage !== published)
    throw new Error('The image for arm64 has another executable than the one that is published.')
  return 'the executable that is published'
}

/** qemu runs the executable for arm64 with the libraries of the image: both have the same one. */
export const armCheck: Check<Artefacts> = {
  name: 'arm64',
  needs: [tools.crane, tools.curl, tools.qemu],
  run: (on) =>
    withImage(on, 'linux/arm64', async ({ files }) => {
      const folder = join(on.scratch, 'arm64')
      const tree = join(folder, 'tree')
      await mkdir(tree, { recursive: true })
      await run('tar', [
        '--extract',
        `--file=${files}`,
        `--directory=${tree}`,
        '--no-same-owner',
        '--exclude=var',
      ])
      const executable = join(tree, 'usr/bin/onesixty')
      const compared = await expectPublished(on, executable)
      const installed: Installed = {
        data: join(folder, 'data'),
        start: (args, settings) =>
          spawn('qemu-aarch64-static', ['-L', tree, executable, ...args], {
            cwd: folder,
            env: { PATH: '/usr/bin:/bin', ...settings },
            stdio: ['ignore', 'pipe', 'pipe'],
          }),
      }
      const { output } = await runCommand(installed, ['version'])
      if (output !== versionLine(on, 'one file')) throw new Error(`onesixty version says: ${output}`)
      return `${await proveFirstStart(installed)}; ${compared}`
    }),
}
