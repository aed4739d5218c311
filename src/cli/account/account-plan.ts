import { setAccountPlan } from '../../accounts/core/account-plan.ts'
import { command } from '../core/command.ts'
import { cliActor } from '../core/command-context.ts'
import { UsageError } from '../core/command-errors.ts'
import { accountOption } from '../core/common-options.ts'

export const planCommand = command({
  summary: 'Sets the plan of an account: a word by which rules of routes match its messages.',
  details:
    'It has no other effect: limits, prices and SIM plans are set apart from it. Messages that wait keep their way until the rules are applied to them.',
  arguments: [],
  options: {
    account: accountOption,
    plan: { type: 'text', value: 'PLAN', summary: 'The word, such as pro.' },
    'no-plan': { type: 'flag', summary: 'The account has no plan.' },
  },
  async run(tools, { options }) {
    const { account: accountId, plan = null, 'no-plan': isNone } = options
    if (isNone === (plan !== null)) throw new UsageError('Give one of --plan and --no-plan.')
    await tools.withStorage(({ writer }) =>
      writer.write((tx) =>
        setAccountPlan(tx, { ...tools, nowMs: tools.clock.now() }, { accountId, plan, actor: cliActor }),
      ),
    )
    return {
      json: { account_id: accountId, plan },
      text: plan === null ? `${accountId} has no plan.` : `The plan of ${accountId} is ${plan}.`,
    }
  },
})
