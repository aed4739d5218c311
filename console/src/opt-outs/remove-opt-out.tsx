import { Text } from '@mantine/core'
import type { ListedOptOut } from '../../../src/messages/opt-outs/manage-opt-outs.ts'
import { useChange } from '../api/use-call.ts'
import { CallForm } from '../ui/call-form.tsx'

/** Dialog to confirm the removal of an opt-out. */
export function RemoveOptOut({ of, onDone }: { of: ListedOptOut; onDone: () => void }) {
  const remove = useChange('opt-outs/remove', ['opt-outs/list'])
  const name = of.isErased ? 'the erased number' : of.recipient
  return (
    <CallForm
      call={remove}
      onSubmit={() => remove.mutate({ recipient: of.recipient }, { onSuccess: onDone })}
      onCancel={onDone}
      action={`Remove opt-out of ${name}`}
      color="red"
    >
      <Text size="sm">
        Only if the recipient has asked to receive messages again. The removal is recorded in the audit log.
      </Text>
    </CallForm>
  )
}
