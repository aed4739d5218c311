import { type Clock, dayMs, minuteMs } from '../../runtime/clock.ts'
import type { Config } from '../../config.ts'
import type { Inbound } from '../../connectors/connector.ts'
import { realKinds } from '../../connectors/registry.ts'
import { arriveRun } from '../../devices/canaries/canary-runs.ts'
import { codeIn } from '../../devices/canaries/canary-text.ts'
import { isOwnCarrier } from '../../devices/core/carrying.ts'
import { refuse } from '../../runtime/errors.ts'
import type { Ids } from '../../runtime/ids.ts'
import {
  findOwnWords,
  parseKeywords,
  type WordsOfAccounts,
} from '../../messages/opt-outs/account-keywords.ts'
import type { KeywordResult } from '../../messages/inbound/apply-keyword.ts'
import { takeChange } from '../../messages/core/change-number.ts'
import type { InboundMessage, InboundTerms, KeywordTerms } from '../../messages/inbound/inbound-message.ts'
import {
  findLastAccountThatSentTo,
  findAccountsThatSentTo,
} from '../../messages/inbound/accounts-that-sent.ts'
import { receiveMessages } from '../../messages/inbound/receive-messages.ts'
import { findNumbersSentTo } from '../../messages/inbound/numbers-sent-to.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import { plainText, withoutControls } from '../../runtime/plain-text.ts'
import { isMobile, possibleSenders, parseSender } from '../../numbers/sender-number.ts'
import { measureText } from '../../sms/sms-text.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import type { Mode } from '../../storage/tables/schema.ts'
import type { Writer } from '../../storage/seam/writer.ts'
import type { DevicePool } from '../devices/device-pool.ts'
import type { DeviceFacts } from '../configuration/device-facts.ts'
import { countryOf } from '../devices/device-slot.ts'
import { InboundRate } from './inbound-rate.ts'
import { knownSenders } from '../configuration/known-senders.ts'

interface InboundReceiverDeps {
  read: Db
  writer: Writer
  ids: Ids
  clock: Clock
  pool: Pick<DevicePool, 'get'>
  config: Pick<Config, 'inboundJoinMinutes' | 'inboundCharacters' | 'inboundPerMinute' | 'sharedReplyDays'>
  /** Rules for STOP, START and HELP; omitted when keywords are not applied. */
  keywords?: KeywordTerms
  /** Receives the result of a keyword after the commit. */
  onKeywordApplied?: (followed: KeywordResult) => void
}

/** Accepts what devices receive: measured, and stored before the device gets its confirmation. */
export class InboundReceiver {
  readonly #deps: InboundReceiverDeps
  readonly #rate: InboundRate

  constructor(deps: InboundReceiverDeps) {
    this.#deps = deps
    this.#rate = new InboundRate(deps, deps.config.inboundPerMinute)
  }

  /**
   * Settles when the message is stored, now or before. Rejects when it could not be stored, or when the
   * device exceeds its limit: then the sender delivers it again.
   */
  async receive(deviceId: string, inbound: Inbound): Promise<void> {
    const { config, pool } = this.#deps
    if (!this.#rate.take(deviceId)) throw tooMany(config.inboundPerMinute)
    if (await this.#isCanary(deviceId, inbound)) return
    const running = pool.get(deviceId)
    const owner = running?.facts ?? (await this.#ownerOf(deviceId))
    const cut = inbound.text.slice(0, config.inboundCharacters)
    const text = inbound.fragment === undefined ? plainText(cut) : withoutControls(cut)
    const from = await this.#senderOf(deviceId, owner, inbound)
    const number = parsePhoneNumber(from)
    const { encoding, units, parts } = measureText(text, 'auto')
    const { to, inReplyTo, fingerprint, fingerprintGuessed, formerFingerprint, toldOtherwise } = inbound
    const { mode } = owner
    const country = 'country' in number ? number.country : null
    const accountId = owner.accountId ?? (await this.#lastAccount(deviceId, mode, { from, inReplyTo }))
    const ownWords = inbound.fragment === undefined ? await this.#ownWords(text, owner.accountId) : null
    const isStop = owner.accountId === null && ownWords !== null && this.#isStop(text, ownWords)
    const accountsThatSent = isStop ? await this.#allAccounts(deviceId, mode, from) : null
    await this.#store({
      deviceId,
      accountId,
      mode,
      from,
      to,
      country,
      text,
      encoding,
      units,
      parts,
      networkAt: inbound.networkAt,
      inReplyTo,
      ...(inbound.inReplyToAttempt !== undefined && { inReplyToAttempt: inbound.inReplyToAttempt }),
      fingerprint,
      ...(fingerprintGuessed && { fingerprintGuessed }),
      ...(formerFingerprint && { formerFingerprint }),
      ...(toldOtherwise && { toldOtherwise }),
      isShared: owner.accountId === null,
      isOwnDevice: isOwnCarrier(owner, realKinds),
      answerFrom:
        to !== null && running !== null && knownSenders(running.facts, running.link).has(to) ? to : null,
      ...(accountsThatSent === null ? {} : { accountsThatSent }),
      ...(ownWords === null ? {} : { ownWords }),
      ...(inbound.fragment === undefined ? {} : { fragment: inbound.fragment }),
    })
  }

  /**
   * Returns the sender. A national number that is no mobile number of the device's country is resolved to the
   * number that the device has sent to and that ends with it, if there is exactly one: replies go to the
   * device that wrote. Digits without a known meaning that no numbering plan knows are kept as received.
   */
  async #senderOf(
    deviceId: string,
    { mode, country }: Pick<DeviceFacts, 'mode' | 'country'>,
    { from, fromIs }: Pick<Inbound, 'from' | 'fromIs'>,
  ): Promise<string> {
    const sender = parseSender(from, { is: fromIs, country })
    if (fromIs === 'other' || isMobile(sender)) return sender
    const numbers = possibleSenders(from, fromIs)
    const [written, another] = await findNumbersSentTo(this.#deps.read, { deviceId, mode, numbers })
    return written !== undefined && another === undefined ? written : sender
  }

  /** A canary that arrives ends its run before it could be stored: no conversation, webhook or keyword sees it. */
  async #isCanary(deviceId: string, { text, fragment }: Inbound): Promise<boolean> {
    const code = fragment === undefined ? codeIn(text) : null
    if (code === null) return false
    const { writer, clock } = this.#deps
    return writer.write((tx) => arriveRun(tx, { deviceId, code }, clock.now()))
  }

  async #store(message: Omit<InboundMessage, 'storedAt'>): Promise<void> {
    const { writer, ids, clock, config, keywords, onKeywordApplied } = this.#deps
    const terms = { ...inboundTermsOf(config), ...(keywords === undefined ? {} : { keywords }) }
    const done = await writer.write(async (tx) =>
      receiveMessages(tx, { ids, unit: await takeChange(tx, clock.now()) }, [message], terms),
    )
    for (const each of done) if (each.keyword !== null) onKeywordApplied?.(each)
  }

