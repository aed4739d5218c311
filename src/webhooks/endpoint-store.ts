import { isIP } from 'node:net'
import { type AccountDeps, readAccount } from '../accounts/core/accounts.ts'
import type { SecretBox } from '../runtime/secret-box.ts'
import { type Fault, refuse } from '../runtime/errors.ts'
import { invalidInput } from '../runtime/invalid-input.ts'
import { eventTypes } from '../messages/core/event-types.ts'
import { nearestName } from '../runtime/nearest-name.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import type { Mode } from '../storage/tables/schema.ts'
import { deleteRows, insertRows } from '../storage/seam/sets.ts'
import type { WebhookEndpointTable } from '../storage/tables/webhook-tables.ts'
import type { AddressGuard } from './address-guard.ts'
import { mintSigningSecret } from './signature.ts'

/** The endpoints on paper: where an account is told what happens, what it chose to be told, and the secret that signs it. */
export interface EndpointDeps extends AccountDeps {
  secretBox: SecretBox
  randomBytes: (count: number) => Uint8Array
}

/** What says where an endpoint may be. */
export interface PlaceDeps {
  guard: Pick<AddressGuard, 'permits'>
}

export interface NewEndpoint {
  accountId: string
  url: string
  /** Events that it is told of; all, those of later versions too, when empty. */
  types?: readonly string[]
  /** Null: events of both modes. */
  mode?: Mode | null
  actor: string
}

/**
 * Adds an endpoint and gives its secret, which is shown this once. The audit log is told the origin of its address alone: the rest may hold what
 * lets somebody in, and would outlive the endpoint. Refuses addresses that are none or where webhooks may not go, unknown events, and one endpoint too many.
 */
export async function addEndpoint(
  tx: Tx,
  deps: EndpointDeps & PlaceDeps & { maxEndpoints: number },
  endpoint: NewEndpoint,
): Promise<{ endpointId: string; secret: string }> {
  const { accountId, actor, types = [], mode = null } = endpoint
  const faults = [...urlFaults(endpoint.url, deps), ...typeFaults(types)]
  if (faults.length > 0) throw invalidInput(faults)
  const account = await readAccount(tx, accountId)
  if (account.state === 'closed')
    throw invalidInput([{ code: 'out_of_range', detail: `Account ${accountId} is closed.` }])
  await refuseOneTooMany(tx, accountId, deps.maxEndpoints)
  const endpointId = deps.ids('whk')
  const secret = mintSigningSecret(deps.randomBytes)
  const { href: url, origin } = new URL(endpoint.url)
  await insertRows(tx, 'webhook_endpoints', [
    {
      account_id: accountId,
      id: endpointId,
      url,
      mode,
      state: 'enabled',
      secret: deps.secretBox.seal(secret, endpointId),
      created_at: deps.nowMs,
      updated_at: deps.nowMs,
    },
  ])
  await writeTypes(tx, { accountId, endpointId }, types)
  const detail = { endpointId, url: origin, types, mode }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.added', detail })
  return { endpointId, secret }
}

export interface NamedEndpoint {
  accountId: string
  endpointId: string
  actor: string
}

export interface EndpointChange extends NamedEndpoint {
  url?: string
  types?: readonly string[]
  mode?: Mode | null
  state?: 'enabled' | 'disabled'
}

/**
 * Changes what is named and nothing else. What an endpoint was not told while it was disabled is not told afterwards; what waited
 * for it is. Refuses an endpoint that does not exist, and what `addEndpoint` would refuse.
 */
export async function setEndpoint(
  tx: Tx,
  deps: AccountDeps & PlaceDeps,
  change: EndpointChange,
): Promise<void> {
  const { accountId, endpointId, actor, url, types, mode, state } = change
  const faults = [...(url === undefined ? [] : urlFaults(url, deps)), ...typeFaults(types ?? [])]
  if (faults.length > 0) throw invalidInput(faults)
  const before = await requireEndpoint(tx, change)
  const movesTo = url === undefined ? before.url : new URL(url).href
  await changeRow(tx, deps, change, {
    // What failed at another address says nothing of this one.
    ...(movesTo !== before.url && { url: movesTo, ...asNew }),
    ...(mode !== undefined && { mode }),
    ...(state === 'enabled' && { state, disabled_because: null, ...asNew }),
    ...(state === 'disabled' && { state, disabled_because: 'person' as const }),
  })
  if (types !== undefined) await writeTypes(tx, { accountId, endpointId }, types)
  const detail = { endpointId, url: url && new URL(url).origin, types, mode, state }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.changed', detail })
}

/** Of one that has not failed. */
const asNew = { failing_since: null, failing_because: null, resumes_at: null } as const

/** Ends the pause of an endpoint that fails: somebody asked for what is told it next. */
export const endPause = (
  tx: Tx,
  deps: Pick<AccountDeps, 'nowMs'>,
  named: Pick<NamedEndpoint, 'accountId' | 'endpointId'>,
): Promise<unknown> => changeRow(tx, deps, named, { resumes_at: null })

