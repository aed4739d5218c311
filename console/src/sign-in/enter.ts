import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

/** A call that signs in; when it did, everything that was known of whoever was here before is forgotten, and `to` is opened. */
export function useEntry<Input, Answer extends { state: string }>(
  enter: (input: Input) => Promise<Answer>,
  onEntered: { to: string | ((answer: Answer) => string); onCodeNeeded?: () => void },
): UseMutationResult<Answer, Error, Input> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: enter,
    onSuccess: async (answer) => {
      if (answer.state === 'code-needed') {
        onEntered.onCodeNeeded?.()
        return
      }
      client.clear()
      const { to } = onEntered
      await navigate({ to: typeof to === 'string' ? to : to(answer) })
    },
  })
}
