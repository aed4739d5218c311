import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** An advisory that is accepted for a while, because there is no fix yet or the fault cannot be reached through us. */
export interface Accepted {
  /** How the address of the advisory ends: `GHSA-…`. */
  advisory: string
  /** The last day, `2027-01-31`: three months ahead at most. SECURITY.md allows 7 days for what is critical and can be reached, 30 for high. */
  until: string
  reason: string
}

const accepted: readonly Accepted[] = []

const repository = join(import.meta.dirname, '..')

/** Ends an npm that waits for a registry. npm asks for advisories once, then for the versions of each package that has some. */
const endMs = 30_000

/** Returns what npm says of known vulnerabilities in production; null if it did not end in time. */
export const askNpm = (npm = 'npm', withinMs = endMs): Promise<string | null> =>
  new Promise((resolve, reject) => {
    // An npm that is set to stay offline asks no registry, and reports no vulnerabilities.
    const args = [
      'audit',
      '--omit=dev',
      '--json',
      '--no-offline',
      '--fetch-timeout=10000',
      '--fetch-retries=1',
    ]
    const options = { cwd: repository, timeout: withinMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const
    execFile(npm, args, options, (error, stdout, stderr) => {
      if (error === null || typeof error.code === 'number') resolve(stdout || stderr)
      else if (error.killed === true && error.code === null) resolve(null)
      else reject(error)
    })
  })

/** A package with advisories, or one that needs such a package: then `via` has the name of that package. */
interface Vulnerable {
  name: string
  via: readonly (string | Advisory)[]
  /** Where it lies. */
  nodes: readonly string[]
  /** True: within the ranges of its dependents, so that the lockfile alone changes. */
  fixAvailable: boolean | { name: string; version: string; isSemVerMajor: boolean }
}

interface Advisory {
  title: string
  url: string
  severity: string
}

export type Answer = { vulnerable: readonly Vulnerable[] } | { unasked: string }

/** Reads what npm said. Throws if that is neither a report nor the failure of a request: the step must not pass on what it cannot read. */
export function readAnswer(said: string | null): Answer {
  if (said === null) return { unasked: `no answer within ${endMs / 1000} s` }
  const answer = parse(said) as {
    auditReportVersion?: number
    vulnerabilities?: Record<string, Vulnerable>
    message?: string
  } | null
  if (answer?.auditReportVersion === 2 && answer.vulnerabilities)
    return { vulnerable: Object.values(answer.vulnerabilities) }
  if (answer?.message) return { unasked: answer.message }
  throw new Error(`npm audit returned no report: ${said.trim() || 'nothing'}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export interface Lockfile {
  packages: Readonly<Record<string, Locked>>
}

interface Locked {
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const isManifest = (place: string): boolean => !place.includes('node_modules/')

/** Returns each package of production by its place, with the shortest path to it from one of our dependencies. */
export function pathsTo({ packages }: Lockfile): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  const places = Object.keys(packages).filter(isManifest)
  // The list grows while it is walked.
  for (const from of places) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[from] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const place = nearest(packages, from, name)
      if (place === undefined || paths.has(place)) continue
      const before = paths.get(from)
      paths.set(place, `${before === undefined ? '' : `${before} > `}${name} ${packages[place]?.version}`)
      places.push(place)
    }
  }
  return paths
}

/** Finds a package as Node.js does: in the own `node_modules`, then in those above. */
function nearest(packages: Lockfile['packages'], from: string, name: string): string | undefined {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (place in packages) return place
  if (from === '') return undefined
  return nearest(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

const dayMs = 86_400_000
const maxDays = 92

/** Returns what makes the step fail: advisories that are not accepted, and accepted ones that have expired, last too long or match nothing. */
export function findFaults(
  answer: Answer,
  { lock, list, today }: { lock: Lockfile; list: readonly Accepted[]; today: string },
): string[] {
  const daysLeft = ({ until }: Accepted): number => (Date.parse(until) - Date.parse(today)) / dayMs
  const wrongDays = list
    .filter((entry) => !(daysLeft(entry) >= 0 && daysLeft(entry) <= maxDays))
    .map(
      ({ advisory, until }) =>
        `${advisory} is accepted until ${until}: not a day of the next ${maxDays} days`,
    )
  if ('unasked' in answer) return wrongDays
  const found = answer.vulnerable.flatMap((one) =>
    one.via
      .filter((each) => typeof each !== 'string')
      .map((advisory) => ({ one, advisory, id: idOf(advisory) })),
  )
  const holding = list.filter((entry) => daysLeft(entry) >= 0).map(({ advisory }) => advisory)
  const paths = pathsTo(lock)
  return [
    ...found
      .filter(({ id }) => !holding.includes(id))
      .map(({ one, advisory }) => describe(one, advisory, { lock, paths })),
    ...wrongDays,
    ...list
      .filter(({ advisory }) => !found.some(({ id }) => id === advisory))
      .map(({ advisory }) => `${advisory} is accepted, but no package of production has it`),
  ]
}

const idOf = ({ url }: Advisory): string => url.slice(url.lastIndexOf('/') + 1)

const describe = (
  { name, nodes, fixAvailable }: Vulnerable,
  { title, url, severity }: Advisory,
  { lock, paths }: { lock: Lockfile; paths: ReadonlyMap<string, string> },
): string =>
  [
    `${name} (${severity}): ${title}`,
    `  advisory  ${url}`,
    ...nodes.map((place) => `  path      ${paths.get(place) ?? place}`),
    `  fix       ${fixOf(name, fixAvailable, lock)}`,
  ].join('\n')

function fixOf(name: string, fix: Vulnerable['fixAvailable'], { packages }: Lockfile): string {
  if (fix === true) return `npm exec -c 'npm update ${name}'`
  if (fix === false) return 'none yet: remove the dependency, or accept the advisory in scripts/audit.ts'
  const names = ({ dependencies, devDependencies }: Locked = {}) => ({ ...dependencies, ...devDependencies })
  const workspace = Object.keys(packages).find(
    (place) => isManifest(place) && fix.name in names(packages[place]),
  )
  const where = workspace ? ` -w ${workspace}` : ''
  const command = `npm exec -c 'npm install --save-exact${where} ${fix.name}@${fix.version}'`
  return fix.isSemVerMajor ? `${command} (a major version: read its changelog)` : command
}

/**
 * A step of `npm test`: fails on known vulnerabilities of what runs in production. A registry that does not answer, or that has no
 * advisories to give, does not fail it: tests also run where there is no network. Then it says so.
 */
async function main(): Promise<void> {
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as Lockfile
  const answer = readAnswer(await askNpm())
  const faults = findFaults(answer, { lock, list: accepted, today: new Date().toISOString().slice(0, 10) })
  if (faults.length > 0) {
    console.error(faults.join('\n'))
    process.exitCode = 1
  } else if ('unasked' in answer)
    console.log(`not audited, the registry could not be asked: ${answer.unasked}`)
  else
    console.log(
      `${pathsTo(lock).size} packages of production, no known vulnerability, ${accepted.length} accepted`,
    )
}

if (import.meta.main) await main()
