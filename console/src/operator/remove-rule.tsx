import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { RuleView } from '../../../src/api/console/operator/rule-calls.ts'
import { useChange } from '../api/use-call.ts'
import { CallFault } from '../ui/call-fault.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Button to remove a rule, after confirmation. */
export function RemoveRule({ rule }: { rule: RuleView }) {
  const [removing, { open, close }] = useDisclosure()
  const remove = useChange('operator/remove-rule', ['operator/rules', 'operator/audit'])
  return (
    <>
      <Button size="compact-xs" color="red" variant="light" aria-label={`Remove ${rule.name}`} onClick={open}>
        Remove
      </Button>
      <Dialog opened={removing} onClose={close} title={`Remove ${rule.name}`}>
        <Stack>
          <Text size="sm">Messages that were accepted before keep their way.</Text>
          <CallFault error={remove.error} />
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ ruleId: rule.id }, { onSuccess: close })}
          >
            Remove rule {rule.name}
          </Button>
        </Stack>
      </Dialog>
    </>
  )
}
