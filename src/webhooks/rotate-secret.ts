import type { AccountDeps } from '../accounts/core/accounts.ts'
import { rfc3339 } from '../runtime/clock.ts'
import { invalidInput } from '../runtime/invalid-input.ts'
import { appendAudit } from '../storage/seam/audit-log.ts'
import type { Tx } from '../storage/seam/dialect.ts'
import { changeRow, type EndpointDeps, type NamedEndpoint, requireEndpoint } from './endpoint-store.ts'
import { formerSecretsOf } from './former-secrets.ts'
import { mintSigningSecret } from './signature.ts'
import { writeJson } from '../storage/tables/json-columns.ts'

/** Maximum former secrets that sign along with the current one: each adds a signature to every delivery. */
const maxFormerSecrets = 5

/**
 * Sets a new secret and returns it; it is shown only once. The previous secret signs along with it until
 * `previousUntil`, those of earlier rotations until they expire. A secret that was sealed under an abandoned
 * secret of the instance signs nothing. Refuses an endpoint that does not exist, and a rotation while five
 * former secrets are active.
 */
export async function rotateSecret(
  tx: Tx,
  deps: EndpointDeps,
  { actor, previousUntil, ...named }: NamedEndpoint & { previousUntil: number },
): Promise<{ secret: string }> {
  const { accountId, endpointId } = named
  const before = await requireEndpoint(tx, named)
  const secret = mintSigningSecret(deps.randomBytes)
  const [previous, ...older] = [
    { secret: before.secret, until: previousUntil },
    ...formerSecretsOf(before),
  ].filter((former) => former.until > deps.nowMs && deps.secretBox.canOpen(former.secret))
  if (older.length >= maxFormerSecrets) throw tooManyFormer(Math.min(...older.map(({ until }) => until)))
  await changeRow(tx, deps, named, {
    secret: deps.secretBox.seal(secret, endpointId),
    previous_secret: previous?.secret ?? null,
    previous_until: previous?.until ?? null,
    older_secrets: older.length === 0 ? null : writeJson(older),
  })
  const detail = { endpointId, previousUntil }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.rotated', detail })
  return { secret }
}

/**
 * Ends the former secrets of an endpoint immediately, for example after a leak. Returns how many were active.
 * Deliveries in flight still carry their signatures. Refuses an endpoint that does not exist.
 */
export async function endFormerSecrets(
  tx: Tx,
  deps: AccountDeps,
  { actor, ...named }: NamedEndpoint,
): Promise<{ ended: number }> {
  const { accountId, endpointId } = named
  const former = formerSecretsOf(await requireEndpoint(tx, named))
  const ended = former.filter(({ until }) => until > deps.nowMs).length
  if (ended === 0) return { ended }
  await changeRow(tx, deps, named, { previous_secret: null, previous_until: null, older_secrets: null })
  const detail = { endpointId, ended }
  await appendAudit(tx, deps, { accountId, actor, action: 'webhook.former_secrets_ended', detail })
  return { ended }
}

const tooManyFormer = (endsAt: number) =>
  invalidInput([
    {
      code: 'too_many_items',
      detail: `${maxFormerSecrets} former secrets are still active. Rotate again when the first expires (${rfc3339(endsAt)}), end them now, or add another endpoint.`,
    },
  ])
