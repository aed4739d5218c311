import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { addMember } from '../../src/accounts/people/members.ts'
import type { AnswerOf, CallName, InputOf } from '../../src/api/console/calls.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { eventually } from '../eventually.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { newSoftPasskey } from './soft-passkey.ts'
import { type ConsolePerson, cookieOf, type TestConsole } from './start-console.ts'
import { newVisitor, totp } from './visitor.ts'

/** Of a house in which somebody's endpoint answers. */
export interface AccessHouse extends TestConsole {
  receiverUrl: string
}

/** What the input of a call names. */
export type ObjectKind =
  | 'device' | 'phoneToken' | 'key' | 'endpoint' | 'event' | 'message' | 'send' | 'page' | 'number' | 'optOut' | 'placeOfOptOut'
  | 'member' | 'invitation' | 'session' | 'passkey' | 'user' | 'account' | 'operatorToken' | 'rule' | 'operatorInvitation' | 'auditLine'
  | 'invitationToken' | 'challenge' | 'appSecret' | 'secondFactor' // prettier-ignore

/** The id of somebody's object of a kind. */
export type IdOf = (kind: ObjectKind) => Promise<string>

const ids = createIds({ now: systemClock.now })
let made = 0
const newEmail = (): string => `somebody-${++made}@example.org`
const newNumber = (): string => `+49151${String(10_000_000 + ++made)}`

/** Objects that a person makes by calls of the console, in test mode, each once. */
export function objectsOf(house: AccessHouse, person: ConsolePerson): IdOf {
  const known = new Map<ObjectKind, Promise<string>>()
  const idOf: IdOf = (kind) => {
    const id = known.get(kind) ?? makers[kind]({ house, person, idOf })
    known.set(kind, id)
    return id
  }
  return idOf
}

/** Ids of objects that nobody has, each of the form of its kind. */
export const absentId: IdOf = async (kind) => absentIds[kind]()

const absentIds: Record<ObjectKind, () => string> = {
  device: () => ids('dev'),
  phoneToken: () => ids('ptk'),
  key: () => ids('key'),
  endpoint: () => ids('whk'),
  event: () => ids('evt'),
  message: () => ids('msg'),
  send: () => ids('snd'),
  page: () => randomBytes(60).toString('base64url'),
  number: newNumber,
  optOut: newNumber,
  placeOfOptOut: () => `${systemClock.now()}/${newNumber()}`,
  member: () => ids('usr'),
  invitation: () => ids('lnk'),
  session: () => randomBytes(16).toString('hex'),
  passkey: () => ids('psk'),
  user: () => ids('usr'),
  account: () => ids('acc'),
  operatorToken: () => ids('otk'),
  rule: () => ids('rul'),
  operatorInvitation: () => ids('lnk'),
  auditLine: () => ids('aud'),
  invitationToken: () => randomBytes(32).toString('base64url'),
  challenge: () => randomBytes(60).toString('base64url'),
  appSecret: () => 'A'.repeat(32),
  secondFactor: () => 'A'.repeat(32),
}

interface Making {
  house: AccessHouse
  person: ConsolePerson
  idOf: IdOf
}

