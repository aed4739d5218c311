import { type Clock, minuteMs } from '../../runtime/clock.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { AccountState, Mode, OwnDevicePrice } from '../../storage/tables/schema.ts'
import { type AccountGuard, guardColumns, guardOf } from '../core/account-guard.ts'
import { type AddressList, readAddressList } from '../../runtime/address-list.ts'
import { parseApiKey } from './api-key-format.ts'
import type { KeyUse, Scope } from './api-keys.ts'
import { BoundedMap } from '../../runtime/bounded-map.ts'
import { readJson } from '../../storage/tables/json-columns.ts'

/** The caller, as identified by the key. A null limit is that of the instance, 0 is no limit. */
export interface Caller {
  keyId: string
  accountId: string
  mode: Mode
  scopes: ReadonlySet<Scope>
  /** Never `closed`: keys of closed accounts are rejected. */
  accountState: AccountState
  sendPerMinute: number | null
  readPerMinute: number | null
  queueLimit: number | null
  /** SMS per UTC day. */
  dailyCap: number | null
  recipientLimits: AccountGuard
  /** What messages over own devices of the account cost. Omitted: `charged`. */
  ownDevices?: OwnDevicePrice
}

/** Why a token was rejected. Only for the log: the response does not reveal it. */
export type RefusedBecause = 'unknown' | 'malformed' | 'expired' | 'revoked' | 'closed' | 'address'

export interface AuthenticatorDeps {
  read: Db
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Called for each rejection; `keyId` is null if the token is no key of this instance. */
  refused?: (refusal: { because: RefusedBecause; keyId: string | null; remoteAddress: string }) => void
}

interface KnownKey {
  caller: Caller
  addresses: AddressList | null
  expiresAt: number | null
  staleAtMs: number
  lastUsedMinute: number
}
interface KnownFake {
  because: RefusedBecause
  keyId: string | null
  staleAtMs: number
}
type Finding = { key: KnownKey } | { fake: KnownFake }

/** A revoked key is rejected within 5 s on every node, even if `invalidate` is not called. */
const keyLifeMs = 5_000
const fakeLifeMs = 1_000
const maxKeys = 50_000
const maxFakes = 10_000

/**
 * Authenticates API keys. A key in use costs one map lookup: no hash, no database. Valid keys and fakes are
 * cached separately, so that a flood of fakes evicts no valid key; a token with a wrong checksum costs
 * neither memory nor a lookup.
 */
