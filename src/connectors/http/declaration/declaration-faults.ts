import type { Fault } from '../../../runtime/errors.ts'
import { memberPointer } from '../../../runtime/field-faults.ts'
import { type BodySchema, schemaFaults } from '../../../runtime/schema-faults.ts'
import { type AnswerRule, type Declaration, declarationSchema, deviceReasons } from './declaration.ts'
import { hostForm, isDeclaredHost, readHttpUrl } from './hosts.ts'
import { idName, messageNames, takenNames } from './names.ts'
import type { Verify } from './proof-schemas.ts'
import type { DeclaredRequest } from './request-schemas.ts'
import { type Names, requestFaults, templateFaults, treeFaults } from './template-faults.ts'
import { parseTemplate } from './template.ts'

/** Returns everything that is wrong with a declaration; none when a device can have it. */
export function declarationFaults(given: unknown): readonly Fault[] {
  const faults = schemaFaults('', declarationSchema as unknown as BodySchema, given)
  return faults.length > 0 ? faults : meaningFaults(given as Declaration)
}

/** What the schema cannot express: names, hosts, templates, and members that need each other. */
function meaningFaults(declaration: Declaration): Fault[] {
  const {
    hosts,
    settings = {},
    secrets = {},
    send,
    idempotency,
    encoding,
    lookup,
    status,
    inbound,
  } = declaration
  return [
    ...hosts.flatMap((host, i) =>
      hostForm.test(host)
        ? []
        : [invalid(`/hosts/${i}`, 'Is a host such as api.example.com, or api.*.example.com.')],
    ),
    ...Object.keys({ ...settings, ...secrets }).flatMap((name) => nameFaults(name, declaration)),
    ...addressFaults(declaration),
    ...everyRequest(declaration).flatMap(({ pointer, request, hasId }) =>
      requestFaults(pointer, request, {
        names: namesOf(declaration, hasId),
        hosts,
        addressSettings: addressSettingsOf(declaration),
      }),
    ),
    ...proofFaults(declaration),
    ...answerFaults(send.answers),
    ...(idempotency !== undefined &&
    idempotency.header === undefined &&
    !mentions(send, 'reference', 'reference_uuid')
      ? [
          invalid(
            '/idempotency',
            'Needs `header`, or a member of `send` with {reference} or {reference_uuid}.',
          ),
        ]
      : []),
    ...(encoding === 'told' && !mentions(send, 'encoding')
      ? [invalid('/encoding', 'Needs a member of `send` with {encoding}.')]
      : []),
    ...(lookup?.by_reference !== undefined && !mentions(lookup.by_reference, 'reference', 'reference_uuid')
      ? [invalid('/lookup/by_reference', 'Needs {reference} or {reference_uuid} in its request.')]
      : []),
    ...(status === undefined && inbound?.verify === 'status'
      ? [invalid('/inbound/verify', 'Is `status`, but there is no `status`.')]
      : []),
    ...jwtFaults('/status/verify', status?.verify),
    ...jwtFaults('/inbound/verify', inbound?.verify),
  ]
}

/** Claims that are read in place of the body need no hash of it. */
const jwtFaults = (pointer: string, verify: Verify | 'status' | undefined): Fault[] =>
  typeof verify === 'object' &&
  'jwt' in verify &&
  verify.jwt.content !== undefined &&
  verify.jwt.body_hash !== undefined
    ? [
        invalid(
          `${pointer}/jwt/body_hash`,
          'Is about the body, which `content` leaves unread. Leave one of them out.',
        ),
      ]
    : []

const invalid = (pointer: string, detail: string): Fault => ({ pointer, code: 'invalid_format', detail })

function nameFaults(name: string, { settings = {}, secrets = {} }: Declaration): Fault[] {
  const pointer = memberPointer(Object.hasOwn(settings, name) ? '/settings' : '/secrets', name)
  if (takenNames.has(name))
    return [invalid(pointer, `\`${name}\` has a meaning already. Choose another name.`)]
  return Object.hasOwn(settings, name) && Object.hasOwn(secrets, name)
    ? [invalid(pointer, 'Is a setting and a secret. Keep one of them.')]
    : []
}

/** Returns the settings that a URL begins with: their values are addresses, whose hosts are checked. */
export function addressSettingsOf(declaration: Declaration): ReadonlySet<string> {
  const starts = everyRequest(declaration).flatMap(({ request: { url } }) => {
    const name = /^\{([a-z][a-z0-9_]*)\}/.exec(url)?.[1]
    return name !== undefined && Object.hasOwn(declaration.settings ?? {}, name) ? [name] : []
  })
  return new Set(starts)
}

