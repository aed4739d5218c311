import { setCountries } from '../../accounts/core/account-guard.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor } from '../core/command-context.ts'

export const countriesCommand = command({
  summary: 'Sets the countries that an account may write to.',
  details:
    'Sends to others are refused (422, destination_not_allowed). What waits for a device already goes; what waits for a time is judged again then.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', says: 'Whose they are: acc_…', required: true },
    allow: {
      type: 'text',
      value: 'CODE',
      says: 'A country by ISO 3166, such as DE; as often as there are.',
      repeatable: true,
    },
    all: { type: 'flag', says: 'Every country.' },
    none: { type: 'flag', says: 'No country: nothing can be sent.' },
  },
  async run(tools, { options }) {
    const { account: accountId, allow, all, none } = options
    if ([allow.length > 0, all, none].filter(Boolean).length !== 1)
      throw new UsageError('Name --allow, --all or --none.')
    const change = { accountId, countries: all ? null : allow, actor: cliActor }
    const countries = await tools.withStorage(({ writer }) =>
      writer.write((tx) => setCountries(tx, { ...tools, nowMs: tools.clock.now() }, change)),
    )
    const said =
      countries === null ? 'every country' : countries.length === 0 ? 'no country' : countries.join(', ')
    return { json: { account_id: accountId, countries }, text: `${accountId} may write to ${said}.` }
  },
})