export class Authenticator {
  readonly #deps: AuthenticatorDeps
  readonly #keys = new BoundedMap<KnownKey>(maxKeys)
  readonly #fakes = new BoundedMap<KnownFake>(maxFakes)
  readonly #lookUps = new Map<string, Promise<Finding>>()
  #generation = 0
  #uses = new Map<string, KeyUse>()

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps
  }

  /**
   * Returns the caller of a token, or null if it is not valid (from this address, now). Throws only if the
   * database cannot be read.
   */
  async authenticate(token: string, remoteAddress: string): Promise<Caller | null> {
    const nowMs = this.#deps.clock.monotonicMs()
    const key = this.#keys.get(token)
    if (key !== undefined && key.staleAtMs > nowMs) return this.#admit(key, remoteAddress)
    const fake = this.#fakes.get(token)
    if (fake !== undefined && fake.staleAtMs > nowMs)
      return this.#refuse(fake.because, fake.keyId, remoteAddress)
    const parsed = parseApiKey(token)
    if (parsed === null) return this.#refuse('malformed', null, remoteAddress)
    const finding = await this.#lookUpOnce(token, parsed)
    return 'key' in finding
      ? this.#admit(finding.key, remoteAddress)
      : this.#refuse(finding.fake.because, finding.fake.keyId, remoteAddress)
  }

  /**
   * Clears the caches, because accounts or keys have changed. Results of running lookups are not cached
   * either.
   */
  invalidate(): void {
    this.#generation += 1
    this.#keys.clear()
    this.#fakes.clear()
    this.#lookUps.clear()
  }

  /** Returns the uses of keys since the last call, for `touchLastUsed`. */
  takeUses(): KeyUse[] {
    const uses = [...this.#uses.values()]
    this.#uses = new Map()
    return uses
  }

  #admit(key: KnownKey, remoteAddress: string): Caller | null {
    const nowMs = this.#deps.clock.now()
    const { caller } = key
    if (key.expiresAt !== null && key.expiresAt <= nowMs)
      return this.#refuse('expired', caller.keyId, remoteAddress)
    if (key.addresses?.includes(remoteAddress) === false)
      return this.#refuse('address', caller.keyId, remoteAddress)
    const minute = Math.floor(nowMs / minuteMs)
    if (minute !== key.lastUsedMinute) {
      key.lastUsedMinute = minute
      this.#uses.set(caller.keyId, { keyId: caller.keyId, atMs: minute * minuteMs })
    }
    return caller
  }

  #refuse(because: RefusedBecause, keyId: string | null, remoteAddress: string): null {
    this.#deps.refused?.({ because, keyId, remoteAddress })
    return null
  }

  /** Concurrent requests with the same token share one lookup. */
  #lookUpOnce(token: string, parsed: { mode: Mode; hash: string }): Promise<Finding> {
    const running = this.#lookUps.get(token)
    if (running !== undefined) return running
    const generation = this.#generation
    const lookUp = this.#lookUp(parsed)
      .then((found) => {
        if (generation === this.#generation) this.#remember(token, found)
        return found
      })
      .finally(() => {
        if (this.#lookUps.get(token) === lookUp) this.#lookUps.delete(token)
      })
    this.#lookUps.set(token, lookUp)
    return lookUp
  }

  #remember(token: string, finding: Finding): void {
    if ('key' in finding) this.#keys.set(token, finding.key)
    else this.#fakes.set(token, finding.fake)
  }

  async #lookUp({ mode, hash }: { mode: Mode; hash: string }): Promise<Finding> {
    // Taken before the read, so that the result is at least as new as this moment.
    const nowMs = this.#deps.clock.monotonicMs()
    const fake = (because: RefusedBecause, keyId: string | null): Finding => ({
      fake: { because, keyId, staleAtMs: nowMs + fakeLifeMs },
    })
    const row = await readKey(this.#deps.read, mode, hash)
    if (row === undefined) return fake('unknown', null)
    if (row.revoked_at !== null) return fake('revoked', row.id)
    if (row.state === 'closed') return fake('closed', row.id)
    const caller: Caller = {
      keyId: row.id,
      accountId: row.account_id,
      mode,
      scopes: new Set(readJson(row.scopes) as Scope[]),
      accountState: row.state,
      sendPerMinute: row.send_per_minute,
      readPerMinute: row.read_per_minute,
      queueLimit: row.queue_limit,
      dailyCap: row.daily_cap,
      recipientLimits: guardOf(row),
      ownDevices: row.own_devices,
    }
    const addresses = row.addresses === null ? null : readAddressList(readJson(row.addresses))
    const lastUsedMinute = Math.floor((row.last_used_at ?? 0) / minuteMs)
    return {
      key: { caller, addresses, expiresAt: row.expires_at, staleAtMs: nowMs + keyLifeMs, lastUsedMinute },
    }
  }
}

const readKey = (db: Db, mode: Mode, hash: string) =>
  db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id',
      'api_keys.account_id',
      'scopes',
      'addresses',
      'daily_cap',
      'expires_at',
      'revoked_at',
      'last_used_at',
    ])
    .select(['accounts.state', 'send_per_minute', 'read_per_minute', 'queue_limit', ...guardColumns])
    .where('api_keys.hash', '=', hash)
    .where('api_keys.mode', '=', mode)
    .executeTakeFirst()
