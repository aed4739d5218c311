import { X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls'
import { dayMs } from '../runtime/clock.ts'
import type { OpenPort } from './open-port.ts'
import { codeOf, passed, type Stage, stopped } from './reach-step.ts'
import { speaksHttp } from './ask-for-proof.ts'

/** A certificate that ends within this is mentioned: most are renewed 30 days before their end. */
const soonDays = 14

export interface CertificateDeps {
  nowMs: number
  signal: AbortSignal
  /** Roots (PEM) that phones were given in addition to those of their system. */
  roots: readonly string[]
  /** See `ReachDeps`. */
  trustedByApp: string | undefined
}

const useHttps =
  'Give it a certificate (ONESIXTY_TLS_CERT, ONESIXTY_TLS_KEY), or let a reverse proxy or tunnel speak HTTPS at this address.'

/**
 * Opens TLS and examines the certificate: its names, its dates, and whether phones trust it. The roots are those
 * that come with Node, which are those of Mozilla: a phone does not know what was added to this machine.
 */
export async function examineCertificate(
  url: URL,
  { socket, reopen }: OpenPort,
  deps: CertificateDeps,
): Promise<Stage<TLSSocket>> {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  let secured: TLSSocket
  try {
    secured = await secure(socket, name, rootCertificates)
  } catch (error) {
    const isHttp =
      !deps.signal.aborted &&
      (await reopen().then(
        (plain) => speaksHttp(url, plain, deps),
        () => false,
      ))
    return isHttp
      ? stopped('certificate', `${url.host} speaks HTTP, not HTTPS.`, useHttps)
      : stopped('certificate', `${url.host} does not complete a TLS handshake (${codeOf(error)}).`, useHttps)
  }
  const certificate = secured.getPeerX509Certificate()
  if (certificate === undefined) return stopped('certificate', `${url.host} has no certificate.`, useHttps)
  const fault = nameFault(certificate, name) ?? dateFault(certificate, deps.nowMs)
  if (fault !== null) return (secured.destroy(), fault)
  if (secured.authorized) return trusted(secured, certificate, deps.nowMs, 'phones trust it')
  const byApp = deps.trustedByApp === undefined ? null : new X509Certificate(deps.trustedByApp)
  if (byApp?.fingerprint256 === certificate.fingerprint256)
    return trusted(secured, certificate, deps.nowMs, 'the app trusts it, browsers do not')
  secured.destroy()
  const given = deps.roots.length === 0 ? null : await secure(await reopen(), name, deps.roots)
  if (given?.authorized === true)
    return trusted(given, certificate, deps.nowMs, 'only phones that have its root installed trust it')
  given?.destroy()
  return untrusted(certificate, String(secured.authorizationError))
}

/** Completes the handshake with any certificate; `authorized` tells whether it ends in one of these roots. */
function secure(socket: Socket, name: string, ca: readonly string[]): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      ca: [...ca],
      // The verdict is read from `authorized`, and reported.
      rejectUnauthorized: false,
      // The name is compared apart, so that one fault does not hide the other.
      checkServerIdentity: () => undefined,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(name) === 0 && { servername: name }),
    })
    secured.once('secureConnect', () => resolve(secured))
    secured.on('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
  })
}

const namesOf = ({ subjectAltName, subject }: X509Certificate): string =>
  subjectAltName?.replaceAll(/\b(?:DNS|IP Address):/g, '') ?? subject.replaceAll('\n', ', ')

function nameFault(certificate: X509Certificate, name: string): Stage<never> | null {
  const fits = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
  return fits === undefined
    ? stopped(
        'certificate',
        `The certificate is for ${namesOf(certificate)}, not for ${name}.`,
        `Another program may answer there, such as the page of a router. Otherwise get a certificate for ${name}, or set ONESIXTY_PUBLIC_URL to a name of this one.`,
      )
    : null
}

function dateFault({ validFromDate, validToDate }: X509Certificate, nowMs: number): Stage<never> | null {
  if (nowMs > validToDate.getTime())
    return stopped('certificate', `The certificate ended on ${dateOf(validToDate)}.`, 'Renew it.')
  if (nowMs < validFromDate.getTime())
    return stopped(
      'certificate',
      `The certificate begins on ${dateOf(validFromDate)}, later than now.`,
      'Set the clock of this machine, or of the machine that made the certificate.',
    )
  return null
}

function trusted(
  socket: TLSSocket,
  certificate: X509Certificate,
  nowMs: number,
  by: string,
): Stage<TLSSocket> {
  const days = Math.floor((certificate.validToDate.getTime() - nowMs) / dayMs)
  return passed(
    'certificate',
    socket,
    `The certificate is for ${namesOf(certificate)}, ends in ${days} days (${dateOf(certificate.validToDate)}), and ${by}.`,
    days < soonDays ? `Renew the certificate: it ends in ${days} days.` : null,
  )
}

function untrusted(certificate: X509Certificate, code: string): Stage<never> {
  const issuer = certificate.issuer.replaceAll('\n', ', ')
  return code === 'DEPTH_ZERO_SELF_SIGNED_CERT'
    ? stopped(
        'certificate',
        'The certificate is signed by itself: phones do not trust it.',
        'Use a certificate of a public CA, or of your own CA whose root is installed on the phones (ONESIXTY_PHONE_ROOTS).',
      )
    : stopped(
        'certificate',
        `Phones do not trust the certificate: it is from ${issuer} (${code}).`,
        'Send the whole chain (ONESIXTY_TLS_CERT needs the intermediate certificates too). If the CA is your own, install its root on the phones and name it in ONESIXTY_PHONE_ROOTS.',
      )
}

const dateOf = (date: Date): string => date.toISOString().slice(0, 10)
