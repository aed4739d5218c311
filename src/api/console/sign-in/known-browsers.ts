import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { BegunSignIn } from '../../../accounts/people/passwords.ts'
import { dayMs } from '../../../runtime/clock.ts'
import type { Db } from '../../../storage/seam/dialect.ts'
import type { CallContext } from '../core/call.ts'

/** Identifies the browser to the limits of sign-in; grants no access. */
const cookieName = '__Host-onesixty-browser'
/** Maximum lifetime of a cookie in browsers (RFC 6265bis, section 5.5). */
const lifeMs = 400 * dayMs
/** A browser can be known to several users, up to this many. */
const maxUsers = 5

/** Entry of the cookie about one user. */
interface Mark {
  userId: string
  /** 128 random bits of the browser. */
  nonce: string
  /** `users.browser_epoch` at that time. */
  epoch: number
  expiresAt: number
}

type Who = { email: string } | { userId: string } | { credentialId: string }

/**
 * Returns the key by which attempts of this browser for a user are counted, once it has signed in as that
 * user; null for an unknown browser. Only a signed cookie costs a database read.
 */
export async function knownBrowser(
  context: Pick<CallContext, 'headers' | 'clock' | 'read' | 'ports'>,
  who: Who,
): Promise<string | null> {
  const marks = marksOf(context)
  if (marks.length === 0) return null
  const user = await findUser(context.read, who)
  const mark = marks.find(({ userId, epoch }) => userId === user?.id && epoch === user.browser_epoch)
  return mark === undefined ? null : `${mark.userId} ${mark.nonce}`
}

/** Marks the browser as known to the user, in the epoch of the sign-in. Entries of other users stay. */
export function rememberBrowser(
  context: Pick<CallContext, 'headers' | 'clock' | 'ports' | 'setCookie'>,
  { userId, epoch }: BegunSignIn,
): void {
  const others = marksOf(context).filter((mark) => mark.userId !== userId)
  const nonce = randomBytes(16).toString('base64url')
  const own = { userId, nonce, epoch, expiresAt: context.clock.now() + lifeMs }
  const { browserKey } = context.ports.identity
  const value = [own, ...others].slice(0, maxUsers).map((mark) => sign(browserKey, mark))
  context.setCookie(
    `${cookieName}=${value.join('~')}; Path=/; Max-Age=${lifeMs / 1_000}; HttpOnly; Secure; SameSite=Strict`,
  )
}

function findUser(read: Db, who: Who): Promise<{ id: string; browser_epoch: number } | undefined> {
  const users = read.selectFrom('users').select(['id', 'browser_epoch'])
  if ('email' in who) return users.where('email', '=', who.email).executeTakeFirst()
  if ('userId' in who) return users.where('id', '=', who.userId).executeTakeFirst()
  const owner = read.selectFrom('passkeys').select('user_id').where('credential_id', '=', who.credentialId)
  return users.where('id', 'in', owner).executeTakeFirst()
}

/** Returns the entries of the cookie of a request that we signed and that have not expired. */
function marksOf({ headers, clock, ports }: Pick<CallContext, 'headers' | 'clock' | 'ports'>): Mark[] {
  const value = new RegExp(`(?:^|; )${cookieName}=([\\w.~-]{1,1000})(?:;|$)`).exec(
    headers.get('cookie') ?? '',
  )
  const parts = (value?.[1] ?? '').split('~').slice(0, maxUsers)
  return parts.flatMap((part) => {
    const [userId = '', nonce = '', epoch = '', expiresAt = ''] = part.split('.')
    const mark = { userId, nonce, epoch: Number(epoch), expiresAt: Number(expiresAt) }
    const isOurs = isEqual(part, sign(ports.identity.browserKey, mark))
    return isOurs && mark.expiresAt > clock.now() ? [mark] : []
  })
}

function sign(key: Uint8Array, { userId, nonce, epoch, expiresAt }: Mark): string {
  const text = `${userId}.${nonce}.${epoch}.${expiresAt}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
