import type { KnownUser } from '../../../src/accounts/core/account-owner.ts'
import type { AnswerOf, CallName, InputOf } from '../../../src/api/console/calls.ts'
import { connection } from '../connection/connection.ts'
import { sessionEnd } from '../connection/session-end.ts'

/** The account and mode that a call is about. */
export interface Place {
  accountId: string
  mode: 'live' | 'test'
}

/** A problem document (RFC 9457), as far as pages show it. */
export interface Problem {
  status: number
  code: string
  title: string
  detail: string
  request_id?: string
  errors?: { pointer?: string; parameter?: string; code: string; detail: string }[]
  /** Who has the e-mail address already that an account was to be opened for. */
  known_user?: KnownUser
}

/** The server refused a call, or did not answer (status 0). */
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

/** Whether a call was refused because nobody is signed in: the session ended, here or elsewhere. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof CallFailed && error.problem.code === 'not_signed_in'

/** The address of a call: of reads, streams and downloads with their input. */
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

/** An answer that hangs would keep all later ones of its kind from being asked for. */
const longestReadMs = 60_000

/** Reads from the server. Throws a `CallFailed` that says what to do. */
export const read = <N extends CallName<'read'>>(
  name: N,
  place: Place | null,
  input: InputOf<N>,
): Promise<AnswerOf<N>> =>
  ask(name, false, addressOf(name, place, input), () => ({ signal: AbortSignal.timeout(longestReadMs) }))

/** Changes something on the server; `isOwnAct` is false where the user has not asked for it. Throws a `CallFailed` that says what to do. */
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

/** Makes a call, and makes it again when its session had ended and the user has signed in again: nothing was done the first time. */
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
      // A wrong password is answered so, too.
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
    // Cut off, or of something else than the server: what it did is not known.
    throw new CallFailed({ ...unreachable, status: response.ok ? 0 : response.status })
  }
  if (response.ok) return answer as T
  throw new CallFailed(isProblem(answer) ? answer : { ...unreachable, status: response.status })
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value

/** Nothing answered, or something else than the server. */
export const unreachable: Problem = {
  status: 0,
  code: 'unreachable',
  title: 'The server did not answer.',
  detail: 'Check that onesixty is running and that this machine reaches it, then try again.',
}
