import { useEffect, useEffectEvent, useState } from 'react'
import type { LiveTopic } from '../../../src/api/console/core/live-feed.ts'
import { addressOf, type Place } from './call.ts'
import { checkSession } from './check-session.ts'
import { type Listener, LiveStream } from './live-stream.ts'
import { useAccountPlace } from './place.ts'

/** One stream for each account and mode, shared by everything on the page that listens. */
const open = new Map<string, { stream: LiveStream; users: number }>()

/** Calls `hear` with what the server tells of some topics while the component is shown. */
export function useLive(topics: readonly LiveTopic[], hear: Listener): void {
  const { accountId, mode } = useAccountPlace()
  const heard = useEffectEvent(hear)
  const names = topics.join(' ')
  useEffect(() => {
    const { stream, leave } = join({ accountId, mode })
    const stops = (names.split(' ') as LiveTopic[]).map((topic) =>
      stream.listen(topic, (event) => heard(event)),
    )
    return () => {
      for (const stop of stops) stop()
      leave()
    }
  }, [accountId, mode, names])
}

/** Whether the stream of this page stands: what is shown may be old while it does not. */
export function useIsLive(): boolean {
  const { accountId, mode } = useAccountPlace()
  const [isLive, setIsLive] = useState(true)
  useEffect(() => {
    const { stream, leave } = join({ accountId, mode })
    const look = (): void => setIsLive(!stream.isBroken)
    look()
    const stop = stream.watch(look)
    return () => {
      stop()
      leave()
    }
  }, [accountId, mode])
  return isLive
}

/** The stream of a place, which begins with who joins it first and ends with who leaves it last. */
function join(place: Place): { stream: LiveStream; leave: () => void } {
  const address = addressOf('live', place, {})
  const joined = open.get(address) ?? {
    stream: new LiveStream(address, () => void checkSession().catch(() => undefined)),
    users: 0,
  }
  open.set(address, joined)
  joined.users += 1
  const leave = (): void => {
    joined.users -= 1
    if (joined.users > 0) return
    joined.stream.close()
    open.delete(address)
  }
  return { stream: joined.stream, leave }
}
