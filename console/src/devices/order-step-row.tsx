import { Button, Card, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core'
import type { OrderAnswer } from '../../../src/api/console/devices/order-calls.ts'

type Step = NonNullable<OrderAnswer['steps']>[number]

/** A step of the order: its device, what opens it, and buttons that move it. */
export function OrderStepRow(properties: {
  step: Step
  place: number
  name: string
  onChange: (step: Step) => void
  onRemove: () => void
  onEarlier: (() => void) | null
  onLater: (() => void) | null
}) {
  const { step, place, name, onChange, onRemove, onEarlier, onLater } = properties
  return (
    <Card component="li" withBorder padding="sm" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {place + 1}. {name}
          </Text>
          <Group gap={4}>
            <Button
              size="compact-xs"
              variant="default"
              disabled={onEarlier === null}
              onClick={() => onEarlier?.()}
              aria-label={`Move ${name} up`}
            >
              Up
            </Button>
            <Button
              size="compact-xs"
              variant="default"
              disabled={onLater === null}
              onClick={() => onLater?.()}
              aria-label={`Move ${name} down`}
            >
              Down
            </Button>
            <Button size="compact-xs" variant="default" onClick={onRemove} aria-label={`Remove ${name}`}>
              Remove
            </Button>
          </Group>
        </Group>
        {place === 0 ? null : (
          <Group gap="md">
            <Checkbox
              size="sm"
              label="also while those before have no room"
              checked={step.isForBusy}
              onChange={(event) => onChange({ ...step, isForBusy: event.currentTarget.checked })}
            />
            <NumberInput
              size="xs"
              w={180}
              label="also after … minutes"
              placeholder="never"
              min={1}
              max={43_200}
              allowDecimal={false}
              value={step.afterMinutes ?? ''}
              onChange={(value) => onChange({ ...step, afterMinutes: value === '' ? null : Number(value) })}
            />
          </Group>
        )}
      </Stack>
    </Card>
  )
}
