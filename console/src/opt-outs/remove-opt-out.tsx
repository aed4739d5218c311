import { Text } from '@mantine/core'
import type { ListedOptOut } from '../../../src/messages/opt-outs/manage-opt-outs.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'

/** Asks before an opt-out is taken away. */
export function RemoveOptOut({ of, onDone }: { of: ListedOptOut; onDone: () => void }) {
  const remove = useChange('opt-outs/remove', ['opt-outs/list'])
  const name = of.isErased ? 'the erased number' : of.recipient
  return (
    <CallForm
      call={remove}
      onSubmit={() => remove.mutate({ recipient: of.recipient }, { onSuccess: onDone })}
      onCancel={onDone}
      action={`Let ${name} be written to`}
      color="red"
    >
      <Text size="sm">
        Only when whoever has the number has asked for messages again. It is written down who did this.
      </Text>
    </CallForm>
  )
}
