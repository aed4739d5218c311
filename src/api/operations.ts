import { balanceOperation, type BalanceOperationDeps } from './v1/balance.ts'
import { historyOperation, type HistoryOperationDeps } from './v1/history.ts'
import { sendOperation, type SendOperationDeps } from './v1/send.ts'
import { statusOperation, type StatusOperationDeps } from './v1/status.ts'

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
