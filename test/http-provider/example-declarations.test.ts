import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Submission } from '../../src/connectors/connector.ts'
import { buildSend } from '../../src/connectors/http/request/build-send.ts'
import { checkExamples, listProviders, readDeclaration } from '../../src/connectors/providers.ts'
import { readDocument } from '../../src/connectors/http/answers/read-document.ts'
import { currencyOf } from '../../src/connectors/http/balance-watch.ts'
import { findText } from '../../src/connectors/http/declaration/pointer.ts'
import type { Declaration } from '../../src/connectors/http/declaration/declaration.ts'

const repository = join(import.meta.dirname, '../..')
const files = globSync('docs/connectors/http-examples/*.json', { cwd: repository }).toSorted()

function declarationOf(file: string): Declaration {
  const read = readDeclaration(readFileSync(join(repository, file), 'utf8'))
  if ('faults' in read) throw new Error(`${file}: ${JSON.stringify(read.faults)}`)
  return read.declaration
}

test('there are examples of declarations of your own, named as their files and as no provider that comes with the program', () => {
  expect(files.length).toBeGreaterThanOrEqual(3)
  const names = files.map((file) => declarationOf(file).name)
  expect(files.map((file) => file.slice(file.lastIndexOf('/') + 1, -'.json'.length))).toEqual(names)
  expect(listProviders().filter(({ name }) => names.includes(name))).toEqual([])
})

test.for(files)('%s: at least ten examples, each with the result that it says', (file) => {
  const declaration = declarationOf(file)
  expect(checkExamples(declaration).filter(({ fault }) => fault !== null)).toEqual([])
  expect(declaration.examples?.length).toBeGreaterThanOrEqual(10)
  expect(declaration.source?.length).toBeGreaterThanOrEqual(1)
})

test('seven.io, which answers in text otherwise, is asked for JSON in each request, and its balance is read', () => {
  const { send, lookup, balance } = declarationOf('docs/connectors/http-examples/seven.json')
  for (const request of [send, lookup?.by_id, balance])
    expect(request?.headers).toEqual({ Accept: 'application/json' })
  // npm @seven.io/client 5.6.0: Balance.
  const document = readDocument('{"amount":593.994,"currency":"EUR"}')
  expect(findText(document, balance?.amount ?? '')).toBe('593.994')
  expect(balance !== undefined && currencyOf(balance, document)).toBe('EUR')
})

test('seven.io is told the reference of a submission, and its validity in whole minutes, at least one', () => {
  const declaration = declarationOf('docs/connectors/http-examples/seven.json')
  const bodyAt = (validitySeconds: number): unknown => {
    const account = {
      declaration,
      settings: { base: 'https://gateway.seven.io' },
      secrets: { api_key: 'k' },
      allowsHost: () => false,
    }
    const submission: Submission = {
      attemptId: 'att_01k9ktqv1gfx8r4z6m2d7cwn5e', to: '+4915112345678', from: 'Acme', text: 'Hello', encoding: 'gsm7', parts: 1,
      category: 'transactional', validitySeconds,
    } // prettier-ignore
    const urls = { status: null, inbound: null }
    return JSON.parse(buildSend(account, submission, { nowMs: 0, urls, token: null, mask: false }).body ?? '')
  }
  const { foreign_id: reference } = bodyAt(600) as { foreign_id: string }
  expect(reference).toMatch(/^[A-Za-z0-9._@-]{1,64}$/)
  for (const [seconds, ttl] of [
    [600, 10],
    [659, 10],
    [61, 1],
    [5, 1],
    [259_200, 4_320],
  ] as const)
    expect(bodyAt(seconds)).toEqual({
      to: '+4915112345678',
      from: 'Acme',
      text: 'Hello',
      foreign_id: reference,
      ttl,
    })
})
