import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '../../../accounts/people/password-hash.ts'
import { nameSecondFactors } from '../../../accounts/people/second-factors.ts'
import type { Config } from '../../../config.ts'
import type { RequestLog } from '../../edge/record-request.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import { eachStatement } from '../../../storage/seam/each-statement.ts'
import type { Writer } from '../../../storage/seam/writer.ts'

/** A key derived from one secret of the instance. */
export interface AuthSecret {
  /** Stored with what it seals, permanently. Never the version of another secret. */
  version: number
  value: string
}

export interface AuthDeps {
  read: Db
  writer: Writer
  config: Config
  log: RequestLog
  /** The first one signs cookies and seals second factors; each opens what it sealed. */
  secrets: readonly [AuthSecret, ...AuthSecret[]]
  publicUrl: () => string
}

/**
 * Authentication for the console. Better Auth is loaded at the first sign-in: 0.45 s and 55 MB that servers
 * without sign-ins never need.
 */
export type Auth = () => Promise<BetterAuth>
export type BetterAuth = Awaited<ReturnType<typeof load>>

/** Returns the function that loads Better Auth on first use. */
export function createAuth(deps: AuthDeps): Auth {
  let loaded: Promise<BetterAuth> | null = null
  // A failed load is retried: the database may have been unavailable.
  return () =>
    (loaded ??= load(deps).catch((error: unknown) => {
      loaded = null
      throw error
    }))
}

/**
 * The prefix makes browsers bind the cookie to this host, over TLS or on the machine itself (RFC 6265bis
 * section 4.1.3.2).
 */
export const sessionCookie = '__Host-onesixty-session'

/** Header that passes the address of the client to Better Auth. A value from the client is replaced. */
export const addressHeader = 'x-onesixty-address'

/** A session lasts a week and is extended once a day when used. */
const sessionSeconds = 7 * 86_400
const extendAfterSeconds = 86_400

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
    // For data without a version.
    secret: current.value,
    // Dates are text and booleans numbers on both databases, as the adapter writes them for SQLite.
    database: { db: eachStatement(deps), type: 'sqlite' },
    user: { modelName: 'auth_users' },
    account: { modelName: 'auth_credentials' },
    verification: { modelName: 'auth_verifications' },
    session: {
      modelName: 'auth_sessions',
      expiresIn: sessionSeconds,
      updateAge: extendAfterSeconds,
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
    // Rate limits are in `identity-limits.ts`.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      log: (level, message) =>
        level === 'error' ? deps.log.error({ part: 'better-auth' }, message) : undefined,
    },
  })
}

/**
 * Returns the function that finds the former secret that sealed a text; null for a text that names its
 * version, or that was sealed by the current secret or an unknown one.
 */
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
