import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Submission } from '../../src/connectors/connector.ts'
import type { Declaration } from '../../src/connectors/http/declaration/declaration.ts'
import { fillTemplate, parseTemplate } from '../../src/connectors/http/declaration/template.ts'
import type { Filling } from '../../src/connectors/http/declaration/filters.ts'
import { buildSend } from '../../src/connectors/http/request/build-send.ts'
import { type ProviderAccount, RequestError } from '../../src/connectors/http/request/build-request.ts'
import { uuidOf } from '../../src/connectors/http/request/message-values.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'

const nowMs = Date.parse('2026-11-27T12:00:00Z')
const submissionOf = (given: Partial<Submission> = {}): Submission => ({
  attemptId: 'att_01k9ktqv1gfx8r4z6m2d7cwn5e',
  to: '+4915112345678',
  from: null,
  text: 'Hello',
  encoding: 'gsm7',
  parts: 1,
  category: 'transactional',
  validitySeconds: 90_000,
  ...given,
})

const accountOf = (
  send: Partial<Declaration['send']>,
  more: Partial<ProviderAccount> = {},
): ProviderAccount => ({
  declaration: {
    format: 1,
    name: 'national',
    title: 'National',
    hosts: ['api.example.com', 'api.*.example.com'],
    settings: { base: { says: 'Address.', default: 'https://api.example.com' }, user: { says: 'User.' } },
    secrets: { password: { says: 'Password.' } },
    send: { url: '{base}/sms', answers: [{ status: '200', means: 'accepted' }], ...send },
  },
  settings: { base: 'https://api.example.com', user: 'u1' },
  secrets: { password: 's3cret&=' },
  allowsHost: () => false,
  ...more,
})
const build = (account: ProviderAccount, submission = submissionOf(), mask = false) =>
  buildSend(account, submission, { nowMs, urls: { status: null, inbound: null }, token: null, mask })

const anyText = fc.string({ unit: 'binary', maxLength: 80 })
/** A tree of JSON whose texts are the placeholder or literals without braces. */
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constant('{text}'),
    fc.string({ maxLength: 10 }).map((text) => text.replaceAll(/[{}]/g, '')),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(
      fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__'),
      tie('tree'),
      { maxKeys: 4 },
    ),
  ),
}))

/** The tree as it must arrive: the text in each place of the placeholder. */
const withText = (value: unknown, text: string): unknown => {
  if (value === '{text}') return text
  if (Array.isArray(value)) return value.map((each) => withText(each, text))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withText(each, text)]))
}

describe('a text cannot leave its place', () => {
  test('in JSON, in any tree', () => {
    fc.assert(
      fc.property(tree, anyText, (json, text) => {
        const { body } = build(accountOf({ json }), submissionOf({ text }))
        expect(JSON.parse(body ?? '')).toEqual(JSON.parse(JSON.stringify(withText(json, text))))
      }),
    )
  })

  test('in a form and in a query, next to any other member', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.dictionary(fc.stringMatching(/^[a-z&=]{1,6}$/), fc.constant('x')),
        (text, more) => {
          const members = { ...more, Body: '{text}' }
          const { body } = build(accountOf({ form: members }), submissionOf({ text }))
          expect(Object.fromEntries(new URLSearchParams(body ?? ''))).toEqual({
            ...more,
            Body: text.toWellFormed(),
          })
          const { url } = build(accountOf({ query: members }), submissionOf({ text }))
          expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
            ...more,
            Body: text.toWellFormed(),
          })
          expect(url.startsWith('https://api.example.com/sms?')).toBe(true)
        },
      ),
    )
  })

  test('in XML, and what XML cannot contain is left out', () => {
    const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#13': '\r' } as const
    fc.assert(
      fc.property(anyText, (text) => {
        const { body } = build(
          accountOf({ xml: '<sms a="{text|xml}">{text|xml}</sms>' }),
          submissionOf({ text }),
        )
        const [, attribute = '', content = ''] = /^<sms a="([^"<]*)">([^<]*)<\/sms>$/.exec(body ?? '') ?? []
        const read = (value: string): string =>
          value.replaceAll(/&(amp|lt|gt|quot|apos|#13);/g, (_, name: keyof typeof entities) => entities[name])
        // oxlint-disable-next-line no-control-regex
        const allowed = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
        expect([read(attribute), read(content)]).toEqual([allowed, allowed])
      }),
    )
  })

  test('in a path, whatever a sender is called', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom('.', '..'), fc.string({ minLength: 1, maxLength: 11 })),
        (from) => {
          const account = accountOf({ url: '{base}/from/{from}/end' })
          if (/^\.\.?$/.test(from)) {
            expect(() => build(account, submissionOf({ from }))).toThrow(RequestError)
            return
          }
          const { url } = build(account, submissionOf({ from }))
          expect(new URL(url).origin).toBe('https://api.example.com')
          const path = url.slice('https://api.example.com/from/'.length)
          expect(decodeURIComponent(path)).toBe(`${from.toWellFormed()}/end`)
        },
      ),
    )
  })
})

