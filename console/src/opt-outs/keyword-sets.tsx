import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { StoredKeywordSet } from '../../../src/messages/opt-outs/check-keyword-set.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { KeywordCard } from './keyword-card.tsx'
import { KeywordForm, type ReadKeywordSet } from './keyword-form.tsx'

const newSet: ReadKeywordSet = {
  language: '',
  stop: [],
  start: [],
  help: [],
  off: [],
  stopAnswer: null,
  helpAnswer: null,
  updatedAt: null,
}

/** The keyword sets of an account, or the form of the one that is changed. */
export function KeywordSets({ sets, canSet }: { sets: readonly StoredKeywordSet[]; canSet: boolean }) {
  const [changed, setChanged] = useState<ReadKeywordSet | null>(null)
  const remove = useChange('keywords/remove', ['keywords/list'])
  if (changed !== null) return <KeywordForm of={changed} onClose={() => setChanged(null)} />
  return (
    <Stack>
      <Text size="sm">
        Words that count as STOP, START or HELP in addition to the built-in ones, by language. A word is
        answered in its language; und answers the built-in words.
      </Text>
      {sets.length === 0 ? <Text size="sm">No keyword sets yet</Text> : null}
      {sets.map((set) => (
        <KeywordCard
          key={set.language}
          set={set}
          canSet={canSet}
          isRemoving={remove.isPending}
          onChange={() => setChanged(set)}
          onRemove={() => remove.mutate({ language: set.language })}
        />
      ))}
      <CallFault error={remove.error} />
      {canSet ? (
        <Button onClick={() => setChanged(newSet)}>Add language</Button>
      ) : (
        <Text size="sm" c="dimmed">
          Only owners of the account can change keywords.
        </Text>
      )}
    </Stack>
  )
}
