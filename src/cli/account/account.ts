import { type ListedAccount, listAccounts } from '../../accounts/core/list-accounts.ts'
import { rfc3339, rfc3339OrNull } from '../../runtime/clock.ts'
import { issuePasswordLink } from '../../accounts/people/password-link.ts'
import { grantSms } from '../../ledger/grants.ts'
import { availableOf, readWallets, type Wallet, walletKey } from '../../ledger/ledger.ts'
import type { AccountState, Mode } from '../../storage/tables/schema.ts'
import { eraseAccountCommand } from './account-erase.ts'
import { keywordsCommands } from './account-keywords.ts'
import { limitCommand } from './account-limit.ts'
import { countriesCommand } from './account-countries.ts'
import { ownDevicesCommand } from './account-own-devices.ts'
import { planCommand } from './account-plan.ts'
import { quietHoursCommand } from './account-quiet-hours.ts'
import { command, type CommandGroup, type Output } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import { changeStatePage } from '../../messages/account-state/change-account-state.ts'
import { openAccount } from '../../app/open-account.ts'
import { ownAddress } from '../../process/own-address.ts'
import { cliActor, type CommandContext } from '../core/command-context.ts'
import { accountOption, modeOption } from '../core/common-options.ts'

const create = command({
  summary:
    'Creates an account with its owner, both wallets, and a live and a test key. The keys are shown only once.',
  arguments: [],
  options: {
    name: { type: 'text', value: 'NAME', summary: 'Name of the account.', required: true },
    email: {
      type: 'text',
      value: 'EMAIL',
      summary: 'E-mail address of the owner. An address that a user has already is rejected without --user.',
      required: true,
    },
    user: {
      type: 'text',
      value: 'USER',
      summary: 'ID of the user who has that address: usr_… Verify the identity of the user first.',
    },
  },
  async run(tools, { options }) {
    const { opened, link } = await tools.withStorage(
      (storage) =>
        storage.writer.write(async (tx) => {
          const deps = { ...tools, nowMs: tools.clock.now() }
          const { name, email, user: userId } = options
          const wanted = { name, email, actor: cliActor, ...(userId !== undefined && { userId }) }
          const made = await openAccount(tx, deps, wanted)
          return {
            opened: made,
            link: await issuePasswordLink(
              tx,
              { ...deps, publicUrl: ownAddress(tools.config) },
              { userId: made.userId, evenSo: false, actor: cliActor },
            ),
          }
        }),
      { create: true },
    )
    const { accountId, userId, liveKey, testKey } = opened
    const signIn =
      link === null
        ? 'The owner already has a password for the console and finds the account there.'
        : `console  ${link.address}\nWith this link the owner chooses a password for the console. It works once, until ${rfc3339(link.expiresAt)}.`
    return {
      json: {
        account_id: accountId,
        user_id: userId,
        live_key: liveKey,
        test_key: testKey,
        setup_link: link?.address ?? null,
        setup_link_expires_at: rfc3339OrNull(link?.expiresAt),
      },
      text: `account  ${accountId}\nlive key ${liveKey}\ntest key ${testKey}\nSave these keys. They are shown only once, because only their hashes are stored.\n${signIn}`,
    }
  },
})

const grant = command({
  summary: 'Adds SMS to a balance, or removes SMS that are neither used nor reserved.',
  arguments: [],
  options: {
    account: accountOption,
    sms: {
      type: 'number',
      value: 'N',
      summary: 'Number of SMS. Negative only with --kind correction.',
      required: true,
    },
    note: { type: 'text', value: 'TEXT', summary: 'Reason, stored in the ledger.', required: true },
    kind: {
      type: 'text',
      value: 'KIND',
      summary: 'Kind of the ledger entry. Default: grant.',
      choices: ['grant', 'top_up', 'correction'],
    },
    mode: modeOption('Mode of the wallet. Default: live.'),
  },
  async run(tools, { options }) {
    const { account: accountId, sms, note, kind = 'grant', mode = 'live' } = options
    const done = await tools.withStorage((storage) =>
      storage.writer.write((tx) =>
        grantSms(
          tx,
          { ...tools, nowMs: tools.clock.now() },
          { accountId, mode, sms, note, kind, actor: cliActor },
        ),
      ),
    )
    return {
      json: {
        entry_id: done.entryId,
        account_id: accountId,
        mode,
        sms,
        granted: done.granted,
        available: done.available,
      },
      text: `${accountId} (${mode}): ${sms > 0 ? '+' : ''}${sms} SMS, ${done.available} available of ${done.granted} granted.`,
    }
  },
})