  /**
   * Reads the owner of a disabled device: a disabled phone still receives, and a message that it could not
   * deliver would block all later ones.
   */
  async #ownerOf(deviceId: string): Promise<Pick<DeviceFacts, 'accountId' | 'mode' | 'kind' | 'country'>> {
    const row = await this.#deps.read
      .selectFrom('devices')
      .select(['account_id', 'mode', 'kind', 'settings'])
      .where('id', '=', deviceId)
      .where('state', '!=', 'retired')
      .executeTakeFirst()
    if (row === undefined) throw new Error('there is no such device')
    return { accountId: row.account_id, mode: row.mode, kind: row.kind, country: countryOf(row) }
  }

  /** Reads the account's own keywords with a reader, so that no writer waits; null where keywords are not applied. */
  async #ownWords(text: string, accountId: string | null): Promise<WordsOfAccounts | null> {
    const { read, keywords } = this.#deps
    return keywords === undefined ? null : findOwnWords(read, { text, accountId })
  }

  /** Returns whether the text is a STOP for any account that may have sent to it. */
  #isStop(text: string, ownWords: WordsOfAccounts): boolean {
    const { keywords } = this.#deps
    return keywords !== undefined && parseKeywords(text, keywords.stopWords, ownWords).isAny('stop')
  }

  /**
   * The accounts that a STOP through a shared device applies to: those that had sent to the number when it
   * arrived. A reader sees them, because attempts are flushed before they are submitted.
   */
  #allAccounts(deviceId: string, mode: Mode, number: string): Promise<string[]> {
    const { read, clock, keywords } = this.#deps
    const sinceMs = clock.now() - (keywords?.sharedStopDays ?? 0) * dayMs
    return findAccountsThatSentTo(read, { deviceId, mode, number, sinceMs })
  }

  /** A message that names the part that it answers needs no guess. */
  async #lastAccount(
    deviceId: string,
    mode: Mode,
    { from, inReplyTo }: Pick<Inbound, 'from' | 'inReplyTo'>,
  ): Promise<string | null> {
    const { read, clock, config } = this.#deps
    const { sharedReplyDays } = config
    if (inReplyTo !== null || sharedReplyDays === 0) return null
    const sinceMs = clock.now() - sharedReplyDays * dayMs
    return findLastAccountThatSentTo(read, { deviceId, mode, number: from, sinceMs })
  }
}

/** Returns the terms for received messages from the settings. */
export const inboundTermsOf = (
  config: Pick<Config, 'inboundJoinMinutes' | 'inboundCharacters'>,
): InboundTerms => ({
  joinMs: config.inboundJoinMinutes * minuteMs,
  maxCharacters: config.inboundCharacters,
})

const tooMany = (perMinute: number) =>
  refuse('rate_limited', {
    detail: `This device has received ${perMinute} messages within a minute; the next are accepted after it.`,
    headers: { 'retry-after': '60' },
  })
