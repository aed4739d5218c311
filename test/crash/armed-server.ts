import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { eventually } from '../eventually.ts'
import type { ServerProcess } from '../harness.ts'
import { type Armed, armedAtVariable, lastWords } from './crash-points.ts'

/** Lets a server die at named points. */
export interface Arming {
  /** What the server needs of its environment. */
  env: Record<string, string>
  /** Arms the point, and settles when the server has died of it. */
  diesAt(server: ServerProcess, armed: Armed): Promise<void>
  remove(): Promise<void>
}

const hooks = pathToFileURL(join(import.meta.dirname, 'crash-point-hooks.ts')).href
const diesWithinMs = 30_000

export async function openArming(): Promise<Arming> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-points-'))
  const file = join(folder, 'armed.json')
  return {
    env: { NODE_OPTIONS: `--import=${hooks}`, [armedAtVariable]: file },
    async diesAt(server, armed) {
      // Under another name first: a server that looks at it must find all of it.
      writeFileSync(`${file}.new`, JSON.stringify(armed))
      renameSync(`${file}.new`, file)
      await eventually(
        server.output,
        (output) => expect(output).toContain(lastWords(armed.point)),
        diesWithinMs,
      )
      expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' })
      rmSync(file)
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
