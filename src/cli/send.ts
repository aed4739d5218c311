import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import type { Clock } from '../clock.ts'
import { loopbackAddress } from '../own-address.ts'
import { command, type Output } from './command.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { readFileOrRefuse, readSecretFromFile, readSecretFromStdin } from './read-secrets.ts'
import type { Toolbox } from './toolbox.ts'

const pollMs = 500
const answerWithinMs = 15_000

export const sendCommand = command({
  summary: 'Sends an SMS through the running server, as any program would.',
  details:
    'The key comes from standard input (--key-stdin), a file that holds it alone (--key-file), or ONESIXTY_API_KEY in a file of settings (--env-file).\n\nWith --wait the exit code is 0 when every message was delivered, or sent where no receipt comes, else 1.',
  arguments: [],
  options: {
    to: {
      type: 'text',
      value: 'NUMBER',
      says: 'Recipient in E.164, such as +4915112345678.',
      required: true,
      repeatable: true,
    },
    text: { type: 'text', value: 'TEXT', says: 'What to send.', required: true },
    from: { type: 'text', value: 'SENDER', says: 'Sender; chosen by routing when left out.' },
    'key-stdin': { type: 'flag', says: 'Read the API key from standard input.' },
    'key-file': { type: 'text', value: 'PATH', says: 'Read the API key from this file.' },
    'env-file': { type: 'text', value: 'PATH', says: 'Read ONESIXTY_API_KEY from this file.' },
    url: { type: 'text', value: 'URL', says: 'Where the server is; from the settings when left out.' },
    'idempotency-key': {
      type: 'text',
      value: 'KEY',
      says: 'Repeat a send whose answer was lost with the key that was printed.',
    },
    'dry-run': { type: 'flag', says: 'Check and price it, send nothing.' },
    wait: { type: 'flag', says: 'Follow it until every message is final.' },
    'wait-seconds': { type: 'number', value: 'N', says: 'Follow it so long at most; 60 when left out.' },
  },
  async run(tools, { options }) {
    const { to, text, from } = options
    const waitSeconds = options['wait-seconds'] ?? 60
    if (waitSeconds < 1 || waitSeconds > 86_400)
      throw new UsageError('--wait-seconds needs a number from 1 to 86400.')
    const server = { url: serverUrl(tools, options.url), key: await readKey(tools, options) }
    const idempotencyKey = options['idempotency-key'] ?? randomUUID()
    const body = {
      to,
      text,
      ...(from === undefined ? {} : { from }),
      ...(options['dry-run'] ? { dry_run: true } : {}),
    }
    const sent = (await call(server, 'POST', '/api/v1/send', { body, idempotencyKey })) as Send
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
}
interface Send {
  id: string
  dry_run: boolean
  totals: { parts: number; balance_available: number }
  warnings: { code: string; message: string }[]
  messages: Message[]
}
interface Server {
  url: string
  key: string
}

/** What was accepted stays accepted, whatever `fault` keeps the rest from being known. */
interface Followed {
  messages: readonly Message[]
  fault: CommandError | null
}

/** `waitedSeconds` is how long they were followed; left out when they were not. */
function shown(sent: Send, { messages, fault }: Followed, waitedSeconds?: number): Output {
  const lines = messages.map((message) => {
    const error = message.error === null ? '' : `  ${message.error.code}: ${message.error.message}`
    return `${message.id}  ${message.to}  ${message.status}  ${message.parts} SMS${error}`
  })
  lines.push(...sent.warnings.map((warning) => `warning: ${warning.message}`))
  lines.push(
    `${sent.dry_run ? 'Nothing was sent; it would cost' : 'Costs'} ${sent.totals.parts} SMS; ${sent.totals.balance_available} available.`,
  )
  const isOver = messages.every((message) => message.final)
  if (waitedSeconds !== undefined && !isOver)
    lines.push(
      fault === null
        ? `Not final after ${waitedSeconds} s; it goes on by itself. GET /api/v1/history tells how it ended.`
        : `It was accepted and goes on by itself, so do not send it again. What became of it could not be asked: ${fault.message}`,
    )
  const isFine = waitedSeconds === undefined || messages.every(hasArrived)
  const why = fault === null ? {} : { fault: { code: fault.code, message: fault.message } }
  return { json: { ...sent, messages, ...why }, text: lines.join('\n'), exitCode: isFine ? 0 : 1 }
}

const hasArrived = ({ status, final }: Message): boolean =>
  status === 'delivered' || (final && status === 'sent')

/** Asks until all are final; gives what is known when the time is over, or the server refuses for good. */
async function follow(
  server: Server,
  sent: Send,
  clock: Pick<Clock, 'monotonicMs'>,
  waitMs: number,
): Promise<Followed> {
  const query = new URLSearchParams({ send_id: sent.id, limit: '100', order: 'asc' })
  let { messages } = sent
  for (const until = clock.monotonicMs() + waitMs; ;) {
    let fault: CommandError | null = null
    try {
      const { data } = (await call(server, 'GET', `/api/v1/history?${query.toString()}`)) as {
        data: Message[]
      }
      // A page that ascends may end before what was stored a moment ago.
      const known = new Map(data.map((message) => [message.id, message]))
      messages = messages.map((message) => known.get(message.id) ?? message)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      fault = error
    }
    const isOver = fault === null ? messages.every((message) => message.final) : !(fault instanceof Passing)
    if (isOver || clock.monotonicMs() >= until) return { messages, fault }
    await setTimeout(pollMs)
  }
}

/** Asked again a moment later, the server may answer. */
class Passing extends CommandError {}

async function call(
  server: Server,
  method: 'GET' | 'POST',
  path: string,
  sending?: { body: object; idempotencyKey: string },
): Promise<unknown> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${server.key}`,
    accept: 'application/json',
  }
  if (sending !== undefined) {
    headers['content-type'] = 'application/json'
    headers['idempotency-key'] = sending.idempotencyKey
  }
  const request = { method, headers, redirect: 'error', signal: AbortSignal.timeout(answerWithinMs) } as const
  const answer = await fetch(
    `${server.url}${path}`,
    sending === undefined ? request : { ...request, body: JSON.stringify(sending.body) },
  ).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null
    // Where several addresses were tried in vain, the code alone tells why.
    const why = cause === null ? String(error) : cause.message.trim() || codeOf(cause)
    const never = sending === undefined ? undefined : whyNeverArrived(codeOf(cause))
    const repeat = never === undefined ? howToRepeat(sending) : ` Nothing was sent. ${never}`
    throw new Passing('no_answer', `The server at ${server.url} did not answer: ${why}.${repeat}`)
  })
  const document: unknown = await answer.json().catch(() => null)
  if (answer.ok && document === null)
    throw new Passing('no_answer', `The answer of ${server.url} cannot be read.${howToRepeat(sending)}`)
  if (answer.ok) return document
  const { code, title, detail, errors } = (document ?? {}) as {
    code?: string
    title?: string
    detail?: string
    errors?: { detail: string }[]
  }
  const sentences = [
    title ?? `The server answered ${answer.status}.`,
    ...(detail === undefined ? [] : [detail]),
    ...(errors ?? []).map((fault) => fault.detail),
  ]
  const isUnknown = answer.status >= 500
  const says = `${[...new Set(sentences)].join(' ')}${isUnknown ? howToRepeat(sending) : ''}`
  const Fault = isUnknown || answer.status === 429 ? Passing : CommandError
  throw new Fault(code ?? `http_${answer.status}`, says)
}

const howToRepeat = (sending: { idempotencyKey: string } | undefined): string =>
  sending === undefined
    ? ''
    : ` It may have been accepted: repeat with --idempotency-key ${sending.idempotencyKey}.`

function serverUrl({ config }: Toolbox, given: string | undefined): string {
  const url = given ?? loopbackAddress(config)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url needs an http or https address; it was '${url}'.`)
  return url.replace(/\/+$/, '')
}

