import { expect, test } from 'vitest'
import {
  checkExamples,
  listProviders,
  ownDeclarationText,
  readDeclaration,
} from '../../src/connectors/providers.ts'
import { declarationFaults } from '../../src/connectors/http/declaration/declaration-faults.ts'
import { type Declaration, refusalCodes } from '../../src/connectors/http/declaration/declaration.ts'
import { messageErrorCodes } from '../../src/messages/core/message-errors.ts'

const names = listProviders().map(({ name }) => name)

const declarationOf = (name: string): Declaration => {
  const read = readDeclaration(ownDeclarationText(name) ?? '')
  if ('faults' in read) throw new Error(JSON.stringify(read.faults))
  return read.declaration
}

test('the providers that come with the program are named as their files are', () => {
  expect(names.length).toBeGreaterThanOrEqual(3)
  expect(names.map((name) => declarationOf(name).name)).toEqual(names)
})

test.for(names)('%s: every example has the result that it says', (name) => {
  expect(checkExamples(declarationOf(name)).filter(({ fault }) => fault !== null)).toEqual([])
})

test.for(names)(
  '%s: has an example of each class of answers, each word for a state, a text and a forgery',
  (name) => {
    const { examples = [], states = {}, source = [] } = declarationOf(name)
    const results = examples.map(({ is }) => is as Record<string, unknown>)
    const has = (wanted: Record<string, unknown>): boolean =>
      results.some((result) => Object.entries(wanted).every(([key, value]) => result[key] === value))
    expect(examples.length).toBeGreaterThanOrEqual(10)
    expect(source.length).toBeGreaterThanOrEqual(1)
    for (const wanted of [
      { kind: 'accepted' },
      { kind: 'refused', lasts: 'good' },
      { kind: 'refused', lasts: 'busy' },
      { kind: 'unavailable', reason: 'credentials_refused' },
      { kind: 'unknown' },
      ...(isSigned(name) ? [{ proof: 'forged' }] : []),
    ])
      expect(has(wanted), `${name}: ${JSON.stringify(wanted)}`).toBe(true)
    expect(examples.some(({ answer }) => answer?.status === 500)).toBe(true)
    expect(examples.some(({ answer }) => answer !== undefined && !isJson(answer.body))).toBe(true)
    const receives = results.some(({ messages }) => Array.isArray(messages) && messages.length > 0)
    expect(receives).toBe(declarationOf(name).inbound !== undefined)
    const called = examples
      .map(({ callback }) => `${callback?.query ?? ''} ${callback?.body ?? ''}`)
      .join('\n')
    expect(Object.keys(states).filter((word) => !called.includes(word.replace('*', '')))).toEqual([])
  },
)

/** Where a service signs nothing, the address of a call with its MAC is the only proof. */
const isSigned = (name: string): boolean =>
  !['none', undefined].includes(declarationOf(name).status?.verify as string | undefined)

const isJson = (body: unknown): boolean => typeof body === 'object'

/**
 * The signatures of the examples were made, or checked, by the libraries of the services: `getExpectedTwilioSignature` of twilio 6.2.0,
 * `verifySignature` of @vonage/sms, `validateV3Signature` of plivo 4.79.0, `TelnyxWebhook` of telnyx 7.24.0, sns-validator 0.3.5, and
 * standardwebhooks 1.1.1.
 */
test.for(names.filter(isSigned))(
  '%s: no signed call with one letter changed is taken, wherever it is',
  (name) => {
    const declaration = declarationOf(name)
    const signed = (declaration.examples ?? []).filter(
      ({ is }) => (is as { proof?: string }).proof === 'proven',
    )
    expect(signed.length).toBeGreaterThanOrEqual(2)
    for (const example of signed) {
      const { callback } = example
      const part = callback?.query === undefined || callback.body !== undefined ? 'body' : 'query'
      const text = callback?.[part] ?? ''
      // SNS signs no address of its certificate, which must be that of its host.
      const end = text.includes('"SigningCertURL"') ? text.indexOf('"SigningCertURL"') : text.length
      for (let at = 0; at < end; at += 7) {
        // A letter stays a letter: the call must still be read as what it is.
        const letter = text[at] as string
        if (!/[a-z]/.test(letter)) continue
        const changed = `${text.slice(0, at)}${letter === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`
        const forged = { ...example, callback: { ...callback!, [part]: changed }, is: { proof: 'forged' } }
        expect(checkExamples({ ...declaration, examples: [forged] })).toEqual([
          { title: example.title, fault: null },
        ])
      }
    }
  },
)

test('Infobip: what its operator has is not delivered, though its group says so', () => {
  // Words: infobip.com/docs/essentials/response-status-and-error-codes, DELIVERED (group id: 3), 2 and 5.
  const { states = {} } = declarationOf('infobip')
  expect([states['DELIVERED_TO_OPERATOR'], states['DELIVERED_TO_HANDSET']]).toEqual([
    'on_its_way',
    'delivered',
  ])
})

