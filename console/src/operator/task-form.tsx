import type { AccountTask } from './account-dialog.tsx'
import { EraseAccountForm } from './erase-account-form.tsx'
import { GrantForm } from './grant-form.tsx'
import { LimitsForm } from './limits-form.tsx'
import { OwnDevicesForm } from './own-devices-form.tsx'
import { PlanForm } from './plan-form.tsx'
import { ReachForm } from './reach-form.tsx'
import { ResetLinkForm } from './reset-link-form.tsx'
import { StateForm } from './state-form.tsx'

/** Renders the form of a task. */
export function TaskForm({ task: { what, account }, onClose }: { task: AccountTask; onClose: () => void }) {
  switch (what) {
    case 'grant':
      return <GrantForm account={account} onClose={onClose} />
    case 'limits':
      return <LimitsForm account={account} onClose={onClose} />
    case 'reach':
      return <ReachForm account={account} onClose={onClose} />
    case 'own-devices':
      return <OwnDevicesForm account={account} onClose={onClose} />
    case 'plan':
      return <PlanForm account={account} onClose={onClose} />
    case 'reset-link':
      return <ResetLinkForm account={account} />
    case 'active':
    case 'suspended':
    case 'closed':
      return <StateForm account={account} state={what} onClose={onClose} />
    case 'erase':
      return <EraseAccountForm account={account} />
  }
}
