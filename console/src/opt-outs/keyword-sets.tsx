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

/** Lists the keyword sets of an account, or shows the form of the one that is edited. */
export function KeywordSets({ sets, canSet }: { sets: readonly StoredKeywordSet[]; canSet: boolean }) {
  const [changed, setChanged] = useState<ReadKeywordSet | null>(null)
  const remove = useChange('keywords/remove', ['keywords/list'])
  if (changed !== null) return <KeywordForm of={changed} onClose={() => setChanged(null)} />
  return (
    <Stack>
      <Text size="sm">
        Keywords for STOP, START and HELP in addition to the built-in ones, by language. Replies are in the
        language of the keyword; und has the replies to built-in words.
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