const makers: Record<ObjectKind, (making: Making) => Promise<string>> = {
  device: async (making) => (await change(making, 'devices/add', simulator)).deviceId,
  phoneToken: async (making) => (await change(making, 'devices/invite-phone', { isShared: false })).tokenId,
  key: async (making) => (await change(making, 'keys/create', newKey)).keyId,
  endpoint: async (making) => (await change(making, 'webhooks/add', newEndpoint(making.house))).endpointId,
  /** That was delivered: while it is tried its log changes by itself. */
  async event(making) {
    const endpointId = await making.idOf('endpoint')
    const { eventId } = await change(making, 'webhooks/test', { endpointId })
    await eventually(
      () => read(making, 'webhooks/delivery', { endpointId, eventId }),
      ({ delivery }) => expect(delivery.state).toBe('delivered'),
    )
    return eventId
  },
  message: async (making) => (await send(making)).messages[0]?.id ?? '',
  send: async (making) => (await send(making)).id,
  /** The place behind the first of two messages. */
  async page(making) {
    await send(making)
    await send(making)
    return (await read(making, 'history/page', { filter: {}, limit: 1 })).next ?? ''
  },
  number: async (making) => (await send(making)).messages[0]?.to ?? '',
  async optOut(making) {
    const text = newNumber()
    await change(making, 'opt-outs/add', { text })
    return text
  },
  async placeOfOptOut(making) {
    await making.idOf('optOut')
    const [row] = (await read(making, 'opt-outs/list', {})).rows
    return `${row?.sinceMs}/${row?.recipient}`
  },
  async member({ house, person: { accountId } }) {
    const { userId } = await house.openAccount(`Member${++made}`)
    await house.app.storage.writer.write((tx) =>
      addMember(tx, { ids, nowMs: systemClock.now() }, { accountId, userId, role: 'member', actor: 'test' }),
    )
    return userId
  },
  async invitation(making) {
    const email = newEmail()
    await change(making, 'members/invite', { email, role: 'member' })
    return idFor(email, (await read(making, 'members/list', {})).invitations)
  },
  async session(making) {
    await newVisitor(making.house.url).change('session/sign-in', {
      email: making.person.email,
      password: testPassword,
    })
    return (await read(making, 'profile/read', {})).sessions.find(({ isThis }) => !isThis)?.id ?? ''
  },
  async passkey(making) {
    const { options } = await change(making, 'passkeys/begin', { name: 'Phone', password: testPassword })
    const passkey = newSoftPasskey(making.house.url)
    return (await change(making, 'passkeys/add', { name: 'Phone', made: passkey.make(options) })).passkeyId
  },
  user: async ({ person }) => person.userId,
  account: async (making) =>
    (await change(making, 'operator/open-account', { name: shopName, email: newEmail() })).accountId,
  operatorToken: async (making) =>
    (await change(making, 'operator/create-token', { name: 'Billing', scope: 'read', expiresAt: null }))
      .tokenId,
  rule: async (making) =>
    (await change(making, 'operator/add-rule', { accountId: null, name: 'Rule', way: 'own', conditions: {} }))
      .ruleId,
  async operatorInvitation(making) {
    const email = newEmail()
    await change(making, 'operator/invite', { email })
    return idFor(email, (await read(making, 'operator/invitations', {})).invitations)
  },
  invitationToken: async (making) =>
    (await change(making, 'members/invite', { email: newEmail(), role: 'member' })).link.split('#')[1] ?? '',
  challenge: async (making) =>
    (await change(making, 'passkeys/begin', { name: 'Phone', password: testPassword })).options.challenge,
  appSecret: async (making) =>
    (await change(making, 'second-factor/begin', { password: testPassword })).secret,
  /** The session goes on under another name. */
  async secondFactor({ person, idOf }) {
    const secret = await idOf('appSecret')
    person.cookie = cookieOf(await person.change('second-factor/confirm', { code: totp(secret) }))
    return secret
  },
  auditLine: async (making) => (await read(making, 'operator/audit', {})).lines[0]?.id ?? '',
}

/** What an account is called that an operator opened. */
export const shopName = 'Shop'

export const simulator: InputOf<'devices/add'> = {
  kind: 'simulator',
  name: 'Mine',
  isShared: false,
  senders: [],
  settings: {},
  secrets: {},
  pace: null,
}
export const newKey: InputOf<'keys/create'> = {
  name: 'Shop',
  scopes: ['messages:send'],
  addresses: [],
  dailyCap: null,
  expiresAt: null,
}
/** Is told nothing that happens by itself. */
export const newEndpoint = ({ receiverUrl }: AccessHouse): InputOf<'webhooks/add'> => ({
  url: receiverUrl,
  types: ['webhook.test'],
  mode: null,
})

/** Waits for an hour, so that it can be canceled and moved. */
const send = (making: Making): Promise<AnswerOf<'send/one'>> =>
  change(making, 'send/one', {
    body: { to: newNumber(), text: 'Hello', send_at: new Date(systemClock.now() + 3_600_000).toISOString() },
    key: `access-${++made}`,
  })

const idFor = (email: string, invitations: readonly { id: string; email: string }[]): string =>
  invitations.find((invitation) => invitation.email === email)?.id ?? ''

const change = <N extends CallName<'change'>>(
  { person }: Making,
  name: N,
  input: InputOf<N>,
): Promise<AnswerOf<N>> => answered(name, person.change(name, input, { mode: 'test' }))
const read = <N extends CallName<'read'>>(
  { person }: Making,
  name: N,
  input: InputOf<N>,
): Promise<AnswerOf<N>> => answered(name, person.read(name, input, { mode: 'test' }))

async function answered<T>(name: string, answer: Promise<{ status: number; body: unknown }>): Promise<T> {
  const { status, body } = await answer
  if (status !== 200) throw new Error(`${name} made nothing: ${JSON.stringify(body)}`)
  return body as T
}
