import { faultOf } from '../ui/call-fault.tsx'
import { EmailField } from '../ui/email-field.tsx'

/** The address of whoever is to be invited: not that of the person at the screen. */
export const InviteeField = (props: {
  email: string
  onChange: (email: string) => void
  error: Error | null
}) => (
  <EmailField
    autoComplete="off"
    data-autofocus
    value={props.email}
    onChange={props.onChange}
    error={faultOf(props.error, 'email')}
  />
)
