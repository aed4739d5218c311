import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Inbound } from '../../src/connectors/connector.ts'
import { InboundReceiver } from '../../src/dispatch/inbound/inbound-receiver.ts'
import { openWallets } from '../../src/ledger/grants.ts'
import { findOwnWords } from '../../src/messages/opt-outs/account-keywords.ts'
import type { KeywordSet } from '../../src/messages/opt-outs/check-keyword-set.ts'
import { listKeywordSets, removeKeywordSet, setKeywordSet } from '../../src/messages/opt-outs/keyword-sets.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { deliveredAt, storedMessage } from '../history/stored-messages.ts'
import { statementsOf, stepsOf } from '../plans.ts'
import { keywordTerms } from './keyword-terms.ts'
import { number, openKeywordHouse } from './keyword-house.ts'

/** Keywords of an account's own, in languages of its own. */

type KeywordHouse = Awaited<ReturnType<typeof openKeywordHouse>>
let keywords: KeywordHouse
let house: KeywordHouse['house']
let ids: KeywordHouse['ids']
let hear: KeywordHouse['hear']
const strangers: string[] = []
beforeEach(async () => {
  keywords = await openKeywordHouse()
  ;({ house, ids, hear } = keywords)
})
afterEach(async () => {
  // No sum counts them.
  const rows = strangers.splice(0)
  if (rows.length > 0)
    await house.store.writer.write((tx) => tx.deleteFrom('messages').where('id', 'in', rows).execute())
  await keywords.close()
})

const none = { stop: [], start: [], help: [], off: [], stopAnswer: null, helpAnswer: null }
const deps = () => ({ ids, nowMs: house.clock.now() })
const set = (language: string, more: Partial<KeywordSet>, accountId = 'acc_a') =>
  house.store.writer.write((tx) =>
    setKeywordSet(tx, deps(), {
      accountId,
      set: { ...none, language, ...more },
      stopWords: ['Sluta'],
      actor: 'usr_ada',
    }),
  )
const answers = async () => (await keywords.messages()).map(({ text }) => text)
const stopped = async () => (await keywords.holding()).map((row) => row.account_id)
const addAccounts = (...accountIds: string[]) =>
  house.store.writer.write(async (tx) => {
    const nowMs = house.clock.now()
    for (const id of accountIds) {
      await insertRows(tx, 'accounts', [{ id, name: id, state: 'active', created_at: nowMs, updated_at: nowMs }]) // prettier-ignore
      await openWallets(tx, { ids, nowMs }, { accountId: id, freeSms: 10, playSms: 0, lowThreshold: 0, actor: 'test' }) // prettier-ignore
    }
  })
/** A message that an account has sent through the shared device. */
const sent = async (accountId: string) => {
  const at = house.clock.now()
  const row = storedMessage({ account_id: accountId, id: ids('msg'), created_at: at, ...deliveredAt(at), device_id: 'dev_s' }) // prettier-ignore
  strangers.push(row.id)
  await house.store.writer.write((tx) => insertRows(tx, 'messages', [row]))
}

const french = { stop: ['Désabonner'], start: ['Oui'], help: ['Aide'], stopAnswer: 'Vous ne recevrez plus rien.' } // prettier-ignore

test('a word of a set is answered in the language of the set, a built-in one by the set of its language, else by und, else by the instance', async () => {
  await set('fr', french)
  expect(await hear('Désabonner. Merci')).toMatchObject({ keyword: 'stop', optedOut: [{ accountId: 'acc_a' }] })
  expect(await answers()).toEqual([french.stopAnswer])
  expect(await hear('oui')).toMatchObject({ keyword: 'start', optedIn: [{ accountId: 'acc_a' }] })
  const heard = async (text: string) => {
    await hear('START')
    await house.clock.advance(86_400_001)
    await hear(text)
    return (await answers()).at(-1)
  }
  expect(await heard('Arrêt')).toBe(french.stopAnswer)
  expect(await heard('STOP')).toBe(keywordTerms.confirmation)
  await set('und', { stopAnswer: 'That was the last one.' })
  expect(await heard('STOP')).toBe('That was the last one.')
  expect(await heard('unsubscribe')).toBe('That was the last one.')
  expect(await heard('Arrêt')).toBe(french.stopAnswer)
  expect(await heard('Sluta')).toBe(french.stopAnswer)
  await set('fr', { ...french, stopAnswer: null })
  expect(await heard('Désabonner')).toBe('That was the last one.')
}) // prettier-ignore

test('an answer that is off is none, though the instance has one, and the STOP holds', async () => {
  await set('und', { stopAnswer: '', helpAnswer: '' })
  await set('fr', { ...french, helpAnswer: 'Boutique, 01 23 45.', stopAnswer: null })
  expect((await hear('HELP'))?.routes).toEqual([])
  expect((await hear('Désabonner'))?.routes).toEqual([])
  expect(await stopped()).toEqual(['acc_a'])
  await hear('START')
  expect((await hear('aide'))?.routes).toHaveLength(1)
  expect(await answers()).toEqual(['Boutique, 01 23 45.'])
})

