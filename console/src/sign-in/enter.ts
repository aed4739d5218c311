import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { announceSession } from '../api/check-session.ts'
import { sessionEnd } from '../connection/session-end.ts'

/**
 * Returns a mutation that signs in. After it, all data of the previous user is removed, `to` is opened and `onIn` is
 * called. Without `to` the page stays as it is.
 */
export function useEntry<Input, Answer extends { state: string }>(
  enter: (input: Input) => Promise<Answer>,
  onEntered: {
    to?: string | ((answer: Answer) => string) | undefined
    onCodeNeeded?: (answer: Answer) => void
    onIn?: (answer: Answer) => void
  },
): UseMutationResult<Answer, Error, Input> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: enter,
    onSuccess: async (answer) => {
      if (answer.state === 'code-needed') {
        onEntered.onCodeNeeded?.(answer)
        return
      }
      const { to } = onEntered
      if (to !== undefined) {
        sessionEnd.reset()
        client.clear()
        await navigate({ to: typeof to === 'string' ? to : to(answer) })
      }
      announceSession()
      onEntered.onIn?.(answer)
    },
  })
}
