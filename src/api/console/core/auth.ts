import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '../../../accounts/people/password-hash.ts'
import { nameSecondFactors } from '../../../accounts/people/second-factors.ts'
import type { Config } from '../../../config.ts'
import type { RequestLog } from '../../respond.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { eachStatement } from '../../../storage/seam/each-statement.ts'
import type { Writer } from '../../../storage/seam/writer.ts'

/** A key of its own, of one secret of the instance. */
export interface AuthSecret {
  /** Stands beside what it seals, for ever: never that of another secret. */
  version: number
  value: string
}

export interface AuthDeps {
  read: Db
  writer: Writer
  config: Config
  log: RequestLog
  /** The first signs cookies and seals second factors; each opens what it sealed. */
  secrets: readonly [AuthSecret, ...AuthSecret[]]
  publicUrl: () => string
}

/** Signing in to the console. Better Auth is loaded when somebody first signs in: 0.45 s and 55 MB that a program never needs. */
export type Auth = () => Promise<BetterAuth>
export type BetterAuth = Awaited<ReturnType<typeof load>>

/** Gives the way to Better Auth; loads nothing yet. */
export function createAuth(deps: AuthDeps): Auth {
  let loaded: Promise<BetterAuth> | null = null
  // What failed is tried again: the database may have been away.
  return () =>
    (loaded ??= load(deps).catch((error: unknown) => {
      loaded = null
      throw error
    }))
}

/** The prefix makes browsers hold the cookie to this host, over TLS or on the machine itself (RFC 6265bis section 4.1.3.2). */
export const sessionCookie = '__Host-onesixty-session'

/** What Better Auth is told a client's address in; whatever a client wrote there itself is replaced. */
export const addressHeader = 'x-onesixty-address'

/** A session lasts a week and is prolonged once a day by use. */
const sessionSeconds = 7 * 86_400
const prolongAfterSeconds = 86_400

async function load(deps: AuthDeps) {
  const [{ betterAuth }, { twoFactor }, { startSession }] = await Promise.all([
    import('better-auth'),
    import('better-auth/plugins/two-factor'),
    import('./start-session.ts'),
  ])
  const [current, ...former] = deps.secrets
  if (former.length > 0) await nameSecondFactors(deps, await formerVersionOf(current, former))
  return betterAuth({
    appName: 'onesixty',
    baseURL: deps.publicUrl(),
    basePath: '/console/api/auth',
    secrets: [...deps.secrets],
    // Of what names no version.
    secret: current.value,
    // Dates are text and truth values numbers on both databases, which is what the adapter writes for SQLite.
    database: { db: eachStatement(deps), type: 'sqlite' },
    user: { modelName: 'auth_users' },
    account: { modelName: 'auth_credentials' },
    verification: { modelName: 'auth_verifications' },
    session: {
      modelName: 'auth_sessions',
      expiresIn: sessionSeconds,
      updateAge: prolongAfterSeconds,
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 12,
      maxPasswordLength: 128,
      password: { hash: (password) => hashPassword({ randomBytes }, password), verify: verifyPassword },
    },
    advanced: {
      // The prefix would be `__Secure-`; ours is part of the name.
      useSecureCookies: false,
      cookies: {
        session_token: { name: sessionCookie },
        session_data: { name: '__Host-onesixty-session-data' },
        dont_remember: { name: '__Host-onesixty-brief' },
        two_factor: { name: '__Host-onesixty-second-factor' },
        trust_device: { name: '__Host-onesixty-trusted' },
      },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      defaultCookieAttributes: { httpOnly: true, secure: true, sameSite: 'strict', path: '/' },
    },
    plugins: [twoFactor({ schema: { twoFactor: { modelName: 'auth_two_factors' } } }), startSession],
    // Calls are limited by `identity-limits.ts`.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      log: (level, message) =>
        level === 'error' ? deps.log.error({ part: 'better-auth' }, message) : undefined,
    },
  })
}

/** Finds the former secret that sealed a text; null for one that names its version, or that is the current one's or nobody's. */
async function formerVersionOf(current: AuthSecret, former: readonly AuthSecret[]) {
  const { symmetricDecrypt } = await import('better-auth/crypto')
  const opens = ({ value }: AuthSecret, data: string): Promise<boolean> =>
    symmetricDecrypt({ key: value, data }).then(
      () => true,
      () => false,
    )
  return async (sealed: string): Promise<number | null> => {
    if (sealed.startsWith('$ba$') || (await opens(current, sealed))) return null
    for (const secret of former) if (await opens(secret, sealed)) return secret.version
    return null
  }
}
