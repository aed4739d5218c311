import { faultOf } from '../ui/call-fault.tsx'
import { EmailField } from '../ui/email-field.tsx'

/** Field for the address of the invited user; the browser must not fill in the signed-in user's own. */
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
