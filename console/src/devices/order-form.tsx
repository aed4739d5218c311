import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { OrderAnswer } from '../../../src/api/console/devices/order-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'
import { OrderStepRow } from './order-step-row.tsx'

type Step = NonNullable<OrderAnswer['steps']>[number]

/** Form to order the devices of an account: the first one gets the messages, and each next one when its condition holds. */
export function OrderForm({ order, onClose }: { order: OrderAnswer; onClose: () => void }) {
  const { devices, hasShared, otherRules, canSet } = order
  const [steps, setSteps] = useState<readonly Step[]>(order.steps ?? [])
  const set = useChange('devices/set-order', ['devices/order'])
  const nameOf = (use: string): string =>
    use === 'own' ? 'All other own devices' : use === 'shared' ? 'Shared devices of the operator' : (devices.find(({ id }) => id === use)?.name ?? use) // prettier-ignore
  if (order.steps === null)
    return (
      <Text>
        A rule of routes for all messages of this account says more than an order. Only the operator can
        change it.
      </Text>
    )
  const named = new Set(steps.map(({ use }) => use))
  const addable = [...devices.map(({ id }) => id), 'own', ...(hasShared ? ['shared'] : [])].filter((use) => !named.has(use)) // prettier-ignore
  const move = (from: number, to: number): void => setSteps(moved(steps, from, to))
  return (
    <CallForm
      call={set}
      onSubmit={() => set.mutate({ steps: steps.map((step) => ({ ...step })) }, { onSuccess: onClose })}
      onCancel={onClose}
      action="Save order"
      disabled={!canSet}
    >
      <Text size="sm">
        {steps.length === 0
          ? 'No order: your own devices carry messages, the least loaded one first; shared devices only while none of yours works.'
          : 'The first device gets the messages. Each next one gets them when no device before it works, and as you choose below. What waits now keeps its way.'}
      </Text>
      {otherRules > 0 ? (
        <Alert color="gray">
          {otherRules === 1 ? 'One rule' : `${otherRules} rules`} for some messages of this account apply
          before this order.
        </Alert>
      ) : null}
      <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {steps.map((step, i) => (
          <OrderStepRow
            key={step.use}
            step={step}
            place={i}
            name={nameOf(step.use)}
            onChange={(next) => setSteps(steps.with(i, next))}
            onRemove={() => setSteps(steps.toSpliced(i, 1))}
            onEarlier={i === 0 ? null : () => move(i, i - 1)}
            onLater={i === steps.length - 1 ? null : () => move(i, i + 1)}
          />
        ))}
      </Stack>
      {named.has('shared') ? (
        <Text size="sm">What shared devices send is charged to the balance of the account.</Text>
      ) : null}
      {addable.length === 0 ? null : (
        <NativeSelect
          label={steps.length === 0 ? 'First' : 'Then'}
          value=""
          onChange={(event) => {
            const use = event.currentTarget.value
            if (use !== '') setSteps([...steps, { use, isForBusy: false, afterMinutes: null }])
          }}
          data={[
            { value: '', label: 'Add …' },
            ...addable.map((use) => ({ value: use, label: nameOf(use) })),
          ]}
        />
      )}
      {steps.length === 0 ? null : (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setSteps([])}>
            Remove the order
          </Button>
        </Group>
      )}
    </CallForm>
  )
}

/** The same steps with one of them at another place. */
const moved = (steps: readonly Step[], from: number, to: number): Step[] =>
  steps.toSpliced(from, 1).toSpliced(to, 0, steps[from] as Step)