/** Removes an endpoint for ever, and its secret with it; what was still to be told it is dropped by and by. Refuses one that does not exist. */
export async function removeEndpoint(tx: Tx, deps: AccountDeps, named: NamedEndpoint): Promise<void> {
  const { accountId, endpointId, actor } = named
  await requireEndpoint(tx, named)
  await changeRow(tx, deps, named, {
    state: 'removed',
    disabled_because: null,
    url: '',
    secret: '',
    previous_secret: null,
    previous_until: null,
    ...asNew,
    older_secrets: null,
  })
  await writeTypes(tx, { accountId, endpointId }, [])
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.removed', detail: { endpointId } })
}

const requiredColumns = [
  'url',
  'secret',
  'mode',
  'state',
  'previous_secret',
  'previous_until',
  'older_secrets',
] as const

/** The endpoint, or a refusal when there is none of this id in the account. */
export async function requireEndpoint(
  tx: Tx,
  { accountId, endpointId }: { accountId: string; endpointId: string },
): Promise<Pick<WebhookEndpointTable, (typeof requiredColumns)[number]>> {
  const row = await tx
    .selectFrom('webhook_endpoints')
    .select(requiredColumns)
    .where('account_id', '=', accountId)
    .where('id', '=', endpointId)
    .where('state', '<>', 'removed')
    .executeTakeFirst()
  if (row === undefined) throw refuse('not_found', { detail: `There is no webhook endpoint ${endpointId}.` })
  return row
}

/** Changes columns of an endpoint; its callers have refused one that does not exist. */
export const changeRow = (
  tx: Tx,
  { nowMs }: Pick<AccountDeps, 'nowMs'>,
  { accountId, endpointId }: Pick<NamedEndpoint, 'accountId' | 'endpointId'>,
  change: Partial<WebhookEndpointTable>,
): Promise<unknown> =>
  tx
    .updateTable('webhook_endpoints')
    .set({ ...change, updated_at: nowMs })
    .where('account_id', '=', accountId)
    .where('id', '=', endpointId)
    .execute()

async function refuseOneTooMany(tx: Tx, accountId: string, maxEndpoints: number): Promise<void> {
  const { count } = await tx
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('state', '<>', 'removed')
    .executeTakeFirstOrThrow()
  if (maxEndpoints === 0 || count < maxEndpoints) return
  const detail = `The account has ${count} webhook endpoints, and may have ${maxEndpoints}; remove one first.`
  throw invalidInput([{ code: 'too_many_items', detail }])
}

async function writeTypes(
  tx: Tx,
  { accountId, endpointId }: { accountId: string; endpointId: string },
  types: readonly string[],
): Promise<void> {
  const ofEndpoint = { account_id: accountId, endpoint_id: endpointId }
  const present = await tx
    .selectFrom('webhook_endpoint_types')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .execute()
  await deleteRows(tx, 'webhook_endpoint_types', ['account_id', 'endpoint_id', 'type'], present)
  const rows = [...new Set(types)].map((type) => ({ ...ofEndpoint, type }))
  await insertRows(tx, 'webhook_endpoint_types', rows)
}

const longestUrl = 2_000

/**
 * What is wrong with the address of an endpoint. Where a name leads is asked when it is connected to, for it may lead elsewhere tomorrow; what says by
 * itself that it is inside (an address, or a name that always means this machine: RFC 6761 section 6.3) is refused at once.
 */
function urlFaults(text: string, { guard }: PlaceDeps): Fault[] {
  const fault = (code: Fault['code'], detail: string): Fault[] => [{ pointer: '/url', code, detail }]
  const url = URL.parse(text)
  if (text.length > longestUrl)
    return fault('too_long', `The address must have at most ${longestUrl} characters.`)
  if (url === null || !/^https?:$/.test(url.protocol))
    return fault(
      'invalid_format',
      'The address must be an https or http address such as https://shop.example.org/sms.',
    )
  if (url.username !== '' || url.password !== '')
    return fault(
      'invalid_format',
      'The address must not hold a name or password: the signature tells who calls.',
    )
  if (url.hash !== '') return fault('invalid_format', 'The address must not hold a fragment (#…).')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const address = /(^|\.)localhost\.?$/.test(host) ? '127.0.0.1' : host
  return isIP(address) === 0 || guard.permits(host, address) ? [] : fault('out_of_range', refusedPlace(host))
}

const refusedPlace = (host: string): string =>
  `Webhooks go to public addresses only, and ${host} is none. The operator can allow it: ONESIXTY_WEBHOOK_ALLOW=${host}.`

const typeFaults = (types: readonly string[]): Fault[] =>
  types
    .filter((type) => !(eventTypes as readonly string[]).includes(type))
    .map((type) => {
      const nearest = nearestName(type, eventTypes)
      return {
        pointer: '/types',
        code: 'not_in_enum',
        detail: `There is no event ${JSON.stringify(type.slice(0, 60))}.`,
        ...(nearest !== null && { suggestion: nearest }),
      }
    })
