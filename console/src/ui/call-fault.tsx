import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CallFailed, isSignedOut } from '../api/call.ts'
import { isKeyUsed, keyUsedMessage } from '../api/use-request-key.ts'
import { SignInAgain } from './sign-in-again.tsx'

/** Returns the server's messages for one field of a form, or undefined when there are none. */
export const faultOf = (error: Error | null, field: string): string | undefined =>
  faultsOf(error)
    .filter(({ pointer }) => pointer === `/${field}`)
    .map(({ detail }) => detail)
    .join(' ') || undefined

/** Shows why a call failed, except for faults that the form shows at its `fields`. */
export function CallFault({ error, fields = [] }: { error: Error | null; fields?: readonly string[] }) {
  if (error === null) return null
  const faults = faultsOf(error)
  const others = faults.filter(({ pointer }) => !fields.some((field) => pointer === `/${field}`))
  if (faults.length > 0 && others.length === 0) return null
  return (
    <Refused detail={isKeyUsed(error) ? keyUsedMessage : error.message} errors={others}>
      {isSignedOut(error) ? <SignInAgain /> : null}
    </Refused>
  )
}

const faultsOf = (error: Error | null) => (error instanceof CallFailed ? (error.problem.errors ?? []) : [])

export interface Refusal {
  title?: string
  detail: string
  errors?: readonly { pointer?: string; detail: string }[]
}

/** Shows why something was rejected: every fault on its own line, or one sentence for all. */
export function Refused({ title, detail, errors = [], children }: Refusal & { children?: ReactNode }) {
  return (
    <Alert color="red" variant="light" role="alert" title={title}>
      <Stack gap={4} align="start">
        {errors.length === 0 ? <Text size="sm">{detail}</Text> : null}
        {errors.map((fault) => (
          <Text key={`${fault.pointer} ${fault.detail}`} size="sm">
            {fault.detail}
          </Text>
        ))}
        {children}
      </Stack>
    </Alert>
  )
}
