import type { KnownUser } from '../../../src/accounts/core/account-owner.ts'
import type { AnswerOf, CallName, InputOf } from '../../../src/api/console/calls.ts'
import { connection } from '../connection/connection.ts'
import { sessionEnd } from '../connection/session-end.ts'

/** Account and mode of a call. */
export interface Place {
  accountId: string
  mode: 'live' | 'test'
}

/** The members of a problem document (RFC 9457) that pages show. */
export interface Problem {
  status: number
  code: string
  title: string
  detail: string
  request_id?: string
  errors?: { pointer?: string; parameter?: string; code: string; detail: string }[]
  /** The user who already has the e-mail address of a new account. */
  known_user?: KnownUser
}

/** The server rejected a call, or did not respond (status 0). */
export class CallFailed extends Error {
  readonly status: number
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'CallFailed'
    this.status = problem.status
    this.problem = problem
  }
}

/** Whether a call was rejected because the session has ended, here or elsewhere. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof CallFailed && error.problem.code === 'not_signed_in'

/** Returns the URL of a call; for reads, streams and downloads with their input. */
export function addressOf<N extends CallName>(name: N, place: Place | null, input?: InputOf<N>): string {
  const query = new URLSearchParams()
  if (place !== null) {
    query.set('account', place.accountId)
    query.set('mode', place.mode)
  }
  if (input !== undefined && Object.keys(input).length > 0) query.set('input', JSON.stringify(input))
  const text = query.toString()
  return `/console/api/${name}${text === '' ? '' : `?${text}`}`
}

/** A read that hangs would block all later reads with the same key. */
const maxReadMs = 60_000

/** Reads from the server. Throws a `CallFailed` with what to do. */
export const read = <N extends CallName<'read'>>(
  name: N,
  place: Place | null,
  input: InputOf<N>,
): Promise<AnswerOf<N>> =>
  ask(name, false, addressOf(name, place, input), () => ({ signal: AbortSignal.timeout(maxReadMs) }))

/** Changes data on the server. `isOwnAct` is false for calls not started by the user. Throws a `CallFailed`. */
export const change = <N extends CallName<'change'>>(
  name: N,
  place: Place | null,
  input: InputOf<N>,
  { isOwnAct = true }: { isOwnAct?: boolean } = {},
): Promise<AnswerOf<N>> =>
  ask(name, isOwnAct, addressOf(name, place), () => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  }))

/** Makes a call. When the session had ended, repeats it after the user has signed in: the first call had no effect. */
async function ask<T>(
  name: CallName,
  isOwnAct: boolean,
  address: string,
  init: () => RequestInit,
): Promise<T> {
  for (;;) {
    try {
      return await askOnce<T>(address, init())
    } catch (error) {
      // Calls below session/ return the same code for a wrong password.
      const isEnd = isSignedOut(error) && !name.startsWith('session/')
      if (!isEnd || !(await sessionEnd.signInAgain({ isOwnAct }))) throw error
    }
  }
}

async function askOnce<T>(address: string, init: RequestInit): Promise<T> {
  let response: Response
  try {
    response = await fetch(address, { credentials: 'same-origin', ...init })
  } catch {
    void connection.check()
    throw new CallFailed(unreachable)
  }
  let answer: unknown
  try {
    answer = await response.json()
  } catch {
    // Truncated, or not from the server: whether the call had an effect is unknown.
    throw new CallFailed({ ...unreachable, status: response.ok ? 0 : response.status })
  }
  if (response.ok) return answer as T
  throw new CallFailed(isProblem(answer) ? answer : { ...unreachable, status: response.status })
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value

/** No response, or one that is not from the server. */
export const unreachable: Problem = {
  status: 0,
  code: 'unreachable',
  title: 'The server did not respond',
  detail: 'Check that onesixty is running and can be reached from this computer, then try again.',
}
