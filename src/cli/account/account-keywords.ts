import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { canonicalLanguage, type KeywordSet } from '../../messages/opt-outs/check-keyword-set.ts'
import { listKeywordSets, removeKeywordSet, setKeywordSet } from '../../messages/opt-outs/keyword-sets.ts'
import { offWordsList } from '../../settings/off-words.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { cliActor } from '../core/command-context.ts'
import { accountOption } from '../core/common-options.ts'

const language = {
  type: 'text',
  value: 'LANGUAGE',
  summary: 'BCP 47 language subtag, for example fr; und for the set of the built-in keywords.',
  required: true,
} as const
const words = (summary: string) => ({ type: 'text', value: 'WORD', summary, repeatable: true }) as const
const answer = (to: string) =>
  ({
    type: 'text',
    value: 'TEXT',
    summary: `Answer to ${to}, up to three parts; off for none. Default: the answer of und, then of the instance.`,
  }) as const

const list = command({
  summary: 'Lists the keyword sets of an account.',
  arguments: [],
  options: { account: accountOption },
  async run(tools, { options }) {
    const sets = await tools.withStorage(async ({ read }) => {
      await requireAccount(read, options.account)
      return listKeywordSets(read, options.account)
    })
    return {
      json: { account_id: options.account, keyword_sets: sets.map(jsonOf) },
      text: sets.length === 0 ? 'No keyword sets.' : sets.map(textOf).join('\n'),
    }
  },
})

const set = command({
  summary: 'Sets the keywords and answers of an account in one language.',
  details:
    'Replaces the set of that language. Keywords are compared without case, accents, punctuation and spaces. The answer has the language of the set. STOP keywords also count at the beginning of a text, before another sentence.',
  arguments: [],
  options: {
    account: accountOption,
    language,
    'stop-word': words('Keyword for STOP. Can be repeated.'),
    'start-word': words('Keyword for START. Can be repeated.'),
    'help-word': words('Keyword for HELP. Can be repeated.'),
    'word-off': words(
      `${offWordsList('or')}: not a STOP keyword for this account. Only with und. Can be repeated.`,
    ),
    'stop-answer': answer('STOP'),
    'help-answer': answer('HELP'),
  },
  async run(tools, { options }) {
    const wanted: KeywordSet = {
      language: options.language,
      stop: options['stop-word'],
      start: options['start-word'],
      help: options['help-word'],
      off: options['word-off'],
      stopAnswer: answerOf(options['stop-answer']),
      helpAnswer: answerOf(options['help-answer']),
    }
    const stopWords = tools.config.stopWords
    const change = { accountId: options.account, set: wanted, stopWords, actor: cliActor }
    const stored = await tools.withStorage(({ writer }) =>
      writer.write((tx) => setKeywordSet(tx, { ...tools, nowMs: tools.clock.now() }, change)),
    )
    return { json: { account_id: options.account, ...jsonOf(stored) }, text: textOf(stored) }
  },
})

const remove = command({
  summary: 'Removes the keyword set of a language.',
  details: 'Built-in keywords stay. Exit code 1 when the account has no such set.',
  arguments: [],
  options: { account: accountOption, language },
  async run(tools, { options }) {
    const name = canonicalLanguage(options.language)
    const change = { accountId: options.account, language: name, actor: cliActor }
    const removed = await tools.withStorage(({ writer }) =>
      writer.write((tx) => removeKeywordSet(tx, { ...tools, nowMs: tools.clock.now() }, change)),
    )
    return {
      json: { account_id: options.account, language: name, removed },
      text: removed ? `Removed keyword set ${name}.` : `No keyword set ${name}.`,
      exitCode: removed ? 0 : 1,
    }
  },
})

const answerOf = (text: string | undefined): string | null =>
  text === undefined ? null : text.trim().toLowerCase() === 'off' ? '' : text

const jsonOf = (stored: KeywordSet) => ({
  language: stored.language,
  stop_words: stored.stop,
  start_words: stored.start,
  help_words: stored.help,
  words_off: stored.off,
  stop_answer: shown(stored.stopAnswer),
  help_answer: shown(stored.helpAnswer),
})

/** Shows an answer as it is set: null for the default. */
const shown = (text: string | null): string | null => (text === '' ? 'off' : text)

const textOf = (stored: KeywordSet): string => {
  const { language: name, stop, start, help, off } = stored
  const lists = Object.entries({ STOP: stop, START: start, HELP: help, off }).filter(
    ([, each]) => each.length > 0,
  )
  const answers = Object.entries({ STOP: stored.stopAnswer, HELP: stored.helpAnswer }).flatMap(([to, text]) =>
    text === null ? [] : [`answer to ${to}: ${shown(text)}`],
  )
  return [name, ...lists.map(([kind, each]) => `${kind}: ${each.join(', ')}`), ...answers].join('  ')
}

export const keywordsCommands: CommandGroup = {
  summary: 'Keywords of an account by language: STOP, START and HELP, and their answers.',
  commands: { list, set, remove },
}
