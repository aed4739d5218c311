import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

/**
 * A call that signs in; when it did, everything that was known of whoever was here before is forgotten, `to` is opened, and `onIn` is called.
 */
export function useEntry<Input, Answer extends { state: string }>(
  enter: (input: Input) => Promise<Answer>,
  onEntered: {
    to: string | ((answer: Answer) => string)
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
      client.clear()
      const { to } = onEntered
      await navigate({ to: typeof to === 'string' ? to : to(answer) })
      onEntered.onIn?.(answer)
    },
  })
}
