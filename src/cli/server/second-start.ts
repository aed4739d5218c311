import { hasPassword } from '../../accounts/people/passwords.ts'
import { guidesPath } from '../../process/guides.ts'
import { ownCommand } from '../../process/own-command.ts'
import type { Db } from '../../storage/seam/dialect.ts'

/** The operator who set an instance up. */
export interface SettledOperator {
  email: string
  /** False while the link of the first start was not used. */
  hasPassword: boolean
}

/** An instance has a handful of operators; one with a password is among the first. */
const maxRead = 20

/** Returns the first operator with a password, else the first operator; null on a database without one, which another server of it sets up. */
export async function findOperator(read: Db): Promise<SettledOperator | null> {
  const operators = await read
    .selectFrom('users')
    .select(['id', 'email'])
    .where('is_operator', '=', 1)
    .orderBy('id')
    .limit(maxRead)
    .execute()
  for (const { id, email } of operators) if (await hasPassword(read, id)) return { email, hasPassword: true }
  const [first] = operators
  return first === undefined ? null : { email: first.email, hasPassword: false }
}

/** The text of every later start on a terminal, for an operator who no longer has the first screen. */
export const welcomeBack = (url: string, operator: SettledOperator | null): string => {
  const email = operator?.email ?? 'YOUR-ADDRESS'
  const who =
    operator?.hasPassword === true ? `You set it up as ${email}.` : 'No password has been chosen yet.'
  return `
Console: ${url}
${who}
New link to choose a password: ${ownCommand()} user reset-link --email ${email}
Guides: ${url}${guidesPath}

`
}