async function readKey(
  { io }: Toolbox,
  options: { 'key-stdin': boolean; 'key-file': string | undefined; 'env-file': string | undefined },
): Promise<string> {
  const sources = [
    options['key-stdin'],
    options['key-file'] !== undefined,
    options['env-file'] !== undefined,
  ].filter(Boolean)
  if (sources.length !== 1)
    throw new UsageError('Say where the API key comes from: --key-stdin, --key-file PATH or --env-file PATH.')
  if (options['key-stdin']) return readSecretFromStdin(io)
  if (options['key-file'] !== undefined) return readSecretFromFile(options['key-file'])
  const path = options['env-file'] as string
  const key = parseEnv(await readFileOrRefuse(path))['ONESIXTY_API_KEY']
  if (key === undefined || key === '')
    throw new CommandError('no_key', `${path} does not set ONESIXTY_API_KEY.`)
  return key
}

const codeOf = (cause: Error | null): string => (cause as { code?: string } | null)?.code ?? ''

/** What to look at where no connection came about, so that the request cannot have been read; else undefined. */
function whyNeverArrived(code: string): string | undefined {
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) return 'Is the server running?'
  // TLS was not agreed on, or the certificate is not believed: until then nothing of the request is written.
  return /^(?:ERR_TLS_|ERR_SSL_WRONG_VERSION|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)
    ? 'Name an address with --url for which its certificate is good.'
    : undefined
}
