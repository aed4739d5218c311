/** Why a visit ended early; a reason of the device's status, except `stopped`. */
export type VisitFault =
  | 'stopped'
  | 'unreachable'
  | 'address_not_private'
  | 'not_the_app'
  | 'too_old_to_visit'
  | 'wrong_password'
  | 'another_phone'
  | 'not_connected'
  | 'phone_errors'

/** Its answer is larger than answers may be: a smaller page may fit. */
export const tooLarge = 'an answer of more than 2 MB'

/** Ends a visit. What the phone has was stored before it, and the next visit resumes. */
export class VisitFailed extends Error {
  readonly fault: VisitFault

  constructor(fault: VisitFault, detail: string = fault) {
    super(detail)
    this.fault = fault
  }
}
