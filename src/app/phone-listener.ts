import type { Server } from 'node:https'
import {
  datesOf,
  isDue,
  type PhoneCertificate,
  readPhoneCertificate,
} from '../certificates/certificate-store.ts'
import { checkServerCertificate } from '../certificates/check-certificate.ts'
import { readPendingRequest } from '../certificates/pending-request.ts'
import { Sweeper } from '../dispatch/sweepers/sweeper.ts'
import { dayMs, hourMs, minuteMs } from '../runtime/clock.ts'
import type { Service } from '../process/lifecycle.ts'
import type { NodeCertificate } from '../storage/tables/json-columns.ts'
import type { TlsFiles } from '../process/tls-files.ts'
import type { Wiring } from './wiring.ts'

/** The server of the second listener. */
interface PhoneServer {
  server: unknown
  listen(at: { host: string; port: number }): Promise<unknown>
  close(): Promise<unknown>
}

/** The file is read this often: `certificate for-phones` may have replaced it. */
const readEveryMs = minuteMs

interface ListenerDeps extends Pick<Wiring, 'phoneCertificate' | 'config' | 'clock' | 'log'> {
  /** Records the certificate of this node: one node decides the alerts of all, and has no file of another one. */
  record(certificate: NodeCertificate): Promise<void>
}

/**
 * Creates the second listener, of which `create` makes the server. It renews its certificate, and takes the new
 * one for new connections; open ones continue. Null without a certificate.
 */
export function createPhoneListener(
  deps: ListenerDeps,
  create: (tls: TlsFiles, certificateUntilMs: () => number) => PhoneServer,
): Service | null {
  const { phoneCertificate, clock, log } = deps
  const { phoneListen, dataFolder } = deps.config
  if (phoneCertificate === null || phoneListen === null) return null
  let served = phoneCertificate
  let untilMs = datesOf(served.certificate).untilMs
  const server = create(filesOf(served), () => untilMs)
  const stopping = new AbortController()
  const renew = createRenewal(deps, stopping.signal)
  const record = (): Promise<void> => {
    const { source, address } = served
    return deps.record({ source, address, untilMs })
  }
  const keeper = new Sweeper(
    { clock, log },
    {
      name: 'phone-certificate',
      intervalMs: readEveryMs,
      async sweep() {
        const stored = await renew((await readPhoneCertificate(dataFolder)) ?? served)
        if (stored.certificate !== served.certificate) {
          requireUsable(stored, phoneListen.host, clock.now())
          ;(server.server as Server).setSecureContext({ ...filesOf(stored), minVersion: 'TLSv1.2' })
          served = stored
          untilMs = datesOf(served.certificate).untilMs
          log.info({ address: stored.address }, 'the listener for phones uses a new certificate')
        }
        await record()
        return false
      },
    },
  )
  return {
    async start() {
      await record()
      await server.listen(phoneListen)
      await keeper.start()
    },
    async stop() {
      // Ends questions to the CA, which may take a minute: the next start asks again.
      stopping.abort()
      await keeper.stop()
      await server.close()
    },
  }
}

/** Returns the function that renews a certificate if it is due; it returns the one to use. */
function createRenewal(
  { config: { dataFolder, certificateFrom }, clock, log }: Pick<ListenerDeps, 'config' | 'clock' | 'log'>,
  signal: AbortSignal,
): (stored: PhoneCertificate) => Promise<PhoneCertificate> {
  let triedAtMs = Number.NEGATIVE_INFINITY
  return async (stored) => {
    // By the monotonic clock: a wall clock that is set back would end the attempts for as long.
    const elapsedMs = clock.monotonicMs()
    const waitMs = (await readPendingRequest(dataFolder)) === null ? dayMs : hourMs
    if (!isDue(stored, clock.now()) || elapsedMs - triedAtMs < waitMs) return stored
    triedAtMs = elapsedMs
    try {
      // Loads what encodes certificates, which is needed once a year.
      const { renewIfDue } = await import('../certificates/obtain-certificate.ts')
      return (await renewIfDue({ dataFolder, clock, from: certificateFrom, fetch, signal })) ?? stored
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error }, 'failed to renew the certificate for phones; retrying within a day')
      return stored
    }
  }
}

function requireUsable(stored: PhoneCertificate, address: string, nowMs: number): void {
  const fault = checkServerCertificate(stored.certificate, { ...stored, address }, nowMs)
  if (fault !== null) throw new Error(`The stored certificate for phones cannot be used: ${fault}`)
}

const filesOf = ({ certificate, key }: PhoneCertificate): TlsFiles => ({
  cert: Buffer.from(certificate),
  key: Buffer.from(key),
})
