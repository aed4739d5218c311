import type { OperatedAccount } from '../../../src/api/console/operator-calls.ts'
import { Dialog } from '../ui/dialog.tsx'
import { GrantForm } from './grant-form.tsx'
import { LimitsForm } from './limits-form.tsx'
import { ResetLinkForm } from './reset-link-form.tsx'
import { StateForm } from './state-form.tsx'

/** What the operator is about to do to an account. */
export interface AccountTask {
  what: 'grant' | 'limits' | 'reset-link' | 'active' | 'suspended' | 'closed'
  account: OperatedAccount
}

const titles: Readonly<Record<AccountTask['what'], string>> = {
  grant: 'Grant SMS to',
  limits: 'Limits of',
  'reset-link': 'Reset link for the owner of',
  active: 'Reactivate',
  suspended: 'Suspend',
  closed: 'Close for ever:',
}

/** The form of one task. */
export function AccountDialog({ task, onClose }: { task: AccountTask | null; onClose: () => void }) {
  return (
    <Dialog
      opened={task !== null}
      onClose={onClose}
      title={task === null ? '' : `${titles[task.what]} ${task.account.name}`}
    >
      {task === null ? null : <TaskForm task={task} onClose={onClose} />}
    </Dialog>
  )
}

function TaskForm({ task: { what, account }, onClose }: { task: AccountTask; onClose: () => void }) {
  switch (what) {
    case 'grant':
      return <GrantForm account={account} onClose={onClose} />
    case 'limits':
      return <LimitsForm account={account} onClose={onClose} />
    case 'reset-link':
      return <ResetLinkForm account={account} />
    case 'active':
    case 'suspended':
    case 'closed':
      return <StateForm account={account} state={what} onClose={onClose} />
  }
}