test('a value that is null leaves its member out, a null of the declaration stays', () => {
  const json = { from: '{from}', list: ['{from}', '{to}'], none: null, mixed: 'from {from}' }
  expect(JSON.parse(build(accountOf({ json })).body ?? '')).toEqual({ list: ['+4915112345678'], none: null })
})

test('each filter does what its name says', () => {
  const values: Readonly<Record<string, Filling>> = {
    n: 90_000,
    t: 'Añ€😀b',
    d: '+49 151-1',
    e: 'ucs2',
    z: null,
    x: 'a<b>&"\'\r',
  }
  const fill = (template: string): Filling =>
    fillTemplate(parseTemplate(template), (name) => values[name] ?? null)
  const results: Record<string, Filling> = {
    '{d|digits}': '491511', '{n|between:1:36000}': 36_000, '{t|cut:4}': 'Añ€', '{t|cut:5}': 'Añ€😀', '{e|map:gsm7=text:ucs2=unicode}': 'unicode',
    '{e|map:gsm7=text}': null, '{d|digits|number}': 491_511, '{e|boolean}': false, '{t|upper}': 'AÑ€😀B', '{e|base64}': 'dWNzMg==',
    '{e|hex}': '75637332', '{t|hex:ucs2}': '004100f120acd83dde000062', '{x|xml}': 'a&lt;b&gt;&amp;&quot;&apos;&#13;', '{z|or:e}': 'ucs2', '{z|upper}': null,
    '{{t}} {t|lower}': '{t} añ€😀b', '{n|minutes}': 1_500, '{e|minutes}': null, '{z|minutes}': null,
  } // prettier-ignore
  expect(Object.fromEntries(Object.keys(results).map((template) => [template, fill(template)]))).toEqual(
    results,
  )
})

describe('a request goes only where its declaration says', () => {
  const refused: readonly [name: string, base: string][] = [
    ['another host', 'https://evil.example.net'],
    ['a host with the right one in front', 'https://api.example.com.evil.net'],
    ['a user with the name of the host', 'https://api.example.com@evil.net'],
    ['a host behind a backslash', 'https://evil.net\\@api.example.com'],
    ['more labels than its pattern', 'https://api.a.b.example.com'],
    ['a host that ends otherwise', 'https://xapi.example.com'],
    ['the metadata address', 'http://169.254.169.254/latest'],
    ['the same address as a number', 'http://2852039166'],
    ['a file', 'file:///etc/passwd'],
    ['nothing', ''],
  ]
  test.for(refused)('never to %s', ([, base]) => {
    const account = accountOf({ form: { p: '{password}' } }, { settings: { base } })
    expect(() => build(account)).toThrow(RequestError)
  })

  test('to a host that the operator allows, too', () => {
    const settings = { base: 'http://10.0.0.5:13013/' }
    const allowsHost = (host: string): boolean => host === '10.0.0.5'
    expect(build(accountOf({}, { settings, allowsHost })).url).toBe('http://10.0.0.5:13013/sms')
  })

  test('and an error about it names no secret', () => {
    const account = accountOf({ headers: { 'x-key': '{password}\n' } }, { secrets: { password: 'canary' } })
    expect(() => build(account)).toThrow(RequestError)
    expect(() => build(account)).not.toThrow(/canary/)
  })
})

