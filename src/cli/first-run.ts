import type { Config } from '../config.ts'
import type { Ids } from '../ids.ts'
import type { Storage } from '../storage/database.ts'
import { openAccount, type OpenedAccount } from '../open-account.ts'

/** On a database without an operator: makes the operator's user and account, beside whatever was created before. Null when there is one. */
export async function makeFirstAccount(
  storage: Pick<Storage, 'writer'>,
  deps: { ids: Ids; nowMs: number; randomBytes: (count: number) => Uint8Array; config: Config },
): Promise<OpenedAccount | null> {
  return storage.writer.write(async (tx) => {
    const known = await tx
      .selectFrom('users')
      .select('id')
      .where('is_operator', '=', 1)
      .limit(1)
      .executeTakeFirst()
    if (known !== undefined) return null
    return openAccount(tx, deps, {
      name: 'Operator',
      email: 'operator@localhost',
      isOperator: true,
      actor: 'system',
    })
  })
}

/** What is said once, on the first start. The curl line works as it stands: the test key's simulator delivers. */
export const welcome = (
  url: string,
  account: OpenedAccount,
  config: Pick<Config, 'freeSms' | 'playSms'>,
): string => `
onesixty runs at ${url}

  account    ${account.accountId}
  live key   ${account.liveKey}   (${config.freeSms} SMS)
  test key   ${account.testKey}   (${config.playSms} play SMS a day; the simulator delivers)

Keep the keys: they are shown this once. Send your first SMS:

  curl ${url}/api/v1/send -H 'Authorization: Bearer ${account.testKey}' -H 'Content-Type: application/json' -d '{"to": "+15005550006", "text": "Hello from onesixty"}'

and see what became of it:

  curl ${url}/api/v1/history -H 'Authorization: Bearer ${account.testKey}'

To send from a phone with its SIM (docs/connectors/android.md):

  npx onesixty device connect android --account ${account.accountId}

The reference stands at ${url}/docs

`
