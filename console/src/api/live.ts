import { useEffect, useEffectEvent, useState } from 'react'
import type { LiveTopic } from '../../../src/api/console/core/live-feed.ts'
import { addressOf, type Place } from './call.ts'
import { checkSession } from './check-session.ts'
import { type Listener, LiveStream } from './live-stream.ts'
import { useAccountPlace } from './place.ts'

/** One stream for each account and mode, shared by all listeners on the page. */
const open = new Map<string, { stream: LiveStream; users: number }>()

/** Calls `listener` for each event of the topics while the component is mounted. */
export function useLive(topics: readonly LiveTopic[], listener: Listener): void {
  const { accountId, mode } = useAccountPlace()
  const onEvent = useEffectEvent(listener)
  const names = topics.join(' ')
  useEffect(() => {
    const { stream, leave } = join({ accountId, mode })
    const stops = (names.split(' ') as LiveTopic[]).map((topic) =>
      stream.listen(topic, (event) => onEvent(event)),
    )
    return () => {
      for (const stop of stops) stop()
      leave()
    }
  }, [accountId, mode, names])
}

/** Whether the stream of this page works: if not, the page may be outdated. */
export function useIsLive(): boolean {
  const { accountId, mode } = useAccountPlace()
  const [isLive, setIsLive] = useState(true)
  useEffect(() => {
    const { stream, leave } = join({ accountId, mode })
    const update = (): void => setIsLive(!stream.isBroken)
    update()
    const stop = stream.watch(update)
    return () => {
      stop()
      leave()
    }
  }, [accountId, mode])
  return isLive
}

/** Returns the stream of a place. The first user opens it, the last one closes it. */
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