test('HELP is answered once an hour, in whatever language it is asked', async () => {
  await set('fr', { help: ['Aide'], helpAnswer: 'Boutique, 01 23 45.' })
  for (const text of ['HELP', 'aide', 'info', 'Aide!']) await hear(text)
  expect(await answers()).toEqual([keywordTerms.help])
  await house.clock.advance(3_600_001)
  for (const text of ['aide', 'HELP']) await hear(text)
  expect(await answers()).toEqual([keywordTerms.help, 'Boutique, 01 23 45.'])
})

test('an account answers HELP where the instance does not', async () => {
  await set('und', { helpAnswer: 'Shop, 01 23 45.' })
  expect((await hear('HELP', {}, { help: null }))?.routes).toHaveLength(1)
})

test('a built-in word that an account has turned off is no keyword of it, and turned on again it is', async () => {
  await set('und', { off: ['End', 'TD'] })
  expect(await hear('END')).toMatchObject({ keyword: null })
  expect(await stopped()).toEqual([])
  await set('und', { off: ['TD'] })
  expect(await hear('END')).toMatchObject({ keyword: 'stop' })
  expect(await stopped()).toEqual(['acc_a'])
})

test('through a shared device the words of each account decide for it alone', async () => {
  await addAccounts('acc_b', 'acc_c', 'acc_d')
  await set('de', { stop: ['Ende'], start: ['Ja'] }, 'acc_b')
  await set('und', { off: ['END'] }, 'acc_c')
  await set('fr', { start: ['Ende'] }, 'acc_d')
  for (const accountId of ['acc_b', 'acc_c', 'acc_d']) await sent(accountId)
  const shared = { accountId: 'acc_a', isShared: true } as const
  expect(await hear('Ende', shared)).toMatchObject({ optedOut: [{ accountId: 'acc_b' }], optedIn: [] })
  expect(await stopped()).toEqual(['acc_b'])
  await hear('END', shared)
  expect(await stopped()).toEqual(['acc_a', 'acc_b', 'acc_d'])
  expect(await hear('Ja', shared)).toMatchObject({ optedIn: [] })
  expect(await hear('Ja', { ...shared, accountId: 'acc_b' })).toMatchObject({ keyword: 'start', optedIn: [{ accountId: 'acc_b' }] })
  // To be asked by one account and to answer it is no START for another, whatever that has among its words.
  expect(await hear('Ende', shared)).toMatchObject({ optedOut: [{ accountId: 'acc_b' }], optedIn: [] })
  expect(await stopped()).toEqual(['acc_a', 'acc_b', 'acc_d'])
  expect(await hear('Ende', { ...shared, accountId: 'acc_d' })).toMatchObject({ optedIn: [{ accountId: 'acc_d' }] })
  expect((await hear('START', shared))?.optedIn.map(({ accountId }) => accountId)).toEqual(['acc_a', 'acc_b'])
}) // prettier-ignore

test('what seems to have been told before ends no later STOP and is not answered again, though it is a STOP for another account', async () => {
  await addAccounts('acc_b')
  await set('de', { stop: ['Ende', 'Aide'] }, 'acc_b')
  await set('fr', { start: ['Ende'], help: ['Aide'], helpAnswer: 'Boutique, 01 23 45.' })
  await sent('acc_b')
  const shared = { accountId: 'acc_a', isShared: true } as const
  const again = (text: string) =>
    hear(text, { ...shared, fingerprint: text, fingerprintGuessed: true }, { answersShared: true })
  await again('Ende')
  await again('Aide')
  const before = await answers()
  await hear('STOP', shared)
  await house.clock.advance(3_600_001)
  expect(await again('Ende')).toMatchObject({ optedIn: [] })
  expect(await again('Aide')).toMatchObject({ routes: [] })
  expect(await stopped()).toEqual(['acc_a', 'acc_b'])
  expect(await answers()).toEqual(before)
})

test('a STOP of an account, in pieces through a shared device, and one that seems told before, are followed', async () => {
  await addAccounts('acc_b')
  await set('de', { stop: ['Abbestellen'], start: ['Ja'] }, 'acc_b')
  await sent('acc_b')
  const shared = { accountId: 'acc_a', isShared: true } as const
  const fragment = { reference: 7, total: 2, index: 1 }
  await hear('Abbe', { ...shared, fragment })
  await hear('stellen.', { ...shared, fragment: { ...fragment, index: 2 } })
  expect(await stopped()).toEqual(['acc_b'])
  const guessed = { ...shared, fingerprint: 'same', fingerprintGuessed: true } as const
  for (const text of ['Ja', 'Abbestellen']) await hear(text, guessed)
  expect(await stopped()).toEqual(['acc_b'])
})

