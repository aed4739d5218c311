import { randomBytes } from 'node:crypto'
import { issueEmailLink } from '../../src/accounts/people/email-links.ts'
import type { calls, InputOf } from '../../src/api/console/calls.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createIds } from '../../src/runtime/ids.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { type AccessHouse, type IdOf, newEndpoint, newKey, shopName, simulator } from './objects-of.ts'
import { newSoftPasskey } from './soft-passkey.ts'
import type { ConsolePerson } from './start-console.ts'
import { totp } from './visitor.ts'

type Calls = typeof calls
/** The calls that ask who calls. */
export type GuardedCall = {
  [N in keyof Calls]: Calls[N]['access'] extends 'anyone' ? never : N
}[keyof Calls]

interface Asked {
  /** Whose objects are named. */
  id: IdOf
  /** Who asks. */
  who: ConsolePerson
  house: AccessHouse
}

type RightInput<N extends GuardedCall> = (asked: Asked) => InputOf<N> | Promise<InputOf<N>>

const nothing = (): Record<string, never> => ({})
const password = testPassword
const inAnHour = (): number => systemClock.now() + 3_600_000
const today = (): number => Math.floor(systemClock.now() / 86_400_000)
const period = () => ({ fromDay: today() - 7, toDay: today() + 1 })
const body = { to: '+4915112345678', text: 'Hello' }
const key = 'access-right'
/** Everything of a filter that names something. */
const filter = async ({ id }: Asked) => ({
  deviceId: await id('device'),
  sentBy: await id('user'),
  sendId: await id('send'),
  number: await id('number'),
})
const endpoint = async ({ id }: Asked) => ({ endpointId: await id('endpoint') })
const event = async ({ id }: Asked) => ({ endpointId: await id('endpoint'), eventId: await id('event') })

const emailLink = async ({ who, house }: Asked) => {
  const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes }
  const link = { userId: who.userId, email: who.email, lifeMs: 60_000, actor: who.userId }
  const { token } = await house.app.storage.writer.write((tx) => issueEmailLink(tx, deps, link))
  return { token }
}

