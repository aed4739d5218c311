import { setTimeout as sleep } from 'node:timers/promises'

/** What a check needs of the machine. */
export interface Tool {
  name: string
  /** How it is installed. */
  install: string
}

/** A proof on artefacts that were just built. */
export interface Check<On> {
  /** What `--without NAME` leaves out. */
  name: string
  needs: readonly Tool[]
  /** Mounts and users need root. */
  isRoot?: true
  /** Returns what was seen, in one line; throws what does not hold. */
  run(on: On): Promise<string>
}

/** The machine that checks run on. */
export interface CheckMachine {
  isRoot: boolean
  has(tool: string): Promise<boolean>
  say(line: string): void
}

/**
 * Runs checks one after the other and says what each saw. Returns false if one failed, or could not run: what was not checked is not known to hold.
 * Those in `without` are left out by the caller's word.
 */
export async function runChecks<On>(
  checks: readonly Check<On>[],
  { on, without, machine }: { on: On; without: readonly string[]; machine: CheckMachine },
): Promise<boolean> {
  let holds = true
  for (const check of checks) {
    const startedMs = performance.now()
    const { mark, words } = await runCheck(check, { on, without, machine })
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    machine.say(`${mark} ${check.name.padEnd(14)} ${seconds.padStart(5)} s  ${words}`)
    holds &&= mark === '✓' || mark === '-'
  }
  return holds
}

/** An end for what hangs: lintian reads two packages for two minutes. */
const longestMs = 600_000

async function inTime(running: Promise<string>): Promise<string> {
  const ended = new AbortController()
  const late = sleep(longestMs, null, { signal: ended.signal }).then(() => {
    throw new Error(`It has not ended within ${longestMs / 60_000} minutes.`)
  })
  try {
    return await Promise.race([running, late])
  } finally {
    ended.abort()
  }
}

async function runCheck<On>(
  check: Check<On>,
  { on, without, machine }: { on: On; without: readonly string[]; machine: CheckMachine },
): Promise<{ mark: '✓' | '✗' | '?' | '-'; words: string }> {
  if (without.includes(check.name)) return { mark: '-', words: 'left out' }
  const missing: string[] = check.isRoot === true && !machine.isRoot ? ['needs root'] : []
  for (const { name, install } of check.needs)
    if (!(await machine.has(name))) missing.push(`${name} is not installed: ${install}`)
  if (missing.length > 0) return { mark: '?', words: `not checked: ${missing.join('; ')}` }
  try {
    return { mark: '✓', words: await inTime(check.run(on)) }
  } catch (error) {
    return { mark: '✗', words: error instanceof Error ? error.message : String(error) }
  }
}
