import { listAccounts } from '../../../accounts/core/list-accounts.ts'
import { readGuideKnown } from '../../../dispatch/devices/guide-known.ts'
import {
  type GuideFacts,
  guideSteps,
  type GuideStep,
  noGuideFacts,
  stepToDo,
} from '../../../devices/phones/connect-guide.ts'
import { guideStepNames } from '../../../devices/phones/guide-words.ts'
import { readReachCheck } from '../../../devices/phones/reach-checks.ts'
import { wayOf } from '../../../devices/phones/reach-way.ts'
import { ownAddress } from '../../../process/own-address.ts'
import { ownCommand } from '../../../process/own-command.ts'
import type { CommandStorage } from '../../../storage/open/command-storage.ts'
import type { Output } from '../../core/command.ts'
import type { CommandContext } from '../../core/command-context.ts'
import { CommandError } from '../../core/command-errors.ts'
import { Terminal } from '../../core/terminal.ts'
import { guideActs } from './guide-acts.ts'
import { BackTyped, backWord, goBack } from './go-back.ts'
import { withdrawInvitation } from './internet-acts.ts'
import type { GuideSession } from './guide-session.ts'
import { GuideScreen } from './guide-screen.ts'
import { loadKind } from '../device-lookup.ts'

/** More accounts than a person reads: with more, the account is given as an option. */
const maxAccounts = 20

/** Connects a phone step by step at a terminal, up to the first SMS and its answer. */
export async function connectGuided(tools: CommandContext, kindName: string): Promise<Output> {
  const kind = await loadKind(kindName)
  const terminal = new Terminal(tools.io)
  const stop = (): void => terminal.interrupt()
  tools.io.on?.('SIGINT', stop)
  try {
    return await tools.withStorage(async (storage) => {
      terminal.print(
        `Connects a phone in ${guideStepNames.length} steps, up to the first SMS. ${backWord} returns to the step before; Ctrl-C ends it, and what is done stays.`,
      )
      const accountId = await chooseAccount(storage, terminal)
      const session: GuideSession = {
        tools,
        storage,
        terminal,
        screen: new GuideScreen(terminal, ownAddress(tools.config)),
        kind,
        owner: { accountId, mode: 'live' },
        isShared: false,
        facts: noGuideFacts,
        subject: { tokenId: null, deviceId: null, messageId: null },
        invitation: null,
        reachNonce: null,
        typed: { address: '', test: null },
        look: () => look(session),
      }
      try {
        return await run(session)
      } finally {
        if (await withdrawInvitation(session))
          terminal.print('No phone has used the private token: it is revoked.')
      }
    })
  } finally {
    tools.io.off?.('SIGINT', stop)
    terminal.close()
  }
}

async function run(session: GuideSession): Promise<Output> {
  for (;;) {
    const steps = await session.look()
    session.screen.show(steps)
    const step = stepToDo(steps)
    if (step === null) break
    try {
      await guideActs[step.name](session, step)
    } catch (error) {
      if (!(error instanceof BackTyped)) throw error
      goBack(session)
    }
  }
  const { phone } = session.facts
  const id = phone?.deviceId ?? ''
  return {
    json: { id },
    text: `\nThe phone sends for ${session.isShared ? 'all accounts' : `the account ${session.owner.accountId}`}. Check it with ${ownCommand()} device test ${id}.`,
  }
}

/** Reads what the server knows now, and returns the steps. */
async function look(session: GuideSession): Promise<GuideStep[]> {
  const { storage, tools, owner, subject, reachNonce } = session
  const reader = { read: storage.read, nowMs: tools.clock.now(), word: ownCommand() }
  const known = await readGuideKnown(reader, owner, subject)
  // A phone that registers with the private token is the device from then on.
  session.subject.deviceId ??= known.phone?.deviceId ?? null
  const by = reachNonce === null ? null : await readReachCheck(storage.read, reachNonce)
  const reached = by === null ? null : { from: by.from, way: wayOf(by.from) }
  session.facts = { ...session.facts, ...known, reached } satisfies GuideFacts
  return guideSteps(session.facts)
}

async function chooseAccount({ read }: CommandStorage, terminal: Terminal): Promise<string> {
  const { accounts, nextAfterId } = await listAccounts(read, { afterId: null, limit: maxAccounts })
  const open = accounts.filter(({ state }) => state === 'active')
  const [only] = open
  if (only === undefined)
    throw new CommandError(
      'not_found',
      `No active account. Create one with ${ownCommand()} account create --help`,
    )
  if (nextAfterId !== null)
    throw new CommandError('too_many', 'Too many accounts to choose from: give --account ACCOUNT.')
  if (open.length === 1) return only.id
  terminal.print('\nAccounts:')
  for (const [i, { id, name }] of open.entries()) terminal.print(`  ${i + 1}) ${name}  ${id}`)
  for (;;) {
    const typed = await terminal.ask('Account that the phone sends for [1]: ')
    const chosen = open[typed === '' ? 0 : Number(typed) - 1]
    if (chosen !== undefined) return chosen.id
    terminal.print(`Enter a number from 1 to ${open.length}.`)
  }
}
