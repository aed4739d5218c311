import { Button, Card, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { KeywordSet } from '../../../src/messages/opt-outs/check-keyword-set.ts'
import { languageName } from './language-name.ts'

/** Shows a keyword set, with actions for owners. Removing STOP words asks for confirmation: they no longer opt out. */
export function KeywordCard(properties: {
  set: KeywordSet
  canSet: boolean
  isRemoving: boolean
  onChange: () => void
  onRemove: () => void
}) {
  const { set, canSet, isRemoving, onChange, onRemove } = properties
  const { language, stop } = set
  const [asks, setAsks] = useState(false)
  const title = `${language}: ${languageName(language)}`
  return (
    <Card withBorder padding="sm" component="section" aria-label={title}>
      <Group justify="space-between">
        <Text fw={600}>{title}</Text>
        {canSet && !asks ? (
          <Group gap="xs">
            <Button size="compact-xs" variant="default" onClick={onChange}>
              Change {language}
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              loading={isRemoving}
              onClick={stop.length > 0 ? () => setAsks(true) : onRemove}
            >
              Remove {language}
            </Button>
          </Group>
        ) : null}
      </Group>
      {linesOf(set).map((line) => (
        <Text key={line} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
      {asks ? (
        <>
          <Text size="sm" mt="xs">
            Messages with its STOP words will no longer opt anyone out.
          </Text>
          <Group gap="xs" justify="flex-end">
            <Button size="compact-xs" variant="default" onClick={() => setAsks(false)}>
              Keep {language}
            </Button>
            <Button size="compact-xs" color="red" loading={isRemoving} onClick={onRemove}>
              Remove {language} and its STOP words
            </Button>
          </Group>
        </>
      ) : null}
    </Card>
  )
}

const linesOf = ({ stop, start, help, off, stopAnswer, helpAnswer }: KeywordSet): string[] => [
  ...Object.entries({ STOP: stop, START: start, HELP: help, 'Turned off': off }).flatMap(([name, words]) =>
    words.length === 0 ? [] : [`${name}: ${words.join(', ')}`],
  ),
  ...Object.entries({ STOP: stopAnswer, HELP: helpAnswer }).flatMap(([name, text]) =>
    text === null ? [] : [`Reply to ${name}: ${text === '' ? 'none' : text}`],
  ),
]
