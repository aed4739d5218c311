import { Group, Text } from '@mantine/core'
import { UserMenu } from '../ui/user-menu.tsx'
import { OutsidePage } from './outside-page.tsx'

/** For who is signed in and belongs to no account. */
export function NoAccountPage() {
  return (
    <OutsidePage title="No account yet">
      <Text>
        You are signed in, and belong to no account. Ask an owner of one, or the operator, for an invitation.
      </Text>
      <Group>
        <UserMenu />
      </Group>
    </OutsidePage>
  )
}
