import { hourMs } from '../../runtime/clock.ts'
import { placeholderEmail } from '../../accounts/core/accounts.ts'
import { issueLink } from '../../accounts/people/one-time-links.ts'
import type { Config } from '../../config.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Storage } from '../../storage/seam/storage.ts'
import { linkAddress } from '../../process/own-address.ts'
import { openAccount, type OpenedAccount } from '../../app/open-account.ts'
import { guidePath, guidesPath } from '../../process/guides.ts'
import { ownCommand } from '../../process/own-command.ts'

export interface FirstAccount extends OpenedAccount {
  /** Signs the operator in to the console the first time. */
  setUpToken: string
}

/**
 * On a database without an operator: creates the operator's user and account, and keeps what was created before.
 * Returns null when there is an operator.
 */
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
      isFirst: true,
      actor,
    })
    const { userId } = opened
    const lifeMs = deps.config.setUpLinkHours * hourMs
    const { token } = await issueLink(tx, deps, { purpose: 'set-up', userId, lifeMs, actor })
    return { ...opened, setUpToken: token }
  })
}

/** The text of the first start. The curl line works unchanged: the simulator delivers what the test key sends. */
export const welcome = (
  url: string,
  account: FirstAccount,
  config: Pick<Config, 'freeSms' | 'playSms' | 'setUpLinkHours'>,
): string => `
onesixty is running at ${url}

Open the console. The link works once, within ${config.setUpLinkHours} hours:

  ${linkAddress(url, account.setUpToken)}

Or use the API:

  account    ${account.accountId}
  live key   ${account.liveKey}   (${config.freeSms} SMS)
  test key   ${account.testKey}   (${config.playSms.toLocaleString('en')} test credits a day; messages go to the simulator)

Save these keys. They are shown only once. Send your first SMS:

  curl ${url}/api/v1/send -H 'Authorization: Bearer ${account.testKey}' -H 'Content-Type: application/json' -d '{"to": "+15005550006", "text": "Hello from onesixty"}'

and read its status:

  curl ${url}/api/v1/history -H 'Authorization: Bearer ${account.testKey}'

To send from a phone with its SIM (${url}${guidePath('phones')}):

  ${ownCommand()} device connect

Guides: ${url}${guidesPath}
API reference: ${url}/docs

`
