import type { Clock } from '../runtime/clock.ts'
import { isLoopbackHost } from '../process/own-address.ts'
import type { ReachProof } from './reach-proof.ts'
import { askForProof } from './ask-for-proof.ts'
import { examineCertificate } from './examine-certificate.ts'
import { findAddresses, type Lookup, ownAddresses } from './find-addresses.ts'
import { type Listening, openPort } from './open-port.ts'
import type { ReachStep } from './reach-step.ts'

/** The result of trying an address. */
export interface Reach {
  address: string
  /** A phone that gets through to the same place can use the address. */
  isReached: boolean
  /** In the order of the attempt; the last one failed, unless the address is reached. */
  steps: readonly ReachStep[]
}

export interface ReachDeps {
  clock: Pick<Clock, 'now' | 'schedule'>
  randomBytes: (count: number) => Uint8Array
  proof: ReachProof
  /** Roots (PEM) that phones were given in addition to those of their system. */
  roots: readonly string[]
  /** A certificate of this instance that the app trusts by a root of its own. */
  trustedByApp?: string
  listens: Listening
  /** This machine's own addresses. Default: as the system lists them. */
  own?: readonly string[]
  /** Resolves a name. Default: the system's resolver. */
  lookup?: Lookup
}

/** Maximum duration of an attempt: what a person waits for. */
const maxReachMs = 5_000

/**
 * Connects to an address as a phone does, and reports each step: the name, the route and port, the certificate,
 * and whether this instance answers. It runs on this machine: what is between the phone and this machine stays
 * unknown.
 */
export async function tryReach(deps: ReachDeps, address: string): Promise<Reach> {
  const ending = new AbortController()
  const cancel = deps.clock.schedule(maxReachMs, () => ending.abort())
  try {
    const steps = await attempt(deps, new URL(address), ending.signal)
    return { address, steps, isReached: steps.every(({ isOk }) => isOk) }
  } finally {
    cancel()
    // Closes what is still open.
    ending.abort()
  }
}

/** Returns what a failed attempt means in one sentence, with what to do. */
export const failureOf = ({ steps }: Pick<Reach, 'steps'>): ReachStep | null =>
  steps.find(({ isOk }) => !isOk) ?? null

async function attempt(deps: ReachDeps, url: URL, signal: AbortSignal): Promise<ReachStep[]> {
  const { own = ownAddresses(), listens, proof, roots, clock } = deps
  const named = await findAddresses(url, { signal, own, lookup: deps.lookup })
  if (named.found === null) return [named.step]
  const opened = await openPort(url, named.found, { signal, listens, own })
  if (opened.found === null) return [named.step, opened.step]
  const steps = [named.step, opened.step]
  const nonce = Buffer.from(deps.randomBytes(16)).toString('base64url')
  if (url.protocol === 'http:') {
    const { step } = await askForProof(url, opened.found.socket, { proof, nonce, signal })
    return [...steps, step, ...(step.isOk ? [plainStep(url)] : [])]
  }
  const secured = await examineCertificate(url, opened.found, {
    nowMs: clock.now(),
    signal,
    roots,
    trustedByApp: deps.trustedByApp,
  })
  if (secured.found === null) return [...steps, secured.step]
  const { step } = await askForProof(url, secured.found, { proof, nonce, signal })
  return [
    ...steps,
    secured.step,
    step,
    ...(step.isOk && isLoopbackHost(url.hostname) ? [cableStep(url)] : []),
  ]
}

/** What plain HTTP can be used for: the app refuses it, except for its own machine. */
const plainStep = (url: URL): ReachStep =>
  isLoopbackHost(url.hostname)
    ? cableStep(url)
    : {
        part: 'certificate',
        isOk: false,
        summary: `The app supports only HTTPS, and ${url.origin} is HTTP.`,
        remedy:
          'Configure a certificate (ONESIXTY_TLS_CERT, ONESIXTY_TLS_KEY), or a reverse proxy or tunnel in front of the server, and set ONESIXTY_PUBLIC_URL to its https address.',
      }

const cableStep = ({ hostname }: URL): ReachStep => ({
  part: 'route',
  isOk: false,
  summary: `Phones cannot reach ${hostname}, which is each machine's own address.`,
  remedy:
    'Set ONESIXTY_PUBLIC_URL to the https address that phones must use. Only a phone that is connected by a cable (adb reverse) can use this one.',
})