/** The default of an address is checked as a value of the operator's would be. */
function addressFaults(declaration: Declaration): Fault[] {
  return [...addressSettingsOf(declaration)].flatMap((name) => {
    const value = declaration.settings?.[name]?.default
    if (value === undefined) return []
    const url = readHttpUrl(value)
    return url !== null && isDeclaredHost(url.hostname, declaration.hosts)
      ? []
      : [invalid(memberPointer(`/settings/${name}`, 'default'), 'Is not a URL whose host is among `hosts`.')]
  })
}

interface PlacedRequest {
  pointer: string
  request: DeclaredRequest
  hasId: boolean
}

/** Returns every request of a declaration, with its place. */
function everyRequest({ send, lookup = {}, balance, auth }: Declaration): PlacedRequest[] {
  const lookups = (['by_id', 'by_reference', 'search'] as const).flatMap((name) => {
    const request = lookup[name]
    return request === undefined ? [] : [{ pointer: `/lookup/${name}`, request, hasId: name === 'by_id' }]
  })
  const token = auth !== undefined && 'oauth' in auth ? [{ url: auth.oauth.url }] : []
  return [
    { pointer: '/send', request: send, hasId: false },
    ...lookups,
    ...(balance === undefined ? [] : [{ pointer: '/balance', request: balance, hasId: false }]),
    ...token.map((request) => ({ pointer: '/auth/oauth', request, hasId: false })),
  ]
}

const namesOf = ({ settings = {}, secrets = {} }: Declaration, hasId: boolean): Names => ({
  message: hasId ? [...messageNames, idName] : messageNames,
  settings: Object.keys(settings),
  secrets: Object.keys(secrets),
})

/** Credentials and signatures know settings and secrets; a signature of a request is also over its message. */
function proofFaults(declaration: Declaration): Fault[] {
  const { auth = {}, status, inbound, lookup } = declaration
  const names = namesOf(declaration, false)
  const ofAccount = { ...names, message: [] }
  const isSigned = 'hmac' in auth
  return [
    ...treeFaults(
      '/auth',
      auth,
      isSigned ? { ...names, message: [...messageNames, 'signature'] } : ofAccount,
    ),
    ...treeFaults(
      '/status/verify',
      status?.verify === undefined ? {} : withoutPlaces(status.verify),
      ofAccount,
    ),
    ...treeFaults('/inbound/verify', inbound === undefined ? {} : withoutPlaces(inbound.verify), ofAccount),
    ...Object.entries(lookup?.search?.same ?? {}).flatMap(([place, text]) =>
      templateFaults(memberPointer('/lookup/search/same', place), text, names),
    ),
  ]
}

/** Places are no templates. */
const withoutPlaces = (verify: object | string): unknown =>
  JSON.parse(JSON.stringify(verify, (name, value: unknown) => (name === 'member' ? undefined : value)))

function answerFaults(answers: readonly AnswerRule[]): Fault[] {
  const accepts = answers.some(({ means }) => means === 'accepted')
  const none = accepts ? [] : [invalid('/send/answers', 'Has no rule that means `accepted`.')]
  return [...none, ...answers.flatMap((rule, i) => ruleFaults(`/send/answers/${i}`, rule))]
}

function ruleFaults(pointer: string, { status, at, is, means, code }: AnswerRule): Fault[] {
  const faults: Fault[] = []
  if (status === undefined && at === undefined) faults.push(invalid(pointer, 'Needs `status` or `at`.'))
  if (is !== undefined && at === undefined) faults.push(invalid(pointer, '`is` needs `at`.'))
  if (means === 'accepted' && at === undefined && !(status ?? '').startsWith('2'))
    faults.push(
      invalid(pointer, 'Only an answer of 2xx, or one with a value that says so, can mean `accepted`.'),
    )
  const isReason = (deviceReasons as readonly string[]).includes(code ?? '')
  if (code !== undefined && isReason !== (means === 'device')) {
    const fitting = means === 'device' ? deviceReasons.join(', ') : 'a code of a message'
    faults.push(invalid(`${pointer}/code`, `Does not go with \`${means}\`, which has ${fitting}.`))
  }
  return faults
}

/** Returns whether a placeholder of one of these names is anywhere in a part of a declaration. */
function mentions(part: unknown, ...names: readonly string[]): boolean {
  if (typeof part === 'string') {
    if (!part.includes('{')) return false
    try {
      return parseTemplate(part).some((each) => typeof each === 'object' && names.includes(each.name))
    } catch {
      return false
    }
  }
  return (
    typeof part === 'object' && part !== null && Object.values(part).some((each) => mentions(each, ...names))
  )
}
