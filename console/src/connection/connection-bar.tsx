import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { connection, type ConnectionState } from './connection.ts'
import styles from './connection-bar.module.css'
import { sessionEnd, type SessionEndState } from './session-end.ts'

const useConnection = (): ConnectionState => useSyncExternalStore(connection.watch, () => connection.state)

/** Whether the session of this page ended, and what the user did then. */
export const useSessionEnd = (): SessionEndState =>
  useSyncExternalStore(sessionEnd.watch, () => sessionEnd.state)

/** False while the connection is lost: states that are shown may have changed since. */
export const useIsCurrent = (): boolean => useConnection().kind !== 'lost'

/** Over every page: that what is shown may be outdated, since when, and what to do. */
export function ConnectionBar() {
  const state = useConnection()
  const session = useSessionEnd()
  if (session === 'declined')
    return (
      <Group justify="center" className={styles['bar']} role="status" data-kind="lost">
        <Text size="sm">Your session has ended. This page is no longer updated.</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => void sessionEnd.signInAgain({ isOwnAct: true })}
        >
          Sign in
        </Button>
      </Group>
    )
  if (state.kind === 'up' || session === 'asking') return null
  if (state.kind === 'back')
    return (
      <Group justify="center" className={styles['bar']} role="status" data-kind="back">
        <Text size="sm">Connected again</Text>
      </Group>
    )
  return (
    <Group justify="center" className={styles['bar']} role="status" data-kind="lost">
      <Text size="sm">
        Connection lost
        {/* Read out once, not each second. */}
        <span aria-hidden="true">
          {' '}
          <SecondsSince ms={state.sinceMs} />
        </span>
        . This page shows the state as of {clockTime.format(state.sinceMs)}. Reconnecting…
      </Text>
      <Button size="compact-sm" variant="default" onClick={connection.retryNow}>
        Retry now
      </Button>
    </Group>
  )
}

function SecondsSince({ ms }: { ms: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <>{Math.max(0, Math.round((nowMs - ms) / 1_000))} s ago</>
}

const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
