import { Alert, Button, Group, Mark, Stack, Text } from '@mantine/core'
import { formatNumber } from '../ui/format.ts'
import { costOfText, markOffending, type TextCost, withPlainCharacters } from './text-cost.ts'

const alphabets = { gsm7: 'GSM alphabet', ucs2: 'UCS-2' } as const

/** Shows the length of a text while it is typed, and the characters that make it expensive. */
export function TextCounter({ text, onReplace }: { text: string; onReplace: (text: string) => void }) {
  const cost = costOfText(text)
  const { encoding, units, parts, unitsLeft, fault } = cost
  return (
    <Stack gap="xs">
      <Group gap="md" role="status" aria-label="Length" style={{ fontVariantNumeric: 'tabular-nums' }}>
        <Text size="sm" fw={600}>
          {formatNumber(parts)} {parts === 1 ? 'part' : 'parts'}
        </Text>
        <Text size="sm" c="dimmed" title={encoding === 'gsm7' ? 'GSM-7 septets' : 'UTF-16 code units'}>
          {formatNumber(units)} characters used, {formatNumber(unitsLeft)} left in this part
        </Text>
        <Text size="sm" c="dimmed">
          {alphabets[encoding]}
        </Text>
      </Group>
      {fault === null ? null : <Alert color="red">{fault}</Alert>}
      {cost.offending.length === 0 ? null : <Offending text={text} cost={cost} onReplace={onReplace} />}
    </Stack>
  )
}

const maxNamed = 8

function Offending(properties: { text: string; cost: TextCost; onReplace: (text: string) => void }) {
  const { text, cost, onReplace } = properties
  const { offending, parts, partsIfReplaced } = cost
  const more = offending.length - maxNamed
  return (
    <Alert
      color="yellow"
      variant="light"
      title="These characters require UCS-2: 70 characters per part instead of 160"
    >
      <Stack gap="xs" align="start">
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }} lineClamp={6}>
          {markOffending(text, offending).map((piece, i) =>
            // Pieces have no key other than their index.
            piece.isMarked ? (
              <Mark key={i} color="orange">
                {piece.text}
              </Mark>
            ) : (
              <span key={i}>{piece.text}</span>
            ),
          )}
        </Text>
        <Text size="sm">
          {offending
            .slice(0, maxNamed)
            .map(
              ({ character, code_point, count }) =>
                `${character} (${code_point}${count > 1 ? `, ${count} times` : ''})`,
            )
            .join(', ')}
          {more > 0 ? ` and ${more} more` : ''}
        </Text>
        {partsIfReplaced === null ? null : (
          <Button size="xs" variant="default" onClick={() => onReplace(withPlainCharacters(text))}>
            Replace look-alikes: {partsIfReplaced} {partsIfReplaced === 1 ? 'part' : 'parts'} instead of{' '}
            {parts}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
