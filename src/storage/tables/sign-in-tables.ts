import type { Flag } from './column-values.ts'

/** Tables of sign-in to the console. */

export interface OneTimeLinkTable {
  id: string
  hash: string
  purpose: 'set-up' | 'reset' | 'invitation'
  email: string
  user_id: string | null
  account_id: string | null
  role: 'owner' | 'member' | null
  actor: string
  created_at: number
  expires_at: number
  used_at: number | null
  revoked_at: number | null
}

export interface EmailLinkTable {
  id: string
  hash: string
  user_id: string
  email: string
  actor: string
  created_at: number
  expires_at: number
  used_at: number | null
  revoked_at: number | null
}

export interface PasskeyTable {
  id: string
  user_id: string
  credential_id: string
  public_key: string
  counter: number
  transports: string
  is_synced: Flag
  name: string
  created_at: number
  last_used_at: number | null
}

export interface PasskeyChallengeTable {
  hash: string
  expires_at: number
}

/** Better Auth's own tables, in its spelling; dates are ISO 8601 text. */
export interface AuthUserTable {
  id: string
  name: string
  email: string
  emailVerified: Flag
  image: string | null
  createdAt: string
  updatedAt: string
  twoFactorEnabled: Flag | null
}

export interface AuthSessionTable {
  id: string
  expiresAt: string
  token: string
  createdAt: string
  updatedAt: string
  ipAddress: string | null
  userAgent: string | null
  userId: string
}

export interface AuthCredentialTable {
  id: string
  accountId: string
  providerId: string
  userId: string
  password: string | null
  createdAt: string
  updatedAt: string
}

export interface AuthVerificationTable {
  id: string
  identifier: string
  value: string
  expiresAt: string
  createdAt: string
  updatedAt: string
}

export interface AuthTwoFactorTable {
  id: string
  secret: string
  backupCodes: string
  userId: string
  verified: Flag | null
  failedVerificationCount: number | null
  lockedUntil: string | null
  lastStep: number | null
}