const list = command({
  summary: 'Lists accounts with their balances, oldest first.',
  arguments: [],
  options: {
    limit: { type: 'number', value: 'N', summary: 'Maximum number of accounts, up to 1000. Default: 100.' },
    after: {
      type: 'text',
      value: 'ACCOUNT',
      summary: 'Continue after this account: next_after of the previous page.',
    },
  },
  async run(tools, { options }) {
    const limit = options.limit ?? 100
    if (limit < 1 || limit > 1_000) throw new UsageError('--limit must be from 1 to 1000.')
    return tools.withStorage(async ({ read }) => {
      const { accounts, nextAfterId } = await listAccounts(read, {
        afterId: options.after ?? null,
        limit,
      })
      const modes: readonly Mode[] = ['live', 'test']
      const wallets = await readWallets(
        read,
        accounts.flatMap(({ id }) => modes.map((mode) => ({ accountId: id, mode }))),
      )
      return listed(accounts, wallets, nextAfterId)
    })
  },
})

function listed(
  accounts: readonly ListedAccount[],
  wallets: ReadonlyMap<string, Wallet>,
  nextAfterId: string | null,
): Output {
  const balanceOf = (accountId: string, mode: Mode): object | null => {
    const wallet = wallets.get(walletKey({ accountId, mode }))
    if (wallet === undefined) return null
    const { granted, reserved, used } = wallet
    return { available: availableOf(wallet), granted, reserved, used }
  }
  const availableIn = (accountId: string): string => {
    const wallet = wallets.get(walletKey({ accountId, mode: 'live' }))
    return wallet === undefined ? '-' : String(availableOf(wallet))
  }
  const lines = accounts.map(
    (row) =>
      `${row.id}  ${row.state.padEnd(9)}  ${availableIn(row.id).padStart(8)} SMS  ${row.name}  <${row.emails.join(', ')}>`,
  )
  if (nextAfterId !== null) lines.push(`More accounts: --after ${nextAfterId}`)
  return {
    json: {
      accounts: accounts.map((row) => ({
        id: row.id,
        name: row.name,
        state: row.state,
        emails: row.emails,
        balance: { live: balanceOf(row.id, 'live'), test: balanceOf(row.id, 'test') },
        limits: {
          send_per_minute: row.sendPerMinute,
          read_per_minute: row.readPerMinute,
          queue: row.queueLimit,
        },
        own_devices: row.ownDevices,
        plan: row.plan,
        created_at: rfc3339(row.createdAt),
      })),
      next_after: nextAfterId,
    },
    text: lines.length === 0 ? 'No accounts.' : lines.join('\n'),
  }
}

const stateCommand = (state: AccountState, summary: string, details: string) =>
  command({
    summary,
    details,
    arguments: [],
    options: { account: accountOption },
    run: (tools, { options }) => changeState(tools, options.account, state),
  })

async function changeState(tools: CommandContext, accountId: string, state: AccountState): Promise<Output> {
  const result = await tools.withStorage(async ({ writer }) => {
    const change = () =>
      writer.write(async (tx) => {
        const unit = await takeChange(tx, tools.clock.now())
        return changeStatePage(tx, { ids: tools.ids, unit }, { accountId, state, actor: cliActor })
      })
    const first = await change()
    let { canceled } = first
    for (let page = first; page.canceled > 0; canceled += page.canceled) page = await change()
    return { changed: first.changed, canceled }
  })
  const counted = state === 'closed' ? ` ${result.canceled} scheduled or queued messages were canceled.` : ''
  return {
    json: { account_id: accountId, state, changed: result.changed, canceled_messages: result.canceled },
    text: `${accountId} is ${result.changed ? 'now' : 'already'} ${state}.${counted}`,
  }
}

export const accountCommands: CommandGroup = {
  summary: 'Accounts: users, balance and limits of a sender.',
  commands: {
    create,
    grant,
    limit: limitCommand,
    countries: countriesCommand,
    'own-devices': ownDevicesCommand,
    plan: planCommand,
    'quiet-hours': quietHoursCommand,
    keywords: keywordsCommands,
    list,
    suspend: stateCommand(
      'suspended',
      'Suspends an account.',
      'Sends are rejected (403), reads work, and queued messages stay queued until the account is reactivated.',
    ),
    reactivate: stateCommand(
      'active',
      'Reactivates a suspended account.',
      'Queued messages are sent, unless their validity period has ended.',
    ),
    close: stateCommand(
      'closed',
      'Closes an account permanently.',
      'Its keys are rejected (401), scheduled and queued messages are canceled and their SMS released, and messages on shared phones are recalled. This cannot be undone.',
    ),
    erase: eraseAccountCommand,
  },
}
