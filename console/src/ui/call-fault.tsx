import { Alert } from '@mantine/core'
import { CallFailed } from '../api/call.ts'

/** What is wrong with one field of a form, by what the server said; undefined when nothing is. */
export const faultOf = (error: Error | null, field: string): string | undefined =>
  error instanceof CallFailed
    ? error.problem.errors?.find(({ pointer }) => pointer === `/${field}`)?.detail
    : undefined

/** Says what went wrong with a form, unless it is said at one of its fields. */
export function CallFault({ error, fields = [] }: { error: Error | null; fields?: readonly string[] }) {
  if (error === null || fields.some((field) => faultOf(error, field) !== undefined)) return null
  return (
    <Alert color="red" variant="light" role="alert">
      {error.message}
    </Alert>
  )
}
