import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import type { Clock } from '../../runtime/clock.ts'
import { command, type Output } from '../core/command.ts'
import { CommandError, UsageError } from '../core/command-errors.ts'
import { type ApiServer, callApi, serverUrl, TemporaryError } from '../core/call-api.ts'
import { readFileOrRefuse, readSecretFromFile, readSecretFromStdin } from '../core/read-secrets.ts'
import type { CommandContext } from '../core/command-context.ts'

const pollMs = 500

export const sendCommand = command({
  summary: 'Sends an SMS through the API of the running server.',
  details:
    'The API key is read from standard input (--key-stdin), a file that contains only the key (--key-file), or ONESIXTY_API_KEY in an env file (--env-file).\n\nWith --wait the exit code is 0 when every message was delivered, or sent where no receipt is expected, else 1.',
  arguments: [],
  options: {
    to: {
      type: 'text',
      value: 'NUMBER',
      summary: 'Recipient in E.164, such as +4915112345678.',
      required: true,
      repeatable: true,
    },
    text: { type: 'text', value: 'TEXT', summary: 'Text of the message.', required: true },
    from: { type: 'text', value: 'SENDER', summary: 'Sender. Default: chosen by routing.' },
    fallback: {
      type: 'text',
      value: 'shared',
      summary: 'Where own devices are free: also let shared devices send it, for the balance.',
    },
    'key-stdin': { type: 'flag', summary: 'Read the API key from standard input.' },
    'key-file': { type: 'text', value: 'PATH', summary: 'Read the API key from this file.' },
    'env-file': { type: 'text', value: 'PATH', summary: 'Read ONESIXTY_API_KEY from this file.' },
    url: { type: 'text', value: 'URL', summary: 'URL of the server. Default: from the settings.' },
    'idempotency-key': {
      type: 'text',
      value: 'KEY',
      summary: 'Retry a send whose response was lost, with the key that was printed.',
    },
    'dry-run': { type: 'flag', summary: 'Validate and price the message without sending it.' },
    wait: { type: 'flag', summary: 'Wait until every message is final.' },
    'wait-seconds': { type: 'number', value: 'N', summary: 'Maximum seconds to wait. Default: 60.' },
  },
  async run(tools, { options }) {
    const { to, text, from, fallback } = options
    const waitSeconds = options['wait-seconds'] ?? 60
    if (waitSeconds < 1 || waitSeconds > 86_400)
      throw new UsageError('--wait-seconds must be from 1 to 86400.')
    const server = { url: serverUrl(tools, options.url), key: await readKey(tools, options) }
    const idempotencyKey = options['idempotency-key'] ?? randomUUID()
    const body = {
      to,
      text,
      ...(from === undefined ? {} : { from }),
      ...(fallback === undefined ? {} : { fallback }),
      ...(options['dry-run'] ? { dry_run: true } : {}),
    }
    const sent = (await callApi(server, 'POST', '/api/v1/send', {
      body,
      idempotencyKey,
      retry: `retry with --idempotency-key ${idempotencyKey}.`,
    })) as Send
    if (options['dry-run'] || !options.wait) return shown(sent, { messages: sent.messages, fault: null })
    return shown(sent, await follow(server, sent, tools.clock, waitSeconds * 1_000), waitSeconds)
  },
})

interface Message {
  id: string
  to: string
  status: string
  final: boolean
  parts: number
  error: { code: string; message: string } | null
  /** Missing where the server is of an earlier version. */
  cost?: { paid_by?: string }
  fallback?: string | null
}
interface Send {
  id: string
  dry_run: boolean
  totals: { parts: number; balance_available: number }
  warnings: { code: string; message: string }[]
  messages: Message[]
}
/** The latest known messages. They stay accepted, even if `fault` kept their status from being read. */
interface Progress {
  messages: readonly Message[]
  fault: CommandError | null
}

