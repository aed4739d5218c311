import { hourMs } from '../clock.ts'
import { placeholderEmail } from '../accounts/accounts.ts'
import { issueLink } from '../accounts/one-time-links.ts'
import type { Config } from '../config.ts'
import type { Ids } from '../ids.ts'
import type { Storage } from '../storage/database.ts'
import { linkAddress } from '../own-address.ts'
import { openAccount, type OpenedAccount } from '../open-account.ts'

export interface FirstAccount extends OpenedAccount {
  /** Lets the operator into the console. */
  setUpToken: string
}

/** On a database without an operator: makes the operator's user and account, beside whatever was created before. Null when there is one. */
export async function makeFirstAccount(
  storage: Pick<Storage, 'writer'>,
  deps: { ids: Ids; nowMs: number; randomBytes: (count: number) => Uint8Array; config: Config },
): Promise<FirstAccount | null> {
  return storage.writer.write(async (tx) => {
    const known = await tx
      .selectFrom('users')
      .select('id')
      .where('is_operator', '=', 1)
      .limit(1)
      .executeTakeFirst()
    if (known !== undefined) return null
    const actor = 'system'
    const opened = await openAccount(tx, deps, {
      name: 'Operator',
      email: placeholderEmail,
      isOperator: true,
      actor,
    })
    const { userId } = opened
    const lifeMs = deps.config.setUpLinkHours * hourMs
    const { token } = await issueLink(tx, deps, { purpose: 'set-up', userId, lifeMs, actor })
    return { ...opened, setUpToken: token }
  })
}

/** What is said once, on the first start. The curl line works as it stands: the test key's simulator delivers. */
export const welcome = (
  url: string,
  account: FirstAccount,
  config: Pick<Config, 'freeSms' | 'playSms' | 'setUpLinkHours'>,
): string => `
onesixty runs at ${url}

Open the console; the link works once, within ${config.setUpLinkHours} hours:

  ${linkAddress(url, account.setUpToken)}

Or work without it:

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
