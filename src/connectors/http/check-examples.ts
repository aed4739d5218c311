import type { Declaration, Example } from './declaration/declaration.ts'
import type { Verify } from './declaration/proof-schemas.ts'
import { type Answered, readAnswer } from './answers/read-answer.ts'
import type { Callback } from './callbacks/callback.ts'
import { readInbound } from './callbacks/read-inbound.ts'
import { readReceipts } from './callbacks/read-receipts.ts'
import { contentOf } from './callbacks/signed-content.ts'
import { verifyCallback } from './callbacks/verify.ts'
import { completeSettings, fillerOf } from './request/build-request.ts'

/** An example of a declaration, and what is wrong with it; null when its result is as it says. */
export interface ExampleResult {
  title: string
  fault: string | null
}

/** Reads every example of a declaration by its rules, and compares the result with what the example expects. */
export const checkExamples = (declaration: Declaration): ExampleResult[] =>
  (declaration.examples ?? []).map((example) => ({
    title: example.title,
    fault: faultOf(declaration, example),
  }))

function faultOf(declaration: Declaration, example: Example): string | null {
  const result = resultOf(declaration, example)
  if (result === null) return 'Needs `answer` or `callback`.'
  return contains(result, example.is)
    ? null
    : `Expected ${JSON.stringify(example.is)}, but the result is ${JSON.stringify(result)}.`
}

function resultOf(declaration: Declaration, example: Example): unknown {
  const { answer, callback } = example
  if (answer !== undefined) {
    const { status, headers = {}, body = '' } = answer
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return shownAnswer(readAnswer(declaration, { status, headers: lowered(headers), body: text }))
  }
  return callback === undefined ? null : readCallback(declaration, example, callback)
}

/** An answer as examples write it. */
function shownAnswer(answered: Answered): Record<string, unknown> {
  switch (answered.kind) {
    case 'accepted':
      return { kind: 'accepted', ids: answered.ids, parts: answered.parts }
    case 'partial':
      return {
        kind: 'partial',
        ids: answered.ids,
        taken: answered.taken,
        code: answered.code,
        network_code: answered.networkCode,
      }
    case 'unknown':
      return { kind: 'unknown', ids: answered.ids, network_code: answered.networkCode }
    case 'refused':
      return answered.means === 'device'
        ? { kind: 'unavailable', reason: answered.reason, network_code: answered.networkCode }
        : {
            kind: 'refused',
            lasts: answered.means,
            code: answered.code,
            network_code: answered.networkCode,
            ...(answered.restMs !== null && { rest_s: answered.restMs / 1_000 }),
          }
  }
}

function readCallback(
  declaration: Declaration,
  example: Example,
  given: NonNullable<Example['callback']>,
): unknown {
  const {
    on,
    method = 'POST',
    headers = {},
    query,
    body = '',
    url = 'https://sms.example/providers/v1/hook',
  } = given
  const callback: Callback = {
    method,
    url: query === undefined ? url : `${url}?${query}`,
    headers: lowered(headers),
    body: Buffer.from(body, 'utf8'),
  }
  const proof = proofOf(declaration, example, callback, on)
  if (proof === 'forged') return { proof }
  const document = contentOf(verifyOf(declaration, on) ?? 'none', callback)
  if (on === 'inbound') {
    const messages = readInbound(declaration, document).messages.map(
      ({ from, to, text, networkAt, fingerprint, fragment }) => ({
        from,
        to,
        text,
        id: fingerprint,
        at: networkAt === null ? null : new Date(networkAt).toISOString(),
        ...(fragment !== undefined && { part: fragment }),
      }),
    )
    return { proof, messages }
  }
  const receipts = readReceipts(declaration, document, null).map((read) =>
    read.kind === 'receipt'
      ? {
          id: read.receipt.networkId,
          result: read.receipt.result,
          code: read.receipt.code,
          network_code: read.receipt.networkCode,
          reference: read.reference,
        }
      : read.kind === 'on_its_way'
        ? { id: read.id, result: 'on_its_way', reference: read.reference }
        : read,
  )
  return { proof, receipts }
}

function proofOf(
  declaration: Declaration,
  example: Example,
  callback: Callback,
  on: 'status' | 'inbound',
): string {
  const verify = verifyOf(declaration, on)
  if (verify === undefined) return 'not_checked'
  const { settings = {}, secrets = {}, now = '1970-01-01T00:00:00Z', certificate } = example.with ?? {}
  const filler = fillerOf({ settings: completeSettings(declaration, settings), secrets }, {}, false)
  return verifyCallback(verify, callback, {
    filler,
    nowMs: Date.parse(now),
    ...(certificate !== undefined && { certificate }),
  })
}

function verifyOf({ status, inbound }: Declaration, on: 'status' | 'inbound'): Verify | undefined {
  return on === 'inbound' && inbound?.verify !== 'status' ? inbound?.verify : status?.verify
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Returns whether a result has all that is wanted of it; a list has exactly the wanted elements. */
function contains(result: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(result) &&
      result.length === wanted.length &&
      wanted.every((each, i) => contains(result[i], each))
    )
  if (typeof wanted !== 'object' || wanted === null) return result === wanted
  if (typeof result !== 'object' || result === null) return false
  return Object.entries(wanted).every(([name, value]) =>
    contains((result as Record<string, unknown>)[name], value),
  )
}
