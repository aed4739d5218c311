import { changePlanOperation } from './change-account-plan.ts'
import { changeStateOperation } from './change-state.ts'
import { createAccountOperation } from './create-account.ts'
import { explainRouteOperation } from './explain-route.ts'
import { grantSmsOperation } from './grant-sms.ts'
import { listAccountsOperation } from './list-accounts.ts'
import { listLedgerOperation } from './list-ledger.ts'
import type { OperatorOperation } from './operation.ts'
import { readAccountOperation } from './read-account.ts'
import { readUsageOperation } from './read-usage.ts'

/** The operations of the operator API. */
export const operatorOperations: readonly OperatorOperation[] = [
  createAccountOperation,
  listAccountsOperation,
  readAccountOperation,
  changeStateOperation,
  changePlanOperation,
  grantSmsOperation,
  listLedgerOperation,
  readUsageOperation,
  explainRouteOperation,
]
