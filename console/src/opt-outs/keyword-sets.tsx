import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { KeywordSet } from '../../../src/messages/check-keyword-set.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { KeywordForm } from './keyword-form.tsx'
import { languageName } from './language-name.ts'

const newSet: KeywordSet = {
  language: '',
  stop: [],
  start: [],
  help: [],
  off: [],
  stopAnswer: null,
  helpAnswer: null,
}

/** The keyword sets of an account, or the form of the one that is changed. */
export function KeywordSets({ sets, canSet }: { sets: readonly KeywordSet[]; canSet: boolean }) {
  const [changed, setChanged] = useState<KeywordSet | null>(null)
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
        <Card key={set.language} withBorder padding="sm" component="section" aria-label={titleOf(set)}>
          <Group justify="space-between">
            <Text fw={600}>{titleOf(set)}</Text>
            {canSet ? (
              <Group gap="xs">
                <Button size="compact-xs" variant="default" onClick={() => setChanged(set)}>
                  Change {set.language}
                </Button>
                <Button
                  size="compact-xs"
                  variant="default"
                  loading={remove.isPending}
                  onClick={() => remove.mutate({ language: set.language })}
                >
                  Remove {set.language}
                </Button>
              </Group>
            ) : null}
          </Group>
          {linesOf(set).map((line) => (
            <Text key={line} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {line}
            </Text>
          ))}
        </Card>
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

const titleOf = ({ language }: KeywordSet): string => `${language}: ${languageName(language)}`

const linesOf = ({ stop, start, help, off, stopAnswer, helpAnswer }: KeywordSet): string[] => [
  ...Object.entries({ STOP: stop, START: start, HELP: help, 'Turned off': off }).flatMap(([name, words]) =>
    words.length === 0 ? [] : [`${name}: ${words.join(', ')}`],
  ),
  ...Object.entries({ STOP: stopAnswer, HELP: helpAnswer }).flatMap(([name, text]) =>
    text === null ? [] : [`Answer to ${name}: ${text === '' ? 'none' : text}`],
  ),
]
