import { setCountries } from '../../accounts/core/account-guard.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { cliActor } from '../core/command-context.ts'
import { accountOption } from '../core/common-options.ts'

export const countriesCommand = command({
  summary: 'Sets the countries that an account can send to.',
  details:
    'Sends to other countries are rejected (422, destination_not_allowed). Queued messages are still sent; scheduled messages are checked again at their time.',
  arguments: [],
  options: {
    account: accountOption,
    allow: {
      type: 'text',
      value: 'CODE',
      summary: 'ISO 3166 country code, for example DE. Can be repeated.',
      repeatable: true,
    },
    all: { type: 'flag', summary: 'All countries.' },
    none: { type: 'flag', summary: 'No countries: nothing can be sent.' },
  },
  async run(tools, { options }) {
    const { account: accountId, allow, all, none } = options
    if ([allow.length > 0, all, none].filter(Boolean).length !== 1)
      throw new UsageError('Give one of --allow, --all and --none.')
    const change = { accountId, countries: all ? null : allow, actor: cliActor }
    const countries = await tools.withStorage(({ writer }) =>
      writer.write((tx) => setCountries(tx, { ...tools, nowMs: tools.clock.now() }, change)),
    )
    const shown =
      countries === null ? 'all countries' : countries.length === 0 ? 'no country' : countries.join(', ')
    return { json: { account_id: accountId, countries }, text: `${accountId} can send to ${shown}.` }
  },
})
