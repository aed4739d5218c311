import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Times } from '../src/runtime/times.ts'

/** The program that tests start as a process. */
export interface Program {
  /** What a command line begins with. `flags` are those of Node.js, where a test has its own. */
  command(flags?: readonly string[]): readonly string[]
  /** Starts a server with times of its own. */
  timedServer(times: Times, flags?: readonly string[]): readonly string[]
  /** Settings of a start: by which it finds what another has compiled, or what commands are called. */
  keeps: Readonly<Record<string, string>>
}

const here = import.meta.dirname

/** As bin/onesixty.js sets it. */
const checkoutFlags = ['--wasm-wrapper-tiering-budget=2147483647']

export const checkout: Program = {
  command: (flags = checkoutFlags) => [process.execPath, ...flags, join(here, '..', 'bin', 'onesixty.js')],
  timedServer: (times, flags = checkoutFlags) => [
    process.execPath,
    ...flags,
    join(here, 'timed-program.ts'),
    JSON.stringify(times),
  ],
  keeps: {},
}

/** As `npm start` has them, and the nursery at its size from the start: a sixth of the time until it is ready went to collections. */
const builtFlags = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--v8-pool-size=0']

/** Sentences that name a command are compared as a build of the checkout says them; what an installation calls it is another test's. */
const sameWord = { ONESIXTY_COMMAND: 'onesixty' }

/**
 * A folder that scripts/build-program.ts has filled, or `dist` of an installed package. A release has no server that takes times as an argument: those
 * are then of the checkout.
 */
function built(folder: string): Program {
  const timed = join(folder, 'timed-program.js')
  const isOwnBuild = existsSync(timed)
  return {
    command: (flags = builtFlags) => [process.execPath, ...flags, join(folder, 'main.js')],
    timedServer: isOwnBuild
      ? (times, flags = builtFlags) => [process.execPath, ...flags, timed, JSON.stringify(times)]
      : checkout.timedServer,
    keeps: isOwnBuild ? { NODE_COMPILE_CACHE: join(folder, 'compiled') } : sameWord,
  }
}

/** An executable, which has its flags in it, and takes others from NODE_OPTIONS. */
const oneFile = (file: string): Program => ({
  command: (flags = []) => (flags.length === 0 ? [file] : ['env', `NODE_OPTIONS=${flags.join(' ')}`, file]),
  timedServer: checkout.timedServer,
  keeps: sameWord,
})

const given = process.env['ONESIXTY_PROGRAM']

/** The program that `ONESIXTY_PROGRAM` names: a folder of a build, an installed package or an executable. Without it, the checkout. */
export const program: Program =
  given === undefined ? checkout : statSync(given).isFile() ? oneFile(given) : built(given)

/** Starts a command line. Nothing of the surrounding settings reaches it but `env`. */
export function spawnCommand(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  const inherited = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|XDG_CACHE_HOME|TMPDIR|TZ|LANG)$/.test(name),
  )
  return spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...env },
  })
}
