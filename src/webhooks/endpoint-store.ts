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
import type { AddressGuard } from '../outgoing/address-guard.ts'
import { mintSigningSecret } from './signature.ts'

/** Webhook endpoints as stored: URL, event types and the secret that signs deliveries. */
export interface EndpointDeps extends AccountDeps {
  secretBox: SecretBox
  randomBytes: (count: number) => Uint8Array
}

/** Decides which URLs an endpoint can have. */
export interface PlaceDeps {
  guard: Pick<AddressGuard, 'permits'>
}

export interface NewEndpoint {
  accountId: string
  url: string
  /** Event types to send. Empty: all, including those of later versions. */
  types?: readonly string[]
  /** Null: events of both modes. */
  mode?: Mode | null
  actor: string
}

/**
 * Adds an endpoint and returns its signing secret, which is shown only once. The audit log records only the
 * origin of the URL: the rest can contain credentials, and would outlive the endpoint. Refuses invalid URLs,
 * URLs that webhooks are not allowed to reach, unknown event types, and endpoints beyond the limit of the
 * account.
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
  await refuseTooMany(tx, accountId, deps.maxEndpoints)
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
 * Changes only the given settings. Events that happened while the endpoint was disabled are not sent later;
 * deliveries that were already waiting are. Refuses an endpoint that does not exist, and what `addEndpoint`
 * would refuse.
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
  const newUrl = url === undefined ? before.url : new URL(url).href
  await changeRow(tx, deps, change, {
    // Failures at a former URL say nothing about the new one.
    ...(newUrl !== before.url && { url: newUrl, ...asNew }),
    ...(mode !== undefined && { mode }),
    ...(state === 'enabled' && { state, disabled_because: null, ...asNew }),
    ...(state === 'disabled' && { state, disabled_because: 'person' as const }),
  })
  if (types !== undefined) await writeTypes(tx, { accountId, endpointId }, types)
  const detail = { endpointId, url: url && new URL(url).origin, types, mode, state }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.changed', detail })
}

/** State of an endpoint without failures. */
const asNew = { failing_since: null, failing_because: null, resumes_at: null } as const

/** Ends the pause of a failing endpoint, because a user requested the next delivery. */
export const endPause = (
  tx: Tx,
  deps: Pick<AccountDeps, 'nowMs'>,
  named: Pick<NamedEndpoint, 'accountId' | 'endpointId'>,
): Promise<unknown> => changeRow(tx, deps, named, { resumes_at: null })

/**
 * Removes an endpoint and its secret permanently. The cleanup job drops its waiting deliveries. Refuses an
 * endpoint that does not exist.
 */
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

/** Returns the endpoint. Refuses when the account has none with this ID. */
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
  if (row === undefined) throw refuse('not_found', { detail: `Webhook endpoint ${endpointId} not found.` })
  return row
}

/** Updates columns of an endpoint. Callers have checked that it exists. */
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

async function refuseTooMany(tx: Tx, accountId: string, maxEndpoints: number): Promise<void> {
  const { count } = await tx
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('state', '<>', 'removed')
    .executeTakeFirstOrThrow()
  if (maxEndpoints === 0 || count < maxEndpoints) return
  const detail = `The account has ${count} of at most ${maxEndpoints} webhook endpoints. Remove one first.`
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

const maxUrlLength = 2_000

/**
 * Returns the faults of an endpoint URL. A host name is checked when a delivery connects, because it can
 * resolve differently tomorrow. What is internal by itself (an address, or a name that always means this
 * machine: RFC 6761 section 6.3) is refused immediately.
 */
function urlFaults(text: string, { guard }: PlaceDeps): Fault[] {
  const fault = (code: Fault['code'], detail: string): Fault[] => [{ pointer: '/url', code, detail }]
  const url = URL.parse(text)
  if (text.length > maxUrlLength)
    return fault('too_long', `The URL must have at most ${maxUrlLength} characters.`)
  if (url === null || !/^https?:$/.test(url.protocol))
    return fault(
      'invalid_format',
      'The URL must be an https or http URL such as https://shop.example.org/sms.',
    )
  if (url.username !== '' || url.password !== '')
    return fault(
      'invalid_format',
      'The URL must not contain a user name or password: deliveries are authenticated by their signature.',
    )
  if (url.hash !== '') return fault('invalid_format', 'The URL must not contain a fragment (#…).')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const address = /(^|\.)localhost\.?$/.test(host) ? '127.0.0.1' : host
  return isIP(address) === 0 || guard.permits(host, address) ? [] : fault('out_of_range', refusedHost(host))
}

const refusedHost = (host: string): string =>
  `${host} is not a public address. The operator can allow it: ONESIXTY_WEBHOOK_ALLOW=${host}.`

const typeFaults = (types: readonly string[]): Fault[] =>
  types
    .filter((type) => !(eventTypes as readonly string[]).includes(type))
    .map((type) => {
      const nearest = nearestName(type, eventTypes)
      return {
        pointer: '/types',
        code: 'not_in_enum',
        detail: `Unknown event type ${JSON.stringify(type.slice(0, 60))}.`,
        ...(nearest !== null && { suggestion: nearest }),
      }
    })
