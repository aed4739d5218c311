import { readJson } from '../../storage/tables/json-columns.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { remediesOf } from '../../connectors/device-remedies.ts'
import { phoneKinds } from '../../connectors/registry.ts'
import type { CheckResult } from '../core/check-result.ts'
import type { CommandContext } from '../core/command-context.ts'
import { isVisited } from '../../devices/phones/visited-phones.ts'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
import { readLastReached } from '../../devices/phones/reach-checks.ts'
import { checkPhoneAddress } from '../core/phone-address-check.ts'

/**
 * Tries the address that phones use, and reports whether registered phones can be woken. Empty without tokens and
 * phones; those that onesixty visits use no address.
 */
export async function examinePhones(
  db: Db,
  tools: Pick<CommandContext, 'config' | 'clock' | 'randomBytes'>,
): Promise<CheckResult[]> {
  const tokens = await db
    .selectFrom('phone_tokens')
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  const registered = await db
    .selectFrom('phones as p')
    .innerJoin('devices as d', 'd.id', 'p.device_id')
    .leftJoin('device_reports as r', 'r.device_id', 'd.id')
    .select(['p.uses_push', 'r.body', 'd.settings'])
    .where('p.superseded_at', 'is', null)
    .where('d.state', '!=', 'retired')
    .execute()
  const phones = registered.filter(({ settings }) => !isVisited(readJson(settings)))
  if (tokens.live === 0 && phones.length === 0) return []
  const contacts = phones.flatMap(({ body }) => (body === null ? [] : (readJson(body).contact ?? [])))
  const onPush = phones.filter((phone) => phone.uses_push === 1).length
  return [
    await checkPhoneAddress(tools, {
      contacts,
      reached: await readLastReached(db, phoneAddress(tools.config)),
    }),
    {
      name: 'phones',
      ok: true,
      summary: `${phones.length} registered, ${onPush} of them on Google push; ${tokens.live} valid private tokens.`,
      remedy: onPush === 0 ? null : phoneKinds.flatMap((kind) => remediesOf(kind, ['push_only'])).join(' '),
    },
  ]
}
