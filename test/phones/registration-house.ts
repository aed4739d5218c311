import { findPhoneToken, mintPhoneToken, revokePhoneTokens } from '../../src/devices/phones/phone-tokens.ts'
import { findPhone } from '../../src/devices/phones/known-phone.ts'
import {
  type PhoneDeps,
  registerPhone,
  type SaidOfPhone,
} from '../../src/devices/phones/registered-phones.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { type AccountsFixture, openAccountsFixture } from '../accounts/accounts-fixture.ts'

/** The real store with one account, for private tokens and the phones that register with them. */
export interface RegistrationHouse extends AccountsFixture {
  accountId: string
  /** Devices whose app is connected just now. */
  connected: Set<string>
  phoneDeps(): PhoneDeps
  /** A private token: of the account unless another owner is named, or none, for what all share. */
  mint(owner?: string | null): ReturnType<typeof mintPhoneToken>
  revoke(owner?: string | null): ReturnType<typeof revokePhoneTokens>
  /** Whom a token brings phones, as somebody types it. */
  ownerOf(typed: string): ReturnType<typeof findPhoneToken>
  register(token: string, said?: Partial<SaidOfPhone>): ReturnType<typeof registerPhone>
  find(deviceToken: string): ReturnType<typeof findPhone>
  /** Every cell of what is stored about phones and their tokens. */
  everything(): Promise<string>
}

export const secretBox = createDeviceSecretBox({
  current: 'a secret of the instance, long enough',
  former: [],
})

/** What a phone says of itself, unless a test says otherwise. */
export const a12: SaidOfPhone = {
  name: 'samsung/a12',
  sims: [{ slot: 1, number: '********1234', carrier: '**elco', iccid: '***************0001' }],
  usesPush: false,
  appVersion: '1.68.0',
}

export async function openRegistrationHouse(): Promise<RegistrationHouse> {
  const fixture = await openAccountsFixture()
  const { accountId } = await fixture.addAccount()
  const { read, writer } = fixture.storage
  const connected = new Set<string>()
  const phoneDeps = (): PhoneDeps => ({
    ...fixture.deps(),
    secretBox,
    kind: 'android',
    rules: { settings: [], secretNames: [] },
    isPresent: (id) => connected.has(id),
    maxPhones: 3_000,
  })
  return {
    ...fixture,
    accountId,
    connected,
    phoneDeps,
    mint: (owner = accountId) =>
      writer.write((tx) =>
        mintPhoneToken(tx, phoneDeps(), { accountId: owner, mode: 'live', actor: 'test' }),
      ),
    revoke: (owner = accountId) =>
      writer.write((tx) => revokePhoneTokens(tx, phoneDeps(), { accountId: owner, actor: 'test' })),
    ownerOf: (typed) => findPhoneToken(read, typed),
    register: (token, said = {}) =>
      writer.write((tx) => registerPhone(tx, phoneDeps(), token, { ...a12, ...said })),
    find: (deviceToken) => findPhone(read, phoneDeps(), { deviceToken }),
    async everything() {
      const tables = ['phone_tokens', 'phones', 'devices', 'audit_log'] as const
      return JSON.stringify(
        await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute())),
      )
    },
  }
}
