import { Group, Text } from '@mantine/core'
import { UserMenu } from '../ui/user-menu.tsx'
import { OutsidePage } from './outside-page.tsx'

/** Page for signed-in users without an account. */
export function NoAccountPage() {
  return (
    <OutsidePage title="No account yet">
      <Text>
        You are signed in but do not belong to an account. Ask the owner of an account or the operator for an
        invitation.
      </Text>
      <Group>
        <UserMenu />
      </Group>
    </OutsidePage>
  )
}
