import type { Config } from '../../config.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { remediesOf } from '../../connectors/device-remedies.ts'
import { phoneKinds } from '../../connectors/registry.ts'
import { addressTroubles, phoneAddress } from '../../devices/phones/phone-address.ts'

/** Always passes: a phone may reach the server by a route that the settings do not show. */
interface PhoneCheckResult {
  name: string
  ok: true
  summary: string
  remedy: string | null
}

/** Reports the address that phones use, and whether registered phones can be woken. Empty without phones and tokens. */
export async function examinePhones(
  db: Db,
  config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'tlsCert'>,
): Promise<PhoneCheckResult[]> {
  const tokens = await db
    .selectFrom('phone_tokens')
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  const phones = await db
    .selectFrom('phones as p')
    .innerJoin('devices as d', 'd.id', 'p.device_id')
    .select(['p.uses_push'])
    .where('p.superseded_at', 'is', null)
    .where('d.state', '!=', 'retired')
    .execute()
  if (tokens.live === 0 && phones.length === 0) return []
  const address = phoneAddress(config)
  const onPush = phones.filter((phone) => phone.uses_push === 1).length
  return [
    {
      name: 'phone_address',
      ok: true,
      summary: `API URL for phones: ${address}`,
      remedy: addressTroubles(address).join(' ') || null,
    },
    {
      name: 'phones',
      ok: true,
      summary: `${phones.length} registered, ${onPush} of them on Google push; ${tokens.live} valid private tokens.`,
      remedy: onPush === 0 ? null : phoneKinds.flatMap((kind) => remediesOf(kind, ['push_only'])).join(' '),
    },
  ]
}