test('an example whose result differs is named with both results', () => {
  const declaration = declarationOf('twilio')
  const [first] = declaration.examples ?? []
  const changed = { ...declaration, examples: [{ ...first!, is: { kind: 'accepted', ids: ['SM2'] } }] }
  expect(checkExamples(changed)[0]?.fault).toMatch(/^Expected .*SM2.*, but the result is .*accepted/)
})

test('every code that a declaration can name is a code of messages', () => {
  expect(refusalCodes.filter((code) => !messageErrorCodes.includes(code))).toEqual([])
})

/** Each fault of a declaration, planted into one that is right: what is put at which place, and where the fault is then. */
const faulty: readonly [name: string, change: Readonly<Record<string, unknown>>, pointer: string][] = [
  ['a placeholder that nothing fills', { '/send/form/Body': '{txt}' }, '/send/form/Body'],
  ['a filter that does not exist', { '/send/form/Body': '{text|shout}' }, '/send/form/Body'],
  ['a filter without its argument', { '/send/form/Body': '{text|cut}' }, '/send/form/Body'],
  ['a brace that is not closed', { '/send/form/Body': 'a { b' }, '/send/form/Body'],
  ['a secret in a URL', { '/send/url': '{base}/x/{auth_token}' }, '/send/url'],
  ['a URL of another host', { '/send/url': 'https://evil.example.net/x' }, '/send/url'],
  ['a URL with a password', { '/send/url': 'https://a:b@api.twilio.com/x' }, '/send/url'],
  ['a URL that begins with a value of the message', { '/send/url': '{from}/x' }, '/send/url'],
  ['a default address of another host', { '/settings/base/default': 'https://evil.example.net' }, '/settings/base/default'],
  ['a host that is every one of a kind', { '/hosts/0': '*.com' }, '/hosts/0'],
  ['two bodies', { '/send/json': {} }, '/send'],
  ['XML without its filter', { '/send/form': undefined, '/send/xml': '<t>{text}</t>' }, '/send/xml'],
  ['a header that the connection needs itself', { '/send/headers': { Host: 'evil.example.net' } }, '/send/headers/Host'],
  ['no rule that accepts', { '/send/answers': [{ status: '400', means: 'good' }] }, '/send/answers'],
  ['an acceptance by a status of refusal', { '/send/answers/0': { status: '400', means: 'accepted' } }, '/send/answers/0'],
  ['a rule for every answer', { '/send/answers/1': { means: 'good' } }, '/send/answers/1'],
  ['a reason of an account for a message', { '/send/answers/1/code': 'credentials_refused' }, '/send/answers/1/code'],
  ['a key that no request has', { '/idempotency': { for_s: 60 } }, '/idempotency'],
  ['an encoding that is told nowhere', { '/encoding': 'told' }, '/encoding'],
  ['a look-up by a reference that it does not name', { '/lookup': { by_reference: { url: '{base}/x', state: '/s', id: '/i' } } }, '/lookup/by_reference'],
  ['a hash of a body that is not read', { '/status/verify': { jwt: { key: '{auth_token}', header: 'x', body_hash: 'hash', content: 'claims' } } }, '/status/verify/jwt/body_hash'],
  ['a setting with the name of a value', { '/settings/text': { says: 'A text.' } }, '/settings/text'],
  ['a setting with the name of one of the kind', { '/settings/window': { says: 'A number.' } }, '/settings/window'],
  ['a name for a setting and a secret', { '/secrets/base': { says: 'A secret.' } }, '/settings/base'],
  ['a value of the message in its login', { '/auth': { basic: ['{to}', '{auth_token}'] } }, '/auth/basic/0'],
  ['an unknown word for a state', { '/states/sent': 'sent' }, '/states/sent'],
  ['a member that does not exist', { '/sends': {} }, '/sends'],
] // prettier-ignore

test.for(faulty)('a declaration with %s is refused, and the place is named', ([, change, pointer]) => {
  const declaration = JSON.parse(ownDeclarationText('twilio') ?? '') as Record<string, unknown>
  for (const [place, value] of Object.entries(change)) {
    const path = place.slice(1).split('/')
    const last = path.pop() ?? ''
    const parent = path.reduce((inner, name) => inner[name] as Record<string, unknown>, declaration)
    if (value === undefined) Reflect.deleteProperty(parent, last)
    else parent[last] = value
  }
  expect(declarationFaults(declaration).map((fault) => fault.pointer)).toContain(pointer)
})

test('a declaration has at most 64 KiB, and is JSON', () => {
  expect(readDeclaration(`"${'x'.repeat(64 * 1024)}"`)).toMatchObject({
    faults: [{ detail: expect.stringContaining('64 KiB') }],
  })
  expect(readDeclaration('{')).toMatchObject({ faults: [{ detail: expect.stringMatching(/^Is not JSON/) }] })
})
