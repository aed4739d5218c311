import { Type } from 'typebox'
import { closed } from '../../../runtime/schemas.ts'
import type { KeywordSet, StoredKeywordSet } from '../../../messages/opt-outs/check-keyword-set.ts'
import { listKeywordSets, removeKeywordSet, setKeywordSet } from '../../../messages/opt-outs/keyword-sets.ts'
import { defineCall } from '../core/call.ts'

export interface KeywordSetList {
  sets: StoredKeywordSet[]
  /** True when the user is allowed to change them. */
  canSet: boolean
}

/** More than a set can have, so that a longer list is refused at its field with a sentence. */
const words = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })
const answer = Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()])
const language = Type.String({ maxLength: 40 })

/** The keywords of an account by language, as its members see and its owners set them. */
export const keywordCalls = {
  'keywords/list': defineCall({
    kind: 'read',
    access: 'member',
    input: Type.Object({}, closed),
    async handle({ read, account }): Promise<KeywordSetList> {
      return { sets: await listKeywordSets(read, account.id), canSet: account.role === 'owner' }
    },
  }),

  'keywords/set': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object(
      {
        language,
        stop: words,
        start: words,
        help: words,
        off: words,
        stopAnswer: answer,
        helpAnswer: answer,
        /** Time of the set that is changed, as it was read; null for a new set. */
        updatedAt: Type.Union([Type.Integer(), Type.Null()]),
      },
      closed,
    ),
    async handle(context, { updatedAt, ...set }): Promise<{ set: KeywordSet }> {
      const { writer, ids, clock, config, account, actor } = context
      const change = { accountId: account.id, set, readAt: updatedAt, stopWords: config.stopWords, actor }
      return { set: await writer.write((tx) => setKeywordSet(tx, { ids, nowMs: clock.now() }, change)) }
    },
  }),

  'keywords/remove': defineCall({
    kind: 'change',
    access: 'owner',
    input: Type.Object({ language }, closed),
    async handle(context, input): Promise<{ removed: boolean }> {
      const { writer, ids, clock, account, actor } = context
      const change = { accountId: account.id, language: input.language, actor }
      const deps = { ids, nowMs: clock.now() }
      return { removed: await writer.write((tx) => removeKeywordSet(tx, deps, change)) }
    },
  }),
}
