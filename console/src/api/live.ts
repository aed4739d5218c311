import { useEffect, useEffectEvent, useState } from 'react'
import type { LiveTopic } from '../../../src/api/console/live-feed.ts'
import { addressOf, type Place } from './call.ts'
import { useAccountPlace } from './place.ts'

type Listener = (event: unknown) => void

interface Stream {
  source: EventSource
  listeners: Map<LiveTopic, Set<Listener>>
  users: number
}

/** One stream for each account and mode, shared by everything on the page that listens. */
const open = new Map<string, Stream>()

/** Calls `hear` with what the server tells of a topic while the component is shown. */
export function useLive(topic: LiveTopic, hear: Listener): void {
  const { accountId, mode } = useAccountPlace()
  const heard = useEffectEvent(hear)
  useEffect(() => {
    const { stream, leave } = join({ accountId, mode })
    const listener: Listener = (event) => heard(event)
    const listeners = stream.listeners.get(topic) ?? listen(stream, topic)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      leave()
    }
  }, [accountId, mode, topic])
}

/** Whether the stream of this page stands: what is shown may be old while it does not. */
export function useIsLive(): boolean {
  const { accountId, mode } = useAccountPlace()
  const [isLive, setIsLive] = useState(true)
  useEffect(() => {
    const { stream, leave } = join({ accountId, mode })
    const look = (): void => setIsLive(stream.source.readyState === EventSource.OPEN)
    stream.source.addEventListener('open', look)
    stream.source.addEventListener('error', look)
    return () => {
      stream.source.removeEventListener('open', look)
      stream.source.removeEventListener('error', look)
      leave()
    }
  }, [accountId, mode])
  return isLive
}

/** The stream of a place, which begins with who joins it first and ends with who leaves it last. */
function join(place: Place): { stream: Stream; leave: () => void } {
  const address = addressOf('live', place, {})
  const stream = open.get(address) ?? { source: new EventSource(address), listeners: new Map(), users: 0 }
  open.set(address, stream)
  stream.users += 1
  const leave = (): void => {
    stream.users -= 1
    if (stream.users > 0) return
    stream.source.close()
    open.delete(address)
  }
  return { stream, leave }
}

function listen(stream: Stream, topic: LiveTopic): Set<Listener> {
  const listeners = new Set<Listener>()
  stream.listeners.set(topic, listeners)
  stream.source.addEventListener(topic, (event: MessageEvent<string>) => {
    const told: unknown = JSON.parse(event.data)
    for (const listener of listeners) listener(told)
  })
  return listeners
}
