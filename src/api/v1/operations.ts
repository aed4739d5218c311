import { balanceOperation, type BalanceOperationDeps } from './balance.ts'
import { historyOperation, type HistoryOperationDeps } from './history.ts'
import { sendOperation, type SendOperationDeps } from './send.ts'
import { statusOperation, type StatusOperationDeps } from './status.ts'

/** The four operations. Nothing else exists below /api/. */
export const operations = {
  send: sendOperation,
  status: statusOperation,
  balance: balanceOperation,
  history: historyOperation,
}

/** Dependencies of each operation. */
export interface OperationDeps {
  send: SendOperationDeps
  status: StatusOperationDeps
  balance: BalanceOperationDeps
  history: HistoryOperationDeps
}