/** Formats the result. `waitedSeconds` is set with --wait. */
function shown(sent: Send, { messages, fault }: Progress, waitedSeconds?: number): Output {
  const lines = messages.map((message) => {
    const error = message.error === null ? '' : `  ${message.error.code}: ${message.error.message}`
    return `${message.id}  ${message.to}  ${message.status}  ${message.parts} SMS${error}`
  })
  lines.push(...sent.warnings.map((warning) => `warning: ${warning.message}`))
  const balance = sent.totals.balance_available
  lines.push(`${sent.dry_run ? 'Nothing was sent. ' : ''}Cost: ${costOf(messages)}. Balance: ${balance} SMS.`)
  const isOver = messages.every((message) => message.final)
  if (waitedSeconds !== undefined && !isOver)
    lines.push(
      fault === null
        ? `Not final after ${waitedSeconds} s. Sending continues: read the status with GET /api/v1/history.`
        : `The send was accepted and continues; do not send it again. Its status could not be read: ${fault.message}`,
    )
  const isFine = waitedSeconds === undefined || messages.every(hasArrived)
  const why = fault === null ? {} : { fault: { code: fault.code, message: fault.message } }
  return { json: { ...sent, messages, ...why }, text: lines.join('\n'), exitCode: isFine ? 0 : 1 }
}

/** An own device pays for a message with a fallback once it has sent it: until then the cost is the most that it can be. */
function costOf(messages: readonly Message[]): string {
  const partsOf = (some: readonly Message[]): number => some.reduce((sum, { parts }) => sum + parts, 0)
  const paid = messages.filter(({ cost }) => cost?.paid_by !== 'own_device')
  if (paid.length === 0) return `none for ${partsOf(messages)} SMS, because only own devices send them`
  const isOpen = paid.some(({ fallback, final }) => fallback === 'shared' && !final)
  return `${isOpen ? 'at most ' : ''}${partsOf(paid)} SMS`
}

const hasArrived = ({ status, final }: Message): boolean =>
  status === 'delivered' || (final && status === 'sent')

/** Polls until all are final; returns what is known at the timeout, or after an error that no retry can fix. */
async function follow(
  server: ApiServer,
  sent: Send,
  clock: Pick<Clock, 'monotonicMs'>,
  waitMs: number,
): Promise<Progress> {
  const query = new URLSearchParams({ send_id: sent.id, limit: '100', order: 'asc' })
  let { messages } = sent
  for (const until = clock.monotonicMs() + waitMs; ;) {
    let fault: CommandError | null = null
    try {
      const { data } = (await callApi(server, 'GET', `/api/v1/history?${query.toString()}`)) as {
        data: Message[]
      }
      // An ascending page may end before the messages that were just stored.
      const known = new Map(data.map((message) => [message.id, message]))
      messages = messages.map((message) => known.get(message.id) ?? message)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      fault = error
    }
    const isOver =
      fault === null ? messages.every((message) => message.final) : !(fault instanceof TemporaryError)
    if (isOver || clock.monotonicMs() >= until) return { messages, fault }
    await setTimeout(pollMs)
  }
}

async function readKey(
  { io }: CommandContext,
  options: { 'key-stdin': boolean; 'key-file': string | undefined; 'env-file': string | undefined },
): Promise<string> {
  const sources = [
    options['key-stdin'],
    options['key-file'] !== undefined,
    options['env-file'] !== undefined,
  ].filter(Boolean)
  if (sources.length !== 1)
    throw new UsageError('Give the API key with --key-stdin, --key-file PATH or --env-file PATH.')
  if (options['key-stdin']) return readSecretFromStdin(io)
  if (options['key-file'] !== undefined) return readSecretFromFile(options['key-file'])
  const path = options['env-file'] as string
  const key = parseEnv(await readFileOrRefuse(path))['ONESIXTY_API_KEY']
  if (key === undefined || key === '')
    throw new CommandError('no_key', `${path} does not set ONESIXTY_API_KEY.`)
  return key
}
