import { lazyPart } from '../connection/lazy-part.ts'
import type { OperatedAccount } from '../../../src/api/console/operator/operator-calls.ts'
import { Dialog } from '../ui/dialog.tsx'

const TaskForm = lazyPart(async () => (await import('./task-form.tsx')).TaskForm)

/** A task of the operator on an account. */
export interface AccountTask {
  what:
    | 'grant'
    | 'limits'
    | 'reach'
    | 'own-devices'
    | 'plan'
    | 'reset-link'
    | 'active'
    | 'suspended'
    | 'closed'
    | 'erase'
  account: OperatedAccount
}

const titles: Readonly<Record<AccountTask['what'], string>> = {
  grant: 'Grant SMS to',
  limits: 'Limits of',
  reach: 'Countries and quiet hours of',
  'own-devices': 'Own devices of',
  plan: 'Plan of',
  'reset-link': 'Reset link for the owner of',
  active: 'Reactivate',
  suspended: 'Suspend',
  closed: 'Close',
  erase: 'Permanently erase',
}

/** Dialog of a task. */
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
