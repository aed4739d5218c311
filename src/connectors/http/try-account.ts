import type { ConnectorTools, Trial } from '../connector-tools.ts'
import { currencyOf } from './balance-watch.ts'
import { httpFacts } from './facts.ts'
import { findText } from './declaration/pointer.ts'
import type { Exchange } from './exchange.ts'
import { readDocument } from './answers/read-document.ts'

/**
 * Tests whether a provider accepts the credentials of an account, by its balance; a provider without one is not asked, since
 * only a message would show it.
 */
export async function tryAccount(
  exchange: Exchange | null,
  tools: Pick<ConnectorTools, 'log'>,
): Promise<Trial> {
  if (exchange === null)
    return failed('The device has no valid declaration.', httpFacts.remedies['invalid_settings'] ?? null)
  const { balance, title } = exchange.declaration
  if (balance === undefined)
    return { ok: true, summary: `${title} cannot be asked without sending a message.`, remedy: null }
  const exchanged = await exchange.ask(balance, {})
  if (exchanged.kind === 'not_sent')
    return failed(
      `${title} cannot be asked: ${exchanged.detail}.`,
      httpFacts.remedies[exchanged.reason] ?? null,
    )
  if (exchanged.kind === 'unanswered')
    return failed(
      `${title} was asked for the balance: ${exchanged.detail}.`,
      httpFacts.remedies['unreachable'] ?? null,
    )
  const { status, body } = exchanged.answer
  if (status === 401 || status === 403)
    return failed(
      `${title} rejects the credentials (${status}).`,
      httpFacts.remedies['credentials_refused'] ?? null,
    )
  const document = readDocument(body)
  const amount = status >= 200 && status <= 299 ? findText(document, balance.amount) : null
  if (amount === null)
    return failed(
      `${title} answered ${status} without a balance.`,
      httpFacts.remedies['answer_not_understood'] ?? null,
    )
  const unit = currencyOf(balance, document) ?? ''
  tools.log('debug', 'the balance was asked for')
  return {
    ok: true,
    summary: `${title} accepts the credentials; the balance is ${amount} ${unit}`.trimEnd() + '.',
    remedy: null,
  }
}

const failed = (summary: string, remedy: string | null): Trial => ({ ok: false, summary, remedy })
