import { isIP } from 'node:net'
import { readFile } from 'node:fs/promises'
import { X509Certificate } from 'node:crypto'
import { dayMs } from '../../runtime/clock.ts'
import { CertificateRefused } from '../../certificates/ca-client.ts'
import { renderUnicodeCompact } from 'uqr'
import { phoneRootPath } from '../../process/own-address.ts'
import { ownRootFile, readOwnRoot, readPhoneCertificate } from '../../certificates/certificate-store.ts'
import { readAddressList } from '../../runtime/address-list.ts'
import { privateIpv4 } from '../../runtime/private-addresses.ts'
import { makeDataFolder } from '../../process/data-folder.ts'
import { ownAddresses } from '../../reach/find-addresses.ts'
import { command, type CommandGroup, type Output } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import type { CommandContext } from '../core/command-context.ts'

/** What using the CA means; shown before its first use. */
const meaning = (from: string): string =>
  [
    `This asks ${from} for a certificate. What it means:`,
    '- The CA learns the private address of this machine, and the public address of this network.',
    '- The operator of the CA could certify the same address for another machine.',
    '- Without internet there is no certificate, and no renewal: then phones stop connecting when it ends.',
    'A root of your own avoids this, and must be installed on each phone: --own.',
  ].join('\n')

const forPhones = command({
  summary: 'Obtains a certificate with which phones connect to a private address of this machine.',
  details:
    'By default it is signed by the CA of the developers of the app, which the app trusts (ONESIXTY_CERTIFICATE_FROM). With --own it is signed by a root of your own, which is created once and must be installed on each phone. Then set ONESIXTY_PHONE_LISTEN. The server renews it from day 300 on.',
  arguments: [],
  options: {
    own: { type: 'flag', summary: 'Sign with a root of your own.' },
    address: {
      type: 'text',
      value: 'IPV4',
      summary: 'Private IPv4 address of this machine. Default: its only one.',
    },
    agree: { type: 'flag', summary: 'Agree to what using the CA means; needed once.' },
  },
  async run(tools, { options }): Promise<Output> {
    const { dataFolder, certificateFrom: from, phoneListen } = tools.config
    const address = options.address ?? phoneListen?.host ?? onlyAddress()
    if (!isPrivate(address))
      throw new UsageError(`${address} is no private IPv4 address (${privateIpv4.join(', ')}).`)
    const known = await readPhoneCertificate(dataFolder).catch(() => null)
    if (!options.own && !options.agree && known?.source !== 'ca')
      throw new CommandError('not_agreed', `${meaning(from)}\nTo continue, add --agree.`)
    await makeDataFolder(dataFolder)
    const { obtainCertificate } = await import('../../certificates/obtain-certificate.ts')
    const source = options.own ? 'own' : 'ca'
    const made = await obtainCertificate(
      { dataFolder, clock: waitingClock(tools), from, fetch },
      { source, address },
    ).catch((error: unknown) => {
      if (error instanceof CertificateRefused) throw new CommandError('certificate_refused', error.message)
      throw error
    })
    const described = describe(made.certificate, tools.clock.now())
    const port = phoneListen?.host === address ? phoneListen.port : usualPort
    const root = options.own ? await rootOf(dataFolder, `https://${address}:${port}`) : null
    return {
      json: { source, address, root: root && ownRootFile(dataFolder), ...described, ...root?.json },
      text: [
        `Certificate for ${address}, until ${described.until} (${described.days} days).`,
        ...(phoneListen?.host === address
          ? ['A running server uses it within a minute.']
          : [`Now set ONESIXTY_PHONE_LISTEN=${address}:${port} and restart the server.`]),
        ...(root === null ? [] : root.lines),
      ].join('\n'),
    }
  },
})

/** The port that is proposed for the second listener. */
const usualPort = 8443

/** How phones get the root of our own: its link, and the fingerprint by which a user knows it again. */
async function rootOf(dataFolder: string, origin: string) {
  const root = await readOwnRoot(dataFolder)
  if (root === null) throw new Error(`${ownRootFile(dataFolder)} is missing.`)
  const fingerprint = new X509Certificate(root.certificate).fingerprint256
  const url = origin + phoneRootPath
  return {
    json: { root_url: url, root_fingerprint: fingerprint },
    lines: [
      `Install its root on each phone; while the server runs it is at ${url}`,
      renderUnicodeCompact(url, { border: 2 }),
      'Scan the code with the camera of the phone, open the link, and continue in spite of the warning. Then install the file: Android settings, Security, Encryption & credentials, Install a certificate, CA certificate.',
      `Compare the fingerprint that the phone shows (SHA-256): ${fingerprint}`,
      `The file on this machine: ${ownRootFile(dataFolder)}`,
    ],
  }
}

const status = command({
  summary: 'Lists certificates: for what, from whom, until when, and who trusts them.',
  arguments: [],
  options: {},
  async run({ config, clock }): Promise<Output> {
    const made = await readPhoneCertificate(config.dataFolder)
    const listed = [
      ...(made === null
        ? []
        : [
            {
              used_for: 'phones',
              ...describe(made.certificate, clock.now()),
              trusted_by:
                made.source === 'own' ? 'phones that have its root installed' : 'the app, not browsers',
            },
          ]),
      ...(config.tlsCert === null
        ? []
        : [
            {
              used_for: 'the server',
              ...describe(await readFile(config.tlsCert, 'utf8'), clock.now()),
              trusted_by: 'see doctor',
            },
          ]),
    ]
    const text = listed.map(
      (each) =>
        `${each.used_for}: ${each.names}, from ${each.issuer}, until ${each.until} (${each.days} days), trusted by ${each.trusted_by}`,
    )
    return { json: { certificates: listed }, text: text.join('\n') || 'There are no certificates.' }
  },
})

export const certificateCommands: CommandGroup = {
  summary: 'Certificates for HTTPS.',
  commands: { 'for-phones': forPhones, status },
}

function describe(chain: string, nowMs: number) {
  const { subjectAltName, issuer, validToDate } = new X509Certificate(chain)
  return {
    names: subjectAltName?.replaceAll(/\b(?:DNS|IP Address):/g, '') ?? '',
    issuer: issuer.replaceAll('\n', ', '),
    until: validToDate.toISOString().slice(0, 10),
    days: Math.floor((validToDate.getTime() - nowMs) / dayMs),
  }
}

const privateAddresses = readAddressList(privateIpv4)
const isPrivate = (address: string): boolean => isIP(address) === 4 && privateAddresses.includes(address)

function onlyAddress(): string {
  const found = ownAddresses().filter(isPrivate)
  if (found.length === 1 && found[0] !== undefined) return found[0]
  throw new UsageError(
    found.length === 0
      ? 'This machine has no private IPv4 address. Name one with --address.'
      : `This machine has several private addresses: ${found.join(', ')}. Choose one with --address.`,
  )
}

/** The clock's timers do not keep the process alive, and nothing else does between two questions to the CA. */
const waitingClock = ({
  clock,
}: Pick<CommandContext, 'clock'>): Pick<CommandContext['clock'], 'now' | 'schedule'> => ({
  now: clock.now,
  schedule(delayMs, task) {
    const alive = setInterval(() => undefined, 60_000)
    const cancel = clock.schedule(delayMs, () => (clearInterval(alive), task()))
    return () => (clearInterval(alive), cancel())
  },
})
