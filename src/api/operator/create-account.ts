import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { readListedAccount } from '../../accounts/core/list-accounts.ts'
import { issuePasswordLink } from '../../accounts/people/password-link.ts'
import { rfc3339OrNull } from '../../runtime/clock.ts'
import { refuse } from '../../runtime/errors.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { readBody } from '../edge/read-body.ts'
import { echoedTextFault } from '../../runtime/field-faults.ts'
import { orNull } from '../../runtime/schemas.ts'
import { accountExample, AccountSchema, viewAccounts } from './account-view.ts'
import {
  IdempotencyHeader,
  type OperatorCall,
  type OperatorDeps,
  type OperatorOperation,
  replayedHeader,
} from './operation.ts'
import { requiredKey } from './required-key.ts'

const NewAccountSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the account.' }),
    email: Type.String({
      minLength: 3,
      maxLength: 254,
      description:
        'E-mail address of the owner. An address that a user has already is rejected without the `user_id` of that user.',
    }),
    user_id: Type.Optional(
      orNull<string>(
        'string',
        'Existing user who becomes the owner of this account too. Verify the identity of the user first.',
        { pattern: '^usr_[0-9a-z]{26}$', default: null },
      ),
    ),
  },
  { additionalProperties: false, description: 'The account to create.' },
)

const OpenedSchema = Type.Object({
  account: AccountSchema,
  user_id: Type.String({ description: 'Owner of the account.' }),
  live_key: orNull<string>('string', 'First live key, shown only once; null in a repeated response.'),
  test_key: orNull<string>('string', 'First test key, shown only once; null in a repeated response.'),
  setup_link: orNull<string>(
    'string',
    'One-time link with which the owner chooses a password for the console; null for an existing user. A repeated response has a new link while that owner has no password and is in no other account.',
  ),
  setup_link_expires_at: orNull<string>('string', 'Time when the link expires.', { format: 'date-time' }),
})

export const createAccountOperation: OperatorOperation = {
  id: 'createAccount',
  method: 'POST',
  path: '/operator/v1/accounts',
  scope: 'write',
  summary: 'Create an account',
  description: `Creates an account with its owner, both wallets, the free SMS of the instance, and a live and a test key. An \`Idempotency-Key\` is required; keys are kept
permanently. API keys are only in the first response, because only their hashes are stored. If it is lost, the owner creates new keys.`,
  headers: IdempotencyHeader,
  body: {
    schema: NewAccountSchema,
    examples: { new: { summary: 'A new customer', value: { name: 'Ada', email: 'ada@example.org' } } },
  },
  answers: {
    201: {
      description: 'The account.',
      schema: OpenedSchema,
      example: {
        account: accountExample, user_id: 'usr_01k9ktn8q4e8bvzr5y1w3xh7dg', live_key: 'onesixty_live_…', test_key: 'onesixty_test_…',
        setup_link: 'https://sms.example.org/link#…', setup_link_expires_at: '2026-11-24T09:30:00.000Z',
      },
      headers: replayedHeader,
    },
  },
  problems: [
    'invalid_query', 'invalid_header', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'idempotency_key_reused', 'storage_full',
    'outcome_unknown',
  ],
  handle: createAccount,
} // prettier-ignore

async function createAccount(
  deps: OperatorDeps,
  { caller, body, headers }: OperatorCall,
): ReturnType<OperatorOperation['handle']> {
  const named = requiredKey(headers, body as object)
  const {
    name,
    email,
    user_id: userId = null,
  } = readBody(NewAccountSchema, body, { textFault: echoedTextFault })
  const wanted = { name, email, ...(userId !== null && { userId }), actor: caller.tokenId }
  const { opened, link, isReplay } = await deps.writer.write((tx) => openOnce(tx, deps, named, wanted))
  const [account] = await viewAccounts(deps.read, [await readListedAccount(deps.read, opened.accountId)])
  const answer: Static<typeof OpenedSchema> = {
    account: account as Static<typeof AccountSchema>,
    user_id: opened.userId,
    live_key: opened.liveKey,
    test_key: opened.testKey,
    setup_link: link?.address ?? null,
    setup_link_expires_at: rfc3339OrNull(link?.expiresAt),
  }
  return { status: 201, body: answer, ...(isReplay && { headers: { 'idempotent-replayed': 'true' } }) }
}

interface Opened {
  accountId: string
  userId: string
  isNewUser: boolean
  liveKey: string | null
  testKey: string | null
}

async function openOnce(
  tx: Tx,
  deps: OperatorDeps,
  named: { key: string; fingerprint: string },
  wanted: Parameters<OperatorDeps['openAccount']>[2],
): Promise<{ opened: Opened; link: Awaited<ReturnType<typeof issuePasswordLink>>; isReplay: boolean }> {
  const nowMs = deps.clock.now()
  const before = await readOpened(tx, named)
  const opened = before ?? (await deps.openAccount(tx, nowMs, wanted))
  if (before === null)
    await tx
      .insertInto('operator_requests')
      .values({
        request_key: named.key,
        fingerprint: named.fingerprint,
        account_id: opened.accountId,
        user_id: opened.userId,
        is_new_user: opened.isNewUser ? 1 : 0,
        created_at: nowMs,
      })
      .execute()
  const linkDeps = { ...deps, nowMs, randomBytes, publicUrl: deps.publicUrl() }
  const { actor } = wanted
  const link = (await mayInvite(tx, opened))
    ? await issuePasswordLink(tx, linkDeps, { userId: opened.userId, evenSo: false, actor })
    : null
  return { opened, link, isReplay: before !== null }
}

/**
 * Returns whether a link for the owner opens nothing but what this token has created. With such a link a
 * client becomes that user: never a user from before, nor one who became an operator or a member of another
 * account since.
 */
async function mayInvite(tx: Tx, { accountId, userId, isNewUser }: Opened): Promise<boolean> {
  if (!isNewUser) return false
  const places = await tx
    .selectFrom('account_users as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.account_id', 'u.is_operator'])
    .where('m.user_id', '=', userId)
    .limit(2)
    .execute()
  const [place] = places
  return places.length === 1 && place?.account_id === accountId && place.is_operator === 0
}

/** Returns the account that was created with the same key. Refuses a key that was used with another body. */
async function readOpened(
  tx: Tx,
  { key, fingerprint }: { key: string; fingerprint: string },
): Promise<Opened | null> {
  const before = await tx
    .selectFrom('operator_requests')
    .selectAll()
    .where('request_key', '=', key)
    .executeTakeFirst()
  if (before === undefined) return null
  if (before.fingerprint !== fingerprint)
    throw refuse('idempotency_key_reused', {
      detail: `This key already created account ${before.account_id}.`,
    })
  const { account_id: accountId, user_id, is_new_user } = before
  const userId = user_id ?? (await readOwner(tx, accountId))
  return { accountId, userId, isNewUser: is_new_user === 1, liveKey: null, testKey: null }
}

/** Returns the owner of an account that was created before requests stored it. */
async function readOwner(tx: Tx, accountId: string): Promise<string> {
  const owner = await tx
    .selectFrom('account_users')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return owner.user_id
}