/** What the receiver of a device reads before it stores a text. */
async function received(text: string, accountId: string | null): Promise<string[]> {
  const { db: read, writer } = house.store
  const receiver = new InboundReceiver({
    read, writer, ids, clock: house.clock, keywords: keywordTerms,
    config: { inboundJoinMinutes: 30, inboundCharacters: 40_000, inboundPerMinute: 0, sharedReplyDays: 0 },
    pool: { get: () => ({ facts: { accountId, mode: 'live', senders: new Set() }, link: {} }) as never },
  }) // prettier-ignore
  const inbound: Inbound = { from: number, to: '12345', text, networkAt: house.clock.now(), inReplyTo: null, fingerprint: ids('evt') } // prettier-ignore
  const statements = await statementsOf(read, () => receiver.receive('dev_s', inbound))
  return statements.map(({ sql }) => /from "(\w+)"|from (\w+)/.exec(sql)?.slice(1).join('') ?? sql)
}

test('a received text costs one look-up when it is short enough to be a keyword, and none when it is not', async () => {
  await addAccounts('acc_b')
  await set('de', { stop: ['Abbestellen'] }, 'acc_b')
  await sent('acc_b')
  expect(await received('I will come at eight o’clock, and bring my sister', 'acc_a')).toEqual([])
  expect(await received('Yes', 'acc_a')).toEqual(['account_keywords'])
  expect(await received('Yes', null)).toEqual(['account_keywords'])
  // Only a STOP of one of them is worth a look for who has sent there.
  expect((await received('abbestellen', null)).length).toBeGreaterThan(1)
  expect(await stopped()).toEqual(['acc_b'])
})

test('words are looked up by a key', async () => {
  const { db: read } = house.store
  await set('de', { stop: ['Abbestellen'] })
  for (const accountId of ['acc_a', null]) {
    const [statement] = await statementsOf(read, () => findOwnWords(read, { text: 'ja bitte', accountId }))
    const steps = await stepsOf(house.store.dataFolder, statement!)
    expect(steps).not.toEqual([])
    for (const step of steps) expect(step).toMatch(/account_keywords_(by_word|pkey)|sqlite_autoindex_account_keywords/)
  }
}) // prettier-ignore

test('the words of one account are looked up, or those of all', async () => {
  await addAccounts('acc_b')
  for (const accountId of ['acc_a', 'acc_b']) await set('de', { stop: ['Abbestellen'] }, accountId)
  const accountsOf = async (accountId: string | null) =>
    [...(await findOwnWords(house.store.db, { text: 'Abbestellen', accountId })).keys()].toSorted()
  expect(await accountsOf('acc_b')).toEqual(['acc_b'])
  expect(await accountsOf(null)).toEqual(['acc_a', 'acc_b'])
})

test('sets are listed, replaced and removed, and the audit log says by whom, without a text', async () => {
  await set('fr', { ...french, helpAnswer: '' })
  await set(' FR ', { stop: [' Stop svp ', 'désabo', 'Désabo!'], stopAnswer: 'Fini.\r\n' })
  await set('und', { off: ['td', 'Ｅｎｄ!'] })
  const expected = { language: 'fr', stop: ['Désabo!', 'Stop svp'], start: [], help: [], off: [], stopAnswer: 'Fini.\n', helpAnswer: null, updatedAt: house.clock.now() + 1 } // prettier-ignore
  expect(await listKeywordSets(house.store.db, 'acc_a')).toEqual([expected, { ...none, language: 'und', off: ['END', 'TD'], updatedAt: house.clock.now() }]) // prettier-ignore
  const remove = (language: string) =>
    house.store.writer.write((tx) => removeKeywordSet(tx, deps(), { accountId: 'acc_a', language, actor: 'cli' })) // prettier-ignore
  expect([await remove(' FRA'), await remove('fr')]).toEqual([true, false])
  expect(await listKeywordSets(house.store.db, 'acc_a')).toMatchObject([{ language: 'und' }])
  const log = await house.store.db
    .selectFrom('audit_log')
    .select(['actor', 'action', 'detail'])
    .where('action', 'like', 'account.keywords%')
    .orderBy('id')
    .execute()
  expect(log.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'usr_ada account.keywords_set', 'usr_ada account.keywords_set', 'usr_ada account.keywords_set', 'cli account.keywords_removed',
  ]) // prettier-ignore
  expect(log[0]?.detail).toBe('{"language":"fr","stop":["Désabonner"],"start":["Oui"],"help":["Aide"],"off":[],"stopAnswer":"own","helpAnswer":"off"}') // prettier-ignore
  await expect(set('und', { help: ['sluta'] })).rejects.toThrow("'sluta' already means STOP.")
  await expect(set('und', {}, 'acc_nobody')).rejects.toThrow('acc_nobody')
})
