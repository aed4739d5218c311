import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type GuideFacts,
  type GuideKnown,
  guideSteps,
  type GuideStep,
  noGuideFacts,
  stepToDo,
} from '../../../../src/devices/phones/connect-guide.ts'
import { type GuideReturn, stepBack } from '../../../../src/devices/phones/guide-back.ts'
import { cableAddress, type GuideWay } from '../../../../src/devices/phones/guide-words.ts'
import type { InputOf } from '../../../../src/api/console/calls.ts'
import type { ReachInvitation } from '../../../../src/api/console/devices/reach-calls.ts'
import { useLive } from '../../api/live.ts'
import { useCall } from '../../api/use-call.ts'
import { useReached } from './use-reached.ts'

/** Which phone and which test SMS the guide is about, as far as they exist. */
export type GuideSubject = InputOf<'devices/guide'>

/** What the user types for the Local Server of a phone. It stays while a try fails. */
export interface LocalLogin {
  address: string
  user: string
  password: string
}

export interface Guide {
  facts: GuideFacts
  steps: GuideStep[]
  toDo: GuideStep | null
  /** Every account can use the phone. */
  isShared: boolean
  login: LocalLogin
  /** The link that a phone opens. */
  reach: ReachInvitation | null
  /** The phone that the guide was about before the user went back. It stays connected. */
  leftId: string | null
  setLogin: (login: LocalLogin) => void
  setShared: (isShared: boolean) => void
  setReach: (reach: ReachInvitation | null) => void
  chooseWay: (way: GuideWay) => void
  /** Adds what was chosen or tried. */
  note: (facts: Partial<GuideFacts>) => void
  follow: (subject: Partial<GuideSubject>) => void
  /** The way back to an earlier step; null at the beginning. */
  back: GuideReturn | null
  goBack: (back: GuideReturn) => void
}

const nothing: GuideSubject = { tokenId: null, deviceId: null, messageId: null }

/** The state of a guided connect: what the user chose and tried here, and what the server knows, live. */
export function useGuide(): Guide {
  const [own, setOwn] = useState<Partial<GuideFacts>>({})
  const [subject, setSubject] = useState<GuideSubject>(nothing)
  const [isShared, setShared] = useState(false)
  const [login, setLogin] = useState<LocalLogin>({ address: '', user: 'sms', password: '' })
  const [reach, setReach] = useState<ReachInvitation | null>(null)
  const [leftId, setLeftId] = useState<string | null>(null)
  const { known, forget } = useKnown(subject)
  const reached = useReached(reach, known === null || known.phone === null)
  const facts: GuideFacts = { ...noGuideFacts, ...own, reached, ...known }
  const steps = guideSteps(facts)
  const note = (more: Partial<GuideFacts>): void => setOwn((before) => ({ ...before, ...more }))
  const follow = (more: Partial<GuideSubject>): void => setSubject((before) => ({ ...before, ...more }))
  return {
    facts,
    steps,
    toDo: stepToDo(steps),
    isShared,
    login,
    reach,
    leftId,
    setLogin,
    setShared,
    setReach,
    note,
    follow,
    chooseWay(way) {
      if (way === 'cable') setLogin((before) => ({ ...before, address: cableAddress }))
      note({ way })
    },
    back: stepBack(facts),
    goBack({ facts: undone, forgets }) {
      note(undone)
      if (forgets === 'phone') {
        setLeftId(facts.phone?.deviceId ?? null)
        setSubject(nothing)
      }
      if (forgets === 'test') follow({ messageId: null })
      if (undone.way === null) {
        setSubject(nothing)
        setReach(null)
      }
      forget()
    },
  }
}

/** What the server knows of a subject. While it reads more about the same one, what it knew last; after `forget`, nothing. */
function useKnown(subject: GuideSubject): { known: GuideKnown | null; forget: () => void } {
  const isBegun = subject.tokenId !== null || subject.deviceId !== null
  const { data } = useCall('devices/guide', subject, { enabled: isBegun })
  const [kept, keep] = useState<GuideKnown | null>(null)
  const client = useQueryClient()
  useLive(['devices', 'messages'], () => void client.invalidateQueries({ queryKey: ['devices/guide'] }))
  if (isBegun && data !== undefined && data !== kept) keep(data)
  return { known: isBegun ? (data ?? kept) : null, forget: () => keep(null) }
}
