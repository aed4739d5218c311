import { type Way, viaWay } from '../devices/routes/way.ts'
import type { ExplainedStage } from '../dispatch/routes/explain-route.ts'
import type { RuleChoice } from '../dispatch/routes/choose-rule.ts'
import type { SendRequest } from '../messages/send/send-request.ts'
import type { ChosenWay } from './choose-ways.ts'
import type { SendPorts } from './send-ports.ts'
import { routeOfRecipient } from '../messages/send/route-of-recipient.ts'

/** Which way some recipients of a send go, and why. */
export interface SendRouting {
  recipients: string[]
  rule: RuleChoice['rule']
  stages: ExplainedStage[]
}

/** Explains a send that is not stored: one entry for each way and rule of its recipients, in the order of `to`. */
export function explainSend(
  { routes, explain }: Pick<SendPorts, 'routes' | 'explain'>,
  request: SendRequest,
  choices: readonly ChosenWay[],
): SendRouting[] {
  const { accountId, mode, from: sender, encodingForced = false, paidBy, parts } = request
  const entries = new Map<string, SendRouting>()
  for (const [i, recipient] of request.recipients.entries()) {
    const choice = choices[i] as ChosenWay
    const name = `${recipient.way ?? ''}/${choice.rule?.id ?? ''}`
    const known = entries.get(name)
    if (known !== undefined) {
      known.recipients.push(recipient.to)
      continue
    }
    const way: Way =
      choice.via === null
        ? routes.resolve(choice, accountId, request.messageIds[i] as string).way
        : { ...viaWay(choice.via), not: choice.not }
    const route = {
      accountId,
      mode,
      routeKey: routeOfRecipient(request, recipient),
      sender,
      encodingForced,
      avoids: null,
      ...(paidBy === 'own_device' && { isOwnOnly: true as const }),
      ...(recipient.way !== undefined && { way: recipient.way }),
    }
    const rule = choice.via === null ? choice.rule : null
    entries.set(name, { recipients: [recipient.to], rule, stages: explain(route, { way, parts }) })
  }
  return [...entries.values()]
}
