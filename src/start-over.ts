import { globSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What of the process starting over needs; `process` fits. */
type StartingProcess = Pick<
  NodeJS.Process,
  'argv' | 'channel' | 'env' | 'execArgv' | 'execPath' | 'execve' | 'platform'
> & { moduleLoadList?: readonly string[] }

/** In the environment of a process that has started over, so that none does so twice: a full disk keeps no modules. */
const startedOver = 'STARTED_OVER'

/** What strips types, by its name within Node.js. */
const stripper = 'NativeModule internal/deps/amaro/dist/index'

/**
 * Begins a server anew, as the same process, where a module had to be stripped of its types. What strips them is WebAssembly, which each thread
 * that needs it keeps for good, and which left 30 MB more to a busy server (docs/decisions/0036). So the first start after an installation
 * strips every module, keeps them where `bin/onesixty.js` says, and gives way to a second one, which finds them there.
 *
 * To be called before anything is opened: of this program nothing is left but its standard streams. Returns where nothing was stripped, where
 * nothing can be kept, and where a process cannot be replaced: on Windows, or while another one talks to it (`node --watch`).
 */
export async function startOverIfTypesWereStripped(host: StartingProcess): Promise<void> {
  const hasStartedOver = host.env[startedOver] !== undefined
  delete host.env[startedOver]
  if (hasStartedOver || host.moduleLoadList?.includes(stripper) !== true) return
  if (getCompileCacheDir() === undefined || host.platform === 'win32' || host.channel) return
  await stripEverything()
  flushCompileCache()
  const args = [host.execPath, ...host.execArgv, ...host.argv.slice(1)]
  host.execve?.(host.execPath, args, { ...environmentOf(host), [startedOver]: '1' })
}

/**
 * As it was given to the program, which has added for its threads where modules are kept. That is left out where it is where Node.js keeps them by
 * itself: told so, it would keep those of the main thread before `bin/onesixty.js` takes its flag back, and apart from those of the threads.
 */
function environmentOf({ env }: StartingProcess): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: kept, ...rest } = env
  return kept === join(tmpdir(), 'node-compile-cache') ? rest : env
}

/** Also what is loaded late, or by a thread. A module whose place is a thread refuses to run here; stripped it is all the same. */
async function stripEverything(): Promise<void> {
  const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => file !== 'main.ts')
  await Promise.allSettled(files.map((file) => import(join(import.meta.dirname, file))))
}
