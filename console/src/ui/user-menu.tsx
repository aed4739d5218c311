import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { MenuButton, type MenuLine } from './menu-button.tsx'
import { useSignOut } from './use-sign-out.ts'

/** Button with the user's name; opens a menu with their accounts, profile and sign-out. */
export function UserMenu() {
  const { data } = useQuery(sessionQuery)
  const signOut = useSignOut()
  const name = data?.user?.name ?? '…'
  const accounts = (data?.accounts ?? []).map(({ id, name: label }): MenuLine => ({
    label,
    to: `/a/${id}/live`,
  }))
  const own: MenuLine[] = [
    ...(data?.user?.isOperator === true ? [{ label: 'Instance', to: '/operator' }] : []),
    { label: 'Profile and security', to: '/profile' },
    { label: 'Sign out', run: () => void signOut() },
  ]
  return (
    <MenuButton
      label={name}
      description={`${name}: accounts and sign-out`}
      heading={data?.user?.email ?? ''}
      sections={accounts.length === 0 ? [own] : [accounts, own]}
    />
  )
}
