import { Alert } from '@mantine/core'
import { CallFailed } from '../api/call.ts'

/** Why a change was refused, all of it at once. */
export function Faults({ error }: { error: Error | null }) {
  if (error === null) return null
  const faults = error instanceof CallFailed ? (error.problem.errors ?? []) : []
  return (
    <Alert color="red" variant="light" role="alert">
      {faults.length === 0 ? error.message : faults.map(({ detail }) => detail).join(' ')}
    </Alert>
  )
}
