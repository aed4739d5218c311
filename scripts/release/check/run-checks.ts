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
  /** Runs where `--with NAME` asks for it. */
  isOptional?: true
  /** An end for what hangs, where that of all others is too short. */
  longestMs?: number
  /** Returns what was seen, in one line; throws what does not hold. */
  run(on: On): Promise<string>
}

/** The machine that checks run on. */
export interface CheckMachine<On> {
  isRoot: boolean
  has(tool: string): Promise<boolean>
  say(line: string): void
  /** Runs a check, and ends all that it started: after a failure, and where it does not come to an end. */
  run(check: Check<On>, on: On): Promise<string>
}

/** What the checks run on, and which of them. */
interface Run<On> {
  on: On
  without: readonly string[]
  with: readonly string[]
  machine: CheckMachine<On>
}

/**
 * Runs checks one after the other and says what each saw. Returns false if one failed, or could not run: what was not checked is not known to hold.
 * Those in `without` are left out by the caller's word, and optional ones unless they are in `with`.
 */
export async function runChecks<On>(checks: readonly Check<On>[], given: Run<On>): Promise<boolean> {
  let holds = true
  for (const check of checks) {
    const startedMs = performance.now()
    const { mark, words } = await runCheck(check, given)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    given.machine.say(`${mark} ${check.name.padEnd(14)} ${seconds.padStart(5)} s  ${words}`)
    holds &&= mark === '✓' || mark === '-'
  }
  return holds
}

async function runCheck<On>(
  check: Check<On>,
  { on, without, with: wanted, machine }: Run<On>,
): Promise<{ mark: '✓' | '✗' | '?' | '-'; words: string }> {
  if (without.includes(check.name)) return { mark: '-', words: 'left out' }
  if (check.isOptional === true && !wanted.includes(check.name))
    return { mark: '-', words: `left out: --with ${check.name} runs it` }
  const missing: string[] = check.isRoot === true && !machine.isRoot ? ['needs root'] : []
  for (const { name, install } of check.needs)
    if (!(await machine.has(name))) missing.push(`${name} is not installed: ${install}`)
  if (missing.length > 0) return { mark: '?', words: `not checked: ${missing.join('; ')}` }
  try {
    return { mark: '✓', words: await machine.run(check, on) }
  } catch (error) {
    return { mark: '✗', words: error instanceof Error ? error.message : String(error) }
  }
}
