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

/** The part of `process` that a restart needs. */
type StartingProcess = Pick<
  NodeJS.Process,
  'argv' | 'channel' | 'env' | 'execArgv' | 'execPath' | 'execve' | 'platform'
>

/** Set in the environment of a restarted process, so that it never restarts a second time. */
const startedOver = 'STARTED_OVER'

/**
 * Restarts a server in the same process if type stripping was not yet cached for all modules. Types are
 * stripped by WebAssembly, which each thread that uses it keeps permanently; it took 30 MB more of a busy
 * server (docs/decisions/0036). So the first start after an installation or an update strips every module,
 * caches them where `bin/prepare.js` says, and replaces itself with a second start that finds them there.
 *
 * Must be called before anything is opened: only the standard streams survive. Returns if everything is
 * cached already, if nothing can be cached, and if the process cannot be replaced: on Windows, or while
 * another process is connected to it (`node --watch`).
 */
export async function startOverOnceStripped(host: StartingProcess): Promise<void> {
  const hasStartedOver = host.env[startedOver] !== undefined
  delete host.env[startedOver]
  // A built program has no types to strip.
  if (!import.meta.filename.endsWith('.ts')) return
  const kept = getCompileCacheDir()
  if (hasStartedOver || kept === undefined || host.platform === 'win32' || host.channel) return
  // With this variable, Node.js would search the cache of the main thread before `bin/prepare.js` resets its
  // flag, and find nothing.
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
    // `execve` of a file that is not executable would end this process.
    accessSync(host.execPath, constants.X_OK)
    host.execve?.(host.execPath, args, { ...environment, [startedOver]: '1' })
  } catch {
    // The program or the mark is unreadable, the cache not writable, or the start failed: this process
    // serves, with 30 MB more.
  }
}

/** Changes with the modules: built from the size and time of each, as `git pull` and `npm ci` change them. */
export const nameOfProgram = (folder: string): string =>
  hashOf(
    modulesOf(folder).map((file) => {
      const { size, mtimeMs } = statSync(join(folder, file))
      return `${file} ${size} ${mtimeMs}`
    }),
  )

const hashOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 32)

/**
 * Strips every module, including those that are loaded late or by a thread. A module that only runs in a
 * thread throws here, but is stripped anyway.
 */
async function stripEverything(): Promise<void> {
  const files = modulesOf(import.meta.dirname).filter((file) => file !== 'main.ts')
  await Promise.allSettled(files.map((file) => import(new URL(file, import.meta.url).href)))
}

const modulesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
