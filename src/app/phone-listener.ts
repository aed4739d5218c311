import type { Server } from 'node:https'
import type { EndingCertificate } from '../alerts/ending-certificate.ts'
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

/**
 * Creates the second listener, of which `create` makes the server. It renews its certificate, and takes the new
 * one for new connections; open ones continue. Null without a certificate.
 */
export function createPhoneListener(
  { phoneCertificate, config, clock, log }: Pick<Wiring, 'phoneCertificate' | 'config' | 'clock' | 'log'>,
  create: (tls: TlsFiles, certificateUntilMs: () => number) => PhoneServer,
): Service | null {
  const { phoneListen, dataFolder, certificateFrom } = config
  if (phoneCertificate === null || phoneListen === null) return null
  let served = phoneCertificate
  let untilMs = datesOf(served.certificate).untilMs
  const server = create(filesOf(served), () => untilMs)
  let triedAtMs = Number.NEGATIVE_INFINITY

  const renew = async (stored: PhoneCertificate): Promise<PhoneCertificate> => {
    // By the monotonic clock: a wall clock that is set back would end the attempts for as long.
    const elapsedMs = clock.monotonicMs()
    const waitMs = (await readPendingRequest(dataFolder)) === null ? dayMs : hourMs
    if (!isDue(stored, clock.now()) || elapsedMs - triedAtMs < waitMs) return stored
    triedAtMs = elapsedMs
    try {
      // Loads what encodes certificates, which is needed once a year.
      const { renewIfDue } = await import('../certificates/obtain-certificate.ts')
      return (await renewIfDue({ dataFolder, clock, from: certificateFrom, fetch })) ?? stored
    } catch (error) {
      log.warn({ err: error }, 'failed to renew the certificate for phones; retrying within a day')
      return stored
    }
  }
  const keeper = new Sweeper(
    { clock, log },
    {
      name: 'phone-certificate',
      intervalMs: readEveryMs,
      async sweep() {
        const stored = await renew((await readPhoneCertificate(dataFolder)) ?? served)
        if (stored.certificate === served.certificate) return false
        const fault = checkServerCertificate(
          stored.certificate,
          { ...stored, address: phoneListen.host },
          clock.now(),
        )
        if (fault !== null) throw new Error(`The stored certificate for phones cannot be used: ${fault}`)
        ;(server.server as Server).setSecureContext({ ...filesOf(stored), minVersion: 'TLSv1.2' })
        served = stored
        untilMs = datesOf(served.certificate).untilMs
        log.info({ address: stored.address }, 'the listener for phones uses a new certificate')
        return false
      },
    },
  )
  return {
    async start() {
      await server.listen(phoneListen)
      await keeper.start()
    },
    async stop() {
      await keeper.stop()
      await server.close()
    },
  }
}

/** Returns the certificate of the second listener for the alerts; null without a listener. */
export async function readEndingCertificate({
  phoneListen,
  dataFolder,
}: Pick<Wiring['config'], 'phoneListen' | 'dataFolder'>): Promise<EndingCertificate | null> {
  const made = phoneListen === null ? null : await readPhoneCertificate(dataFolder)
  if (made === null) return null
  return { source: made.source, address: made.address, untilMs: datesOf(made.certificate).untilMs }
}

const filesOf = ({ certificate, key }: PhoneCertificate): TlsFiles => ({
  cert: Buffer.from(certificate),
  key: Buffer.from(key),
})
