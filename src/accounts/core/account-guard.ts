import type { Selectable } from 'kysely'
import { invalidInput } from '../../runtime/invalid-input.ts'
import { isCountry } from '../../numbers/numbering-plan.ts'
import { appendAudit } from '../../storage/seam/audit-log.ts'
import type { AccountTable } from '../../storage/tables/account-tables.ts'
import type { Tx } from '../../storage/seam/dialect.ts'
import { touchDirectory } from '../../storage/seam/directory-version.ts'
import { type AccountDeps, readAccount } from './accounts.ts'

/** Countries and limits of an account. A null limit is that of the instance, 0 is no limit. */
export interface AccountGuard {
  /** ISO 3166 alpha-2; null = all. */
  countries: ReadonlySet<string> | null
  numberPerHour: number | null
  prefixPerHour: number | null
  pumpingNumbers: number | null
}

export const guardColumns = [
  'countries',
  'number_per_hour',
  'prefix_per_hour',
  'pumping_numbers',
  'own_devices',
] as const satisfies readonly (keyof AccountTable)[]

export const guardOf = (
  row: Pick<Selectable<AccountTable>, (typeof guardColumns)[number]>,
): AccountGuard => ({
  countries: row.countries === null ? null : new Set(readCountries(row.countries)),
  numberPerHour: row.number_per_hour,
  prefixPerHour: row.prefix_per_hour,
  pumpingNumbers: row.pumping_numbers,
})

/** Returns the codes of a stored list; null = all. */
export const readCountries = (stored: string | null): string[] | null =>
  stored === null ? null : stored.split(',').filter((code) => code !== '')

/** Returns countries in the stored form: sorted, without duplicates. */
const storedCountries = (countries: readonly string[] | null): string | null =>
  countries === null ? null : [...new Set(countries)].toSorted((a, b) => (a < b ? -1 : 1)).join()

/**
 * Sets the countries to which an account can send; null = all. Rejects codes that no numbering plan knows.
 * Returns the new countries.
 */
export async function setCountries(
  tx: Tx,
  deps: AccountDeps,
  { accountId, countries, actor }: { accountId: string; countries: readonly string[] | null; actor: string },
): Promise<string[] | null> {
  const unknown = (countries ?? []).filter((code) => !isCountry(code))
  if (unknown.length > 0)
    throw invalidInput([
      {
        pointer: '/countries',
        code: 'not_in_enum',
        detail: `Unknown countries: ${unknown.slice(0, 5).join(', ')}. Use ISO 3166 codes such as DE.`,
      },
    ])
  await readAccount(tx, accountId)
  const stored = storedCountries(countries)
  await tx
    .updateTable('accounts')
    .set({ countries: stored, updated_at: deps.nowMs })
    .where('id', '=', accountId)
    .execute()
  const now = readCountries(stored)
  await appendAudit(tx, deps, {
    accountId,
    actor,
    action: 'account.countries',
    detail: { countries: now ?? 'all' },
  })
  await touchDirectory(tx)
  return now
}