test('shown, a request has the names of its secrets in their places, in every kind of login', () => {
  const logins: NonNullable<Declaration['auth']>[] = [
    { basic: ['{user}', '{password}'] },
    { bearer: '{password}' },
    { header: { name: 'X-Key', value: 'App {password}' } },
    { query: { key: '{password}' } },
    { hmac: { algorithm: 'sha256', key: '{password}', over: ['body'], as: 'hex', header: 'X-Sign' } },
    { aws: { service: 'sns', region: 'eu-west-1', key_id: '{user}', secret: '{password}' } },
  ]
  for (const auth of logins) {
    const account = accountOf(
      { form: { p: '{password}', q: '{password|base64}' } },
      { secrets: { password: 'canary' } },
    )
    const shown = build({ ...account, declaration: { ...account.declaration, auth } }, submissionOf(), true)
    expect(JSON.stringify(shown)).not.toContain('canary')
    expect(JSON.stringify(shown)).not.toContain(Buffer.from('canary').toString('base64'))
    expect(decodeURIComponent(shown.body ?? '')).toBe('p=‹password›&q=‹password›')
  }
})

test('Twilio: a request has the members of its OpenAPI document', () => {
  // Words: twilio/twilio-oai spec/json/twilio_api_v2010.json, CreateMessageRequest (2026-04-14).
  const declaration = ownDeclaration('twilio')!
  const account = {
    declaration,
    settings: { account_sid: 'AC1', base: 'https://api.dublin.ie1.twilio.com' },
    secrets: { auth_token: 't' },
    allowsHost: () => false,
  }
  const sent = buildSend(account, submissionOf({ from: 'ACME' }), {
    nowMs,
    urls: { status: 'https://s.example/x', inbound: null },
    token: null,
  })
  expect(sent.url).toBe('https://api.dublin.ie1.twilio.com/2010-04-01/Accounts/AC1/Messages.json')
  expect(sent.headers).toEqual({
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from('AC1:t').toString('base64')}`,
  })
  expect(Object.fromEntries(new URLSearchParams(sent.body ?? ''))).toEqual({
    To: '+4915112345678', From: 'ACME', Body: 'Hello', ValidityPeriod: '36000', StatusCallback: 'https://s.example/x',
  }) // prettier-ignore
})

test('a reference as a UUID is the same each time, of version 5, and another for another', () => {
  expect(uuidOf('att_1')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(uuidOf('att_1')).toBe(uuidOf('att_1'))
  expect(uuidOf('att_2')).not.toBe(uuidOf('att_1'))
})

test('AWS: the signature is that of the example in its documentation', () => {
  // Words: AWS General Reference, "Signature Version 4 test suite", get-vanilla-query-order-key-case (key AKIDEXAMPLE, 2015-08-30).
  const account = accountOf(
    { url: 'https://example.amazonaws.com/', query: { Param2: 'value2', Param1: 'value1' } },
    { allowsHost: () => true },
  )
  const declaration: Declaration = {
    ...account.declaration,
    auth: { aws: { service: 'service', region: 'us-east-1', key_id: '{user}', secret: '{password}' } },
  }
  const signed = buildSend(
    {
      ...account,
      declaration,
      settings: { user: 'AKIDEXAMPLE' },
      secrets: { password: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    },
    submissionOf(),
    { nowMs: Date.parse('2015-08-30T12:36:00Z'), urls: { status: null, inbound: null }, token: null },
  )
  expect(signed.headers['authorization']).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  )
})
