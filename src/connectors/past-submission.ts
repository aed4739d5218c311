/** A submission of a former link whose outcome was stored as unknown, with what its device needs to ask for it. */
export interface PastSubmission {
  attemptId: string
  to: string
  from: string | null
  /** Null once it was erased. */
  text: string | null
  encoding: 'gsm7' | 'ucs2'
  parts: number
  category: 'transactional' | 'authentication' | 'marketing'
  startedAt: number
  endedAt: number
}
