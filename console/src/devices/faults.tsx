import { Alert, Text } from '@mantine/core'
import { CallFailed } from '../api/call.ts'

/** Why a change was refused, all of it at once. */
export function Faults({ error }: { error: Error | null }) {
  if (error === null) return null
  const faults = faultsOf(error)
  return (
    <Alert color="red" variant="light" role="alert" p="xs">
      {(faults.length === 0 ? [error.message] : faults.map(({ detail }) => detail)).map((detail) => (
        <Text size="sm" key={detail}>
          {detail}
        </Text>
      ))}
    </Alert>
  )
}

/** What is wrong with one field; null when nothing is. */
export const faultAt = (error: Error | null, pointer: string): string | null =>
  faultsOf(error).find((fault) => fault.pointer === pointer)?.detail ?? null

const faultsOf = (error: Error | null) => (error instanceof CallFailed ? (error.problem.errors ?? []) : [])