/** Of each guarded call an input that it takes from whoever has the objects named in it: every id that a call knows stands in it. */
export const rightInputs: { [N in GuardedCall]: RightInput<N> } = {
  'email/send-link': () => ({}),
  'email/look': emailLink,
  'email/confirm': emailLink,
  'profile/read': nothing,
  'profile/change': ({ who }) => ({ name: 'Somebody', email: who.email }),
  'profile/mute-alerts': () => ({ kinds: [] }),
  'profile/change-password': () => ({ password, next: password }),
  'profile/end-session': async ({ id }) => ({ sessionId: await id('session') }),
  'profile/end-other-sessions': nothing,
  'second-factor/begin': () => ({ password }),
  'second-factor/confirm': async ({ id }) => ({ code: totp(await id('appSecret')) }),
  'second-factor/renew-codes': withSecondFactor,
  'second-factor/remove': withSecondFactor,
  'passkeys/begin': () => ({ name: 'Phone', password }),
  'passkeys/add': async ({ id, who, house }) => {
    const options = { challenge: await id('challenge'), user: { id: who.userId } }
    return { name: 'Phone', made: newSoftPasskey(house.url).make(options) }
  },
  'passkeys/remove': async ({ id }) => ({ passkeyId: await id('passkey'), password }),
  'link/accept': async ({ id }) => ({ token: await id('invitationToken') }),
  'members/list': nothing,
  'members/invite': () => ({ email: 'invited@example.org', role: 'member' }),
  'members/revoke-invitation': async ({ id }) => ({ linkId: await id('invitation') }),
  'members/change-role': async ({ id }) => ({ userId: await id('member'), role: 'owner' }),
  'members/remove': async ({ id }) => ({ userId: await id('member') }),
  'members/leave': nothing,
  'operator/invitations': nothing,
  'operator/invite': () => ({ email: 'invited@example.org' }),
  'operator/revoke-invitation': async ({ id }) => ({ linkId: await id('operatorInvitation') }),
  'start/read': nothing,
  live: nothing,
  'keys/list': nothing,
  'keys/create': () => newKey,
  'keys/limit': () => ({ dailyCap: 200 }),
  'keys/revoke': async ({ id }) => ({ keyId: await id('key') }),
  'keys/rotate': async ({ id }) => ({ keyId: await id('key'), overlapHours: 1 }),
  'send/choices': nothing,
  'send/price': () => ({ body }),
  'send/one': () => ({ body, key }),
  'send/rows': () => ({ key, rows: [{ row: 0, to: body.to, text: body.text }], options: {} }),
  'send/check-numbers': () => ({ numbers: [body.to] }),
  'operator/accounts': async ({ id }) => ({ words: '', beforeId: await id('account') }),
  'operator/open-account': async ({ id, who }) => ({
    name: 'Other',
    email: who.email,
    userId: await id('user'),
  }),
  'operator/reset-link': ({ who }) => ({ email: who.email }),
  'operator/grant': async ({ id }) => ({ accountId: await id('account'), mode: 'test', kind: 'grant', sms: 1, note: 'Welcome', key }), // prettier-ignore
  'operator/limits': async ({ id }) => ({ accountId: await id('account'), queueLimit: 1 }),
  'operator/own-devices': async ({ id }) => ({ accountId: await id('account'), price: 'charged' }),
  'operator/plan': async ({ id }) => ({ accountId: await id('account'), plan: 'pro' }),
  'operator/reach': async ({ id }) => ({ accountId: await id('account'), countries: null, quietHours: null }),
  'operator/state': async ({ id }) => ({ accountId: await id('account'), state: 'suspended' }),
  'operator/health': nothing,
  'operator/tokens': nothing,
  'operator/create-token': () => ({ name: 'Billing', scope: 'read', expiresAt: null }),
  'operator/revoke-token': async ({ id }) => ({ tokenId: await id('operatorToken') }),
  'operator/rules': nothing,
  'operator/add-rule': async ({ id }) => ({
    accountId: await id('account'),
    name: 'Shop',
    way: 'own',
    conditions: { to: '49' },
  }),
  'operator/change-rule': async ({ id }) => ({
    ruleId: await id('rule'),
    name: 'Shop',
    way: null,
    conditions: {},
  }),
  'operator/move-rule': async ({ id }) => ({ ruleId: await id('rule'), beforeId: null }),
  'operator/remove-rule': async ({ id }) => ({ ruleId: await id('rule') }),
  'operator/audit': async ({ id }) => ({ beforeId: await id('auditLine'), accountId: await id('account') }),
  'history/page': async (asked) => ({ filter: await filter(asked), cursor: await asked.id('page') }),
  'history/rows': async ({ id }) => ({ ids: [await id('message')] }),
  'history/names': nothing,
  'history/message': async ({ id }) => ({ id: await id('message') }),
  'history/cancel': async ({ id }) => ({ id: await id('message') }),
  'history/move': async ({ id }) => ({ id: await id('message'), sendAtMs: inAnHour() }),
  'history/send-again': async ({ id }) => ({ id: await id('message'), key: crypto.randomUUID() }),
  'history/export': async (asked) => ({ filter: await filter(asked), format: 'json' }),
  'history/erase-number': async ({ id }) => ({ number: await id('number') }),
  'conversations/list': async ({ id }) => ({ beforeId: await id('message') }),
  'conversations/page': async ({ id }) => ({ number: await id('number'), beforeId: await id('message') }),
  'opt-outs/list': async ({ id }) => ({ beforeId: await id('placeOfOptOut') }),
  'opt-outs/add': () => ({ text: body.to }),
  'opt-outs/remove': async ({ id }) => ({ recipient: await id('optOut') }),
  'quiet-hours/read': nothing,
  'quiet-hours/set': () => ({ hours: null }),
  'keywords/list': nothing,
  'keywords/set': () => ({
    language: 'fr',
    stop: [],
    start: [],
    help: [],
    off: [],
    stopAnswer: null,
    helpAnswer: null,
    updatedAt: null,
  }),
  'keywords/remove': () => ({ language: 'fr' }),
  'operator/erase-number': async ({ id }) => ({ number: body.to, accountId: await id('account') }),
  'operator/erase-account': async ({ id }) => ({ accountId: await id('account'), confirm: shopName }),
  'devices/list': () => ({ hours: 24 }),
  'devices/one': async ({ id }) => ({ deviceId: await id('device'), hours: 24 }),
  'devices/kinds': nothing,
  'devices/add': () => simulator,
  'devices/change': async ({ id }) => ({ deviceId: await id('device'), name: 'Renamed' }),
  'devices/remove': async ({ id }) => ({ deviceId: await id('device'), isLost: false }),
  'devices/order': nothing,
  'devices/set-order': () => ({ steps: [{ use: 'own', isForBusy: false, afterMinutes: null }] }),
  'devices/invite-phone': async ({ id }) => ({ isShared: false, former: await id('phoneToken') }),
  'devices/guide-beginning': nothing,
  'devices/try-address': nothing,
  'devices/guide': async ({ id }) => ({
    tokenId: await id('phoneToken'),
    deviceId: await id('device'),
    messageId: await id('message'),
  }),
  // Port 9 of this machine: the answer is that nothing answers.
  'devices/connect-local': async ({ id }) => ({
    accountId: await id('account'),
    mode: 'test',
    isShared: false,
    address: '127.0.0.1:9',
    user: '',
    password: '-',
  }),
  'devices/begin-reach': () => ({}),
  'devices/reach-progress': () => ({ nonce: 'A'.repeat(22) }),
  'devices/find-phones': async ({ id }) => ({ accountId: await id('account'), port: null }),
  'devices/ports': nothing,
  'devices/search-progress': async ({ id }) => ({ accountId: await id('account') }),
  'devices/send-test': () => ({ ...body, from: null, key }),
  'devices/addresses': async ({ id }) => ({ deviceId: await id('device') }),
  'devices/show-request': () => ({
    settings: { provider: 'aws-sns', region: 'eu-central-1', key_id: 'AKIDEXAMPLE' },
    to: body.to,
    text: body.text,
  }),
  'devices/try': async ({ id }) => ({ deviceId: await id('device') }),
  'overview/traffic': () => ({ range: '24h' }),
  'overview/now': nothing,
  'balance/summary': nothing,
  'balance/statement': period,
  'balance/export': period,
  'balance/threshold': () => ({ threshold: 5 }),
  'webhooks/list': nothing,
  'webhooks/add': ({ house }) => newEndpoint(house),
  'webhooks/change': async (asked) => ({ ...(await endpoint(asked)), state: 'disabled' }),
  'webhooks/rotate': endpoint,
  'webhooks/end-former-secrets': endpoint,
  'webhooks/remove': endpoint,
  'webhooks/test': endpoint,
  'webhooks/deliveries': async (asked) => ({ ...(await endpoint(asked)), before: await asked.id('event') }),
  'webhooks/delivery': event,
  'webhooks/of-message': async ({ id }) => ({ messageId: await id('message') }),
  'webhooks/replay': event,
  'webhooks/replay-range': async (asked) => ({
    ...(await endpoint(asked)),
    fromMs: 0,
    untilMs: systemClock.now(),
    onlyFailed: true,
  }),
}

/** What asks for the password of somebody who has a second factor. */
async function withSecondFactor({ id }: Asked): Promise<{ password: string }> {
  await id('secondFactor')
  return { password }
}
