import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { CallFault } from './call-fault.tsx'

/**
 * Renders a form that makes one call: its fields, the error of the last attempt, and the button.
 * `ownFaults` lists the fields that show their own faults.
 */
export function CallForm(properties: {
  call: { error: Error | null; isPending: boolean }
  onSubmit: () => void
  onCancel?: () => void
  action: ReactNode
  color?: string
  disabled?: boolean
  ownFaults?: readonly string[]
  children: ReactNode
}) {
  const {
    call,
    onSubmit,
    onCancel,
    action,
    color = 'indigo',
    disabled = false,
    ownFaults = [],
    children,
  } = properties
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  const button = (
    <Button type="submit" color={color} disabled={disabled} loading={call.isPending}>
      {action}
    </Button>
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <CallFault error={call.error} fields={ownFaults} />
        {onCancel === undefined ? (
          button
        ) : (
          <Group justify="flex-end">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            {button}
          </Group>
        )}
      </Stack>
    </form>
  )
}
