import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'

/** What of the process starting over needs; `process` fits. */
type StartingProcess = Pick<
  NodeJS.Process,
  'argv' | 'channel' | 'env' | 'execArgv' | 'execPath' | 'execve' | 'platform'
>

/** In the environment of a process that has started over, so that none does so twice, whatever it finds. */
const startedOver = 'STARTED_OVER'

/**
 * Begins a server anew, as the same process, where its modules were not all stripped of their types before. What strips them is WebAssembly, which
 * each thread that needs it keeps for good, and which left 30 MB more to a busy server (docs/decisions/0036). So the first start after an
 * installation or an update strips every module, keeps them where `bin/prepare.js` says, and gives way to a second one, which finds them there.
 *
 * To be called before anything is opened: of this program nothing is left but its standard streams. Returns where that was done before, where
 * nothing can be kept, and where a process cannot be replaced: on Windows, or while another one talks to it (`node --watch`).
 */
export async function startOverOnceStripped(host: StartingProcess): Promise<void> {
  const hasStartedOver = host.env[startedOver] !== undefined
  delete host.env[startedOver]
  // A built program has nothing to strip.
  if (!import.meta.filename.endsWith('.ts')) return
  const kept = getCompileCacheDir()
  if (hasStartedOver || kept === undefined || host.platform === 'win32' || host.channel) return
  // Told where modules are kept, Node.js would look for those of the main thread before `bin/prepare.js` takes its flag back, and find none.
  const { NODE_COMPILE_CACHE: _, ...environment } = host.env
  const args = [host.execPath, ...host.execArgv, ...host.argv.slice(1)]
  try {
    const mark = join(kept, `stripped-${hashOf([import.meta.dirname])}`)
    const program = nameOfProgram(import.meta.dirname)
    if (existsSync(mark) && readFileSync(mark, 'utf8') === program) return
    accessSync(kept, constants.W_OK)
    await stripEverything()
    flushCompileCache()
    writeFileSync(mark, program)
    // What the system refuses to run ends a process that gives way to it.
    accessSync(host.execPath, constants.X_OK)
    host.execve?.(host.execPath, args, { ...environment, [startedOver]: '1' })
  } catch {
    // The program or the mark cannot be read, nothing be kept there or nothing be started: this one serves, with 30 MB more.
  }
}

/** Another one for other modules: by the size and the time of each, as `git pull` and `npm ci` change them. */
export const nameOfProgram = (folder: string): string =>
  hashOf(
    modulesOf(folder).map((file) => {
      const { size, mtimeMs } = statSync(join(folder, file))
      return `${file} ${size} ${mtimeMs}`
    }),
  )

const hashOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 32)

/** Also what is loaded late, or by a thread. A module whose place is a thread refuses to run here; stripped it is all the same. */
async function stripEverything(): Promise<void> {
  const files = modulesOf(import.meta.dirname).filter((file) => file !== 'main.ts')
  await Promise.allSettled(files.map((file) => import(new URL(file, import.meta.url).href)))
}

const modulesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
