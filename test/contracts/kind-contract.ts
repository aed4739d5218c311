import { describe, expect, test } from 'vitest'
import type { ConnectorKind, DeviceSetup } from '../../src/connectors/connector.ts'
import { isOwnerSetting, type KindFacts } from '../../src/connectors/kind-facts.ts'
import { createWorld } from './contract-subject.ts'
import { expectHonestHealth } from './honest.ts'

/** Values that each setting of a kind must refuse, by its name. */
export type Nonsense = Readonly<Record<string, readonly string[]>>

/** What a kind is tried with: values of the settings that have no default, and what each must refuse. */
export interface KindSubject {
  facts: KindFacts
  kind: ConnectorKind
  required: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
  nonsense: Nonsense
}

/** What the service takes for granted of every kind of device, whether it is handed messages or fetches them. */
export function kindContract({ facts, kind, required, secrets, nonsense }: KindSubject): void {
  const names = kind.settings.map(({ name }) => name)
  const setup: DeviceSetup = { id: 'dev_1', name: 'A device', settings: required, secrets }

  describe(`a kind that honours the contract: ${facts.label}`, () => {
    test('has a sentence and a fitting default for each setting, and refuses nonsense', () => {
      expect(new Set(names).size).toBe(names.length)
      expect(Object.keys(nonsense).toSorted()).toEqual(names.toSorted())
      for (const rule of kind.settings) {
        expect(rule.name).toMatch(/^[a-z][a-z0-9_]*$/)
        expect(rule.summary).toMatch(/^[A-Z].{10,}\.$/)
        // What a device cannot do without has no default, and the empty text is not taken for it.
        expect(rule.check(rule.default) === null, `${rule.name}: its default`).toBe(rule.required !== true)
        for (const value of ['a\nb', 'a\0b', ...(nonsense[rule.name] ?? [])])
          expect(rule.check(value), `${rule.name}: ${JSON.stringify(value)}`).toMatch(/^needs /)
      }
    })

    test('says of itself nothing that it does not have', () => {
      expect(facts.kind).toBe(kind.kind)
      const named = [...facts.usualSettings, ...(facts.controlledSettings ?? []), ...facts.ownerSettings]
      expect(named.filter((name) => !names.includes(name))).toEqual([])
      expect(Object.keys(facts.secretFields ?? {})).toEqual([...kind.secretNames])
      expect(Object.keys(facts.testHints ?? {}).filter((reason) => !(reason in facts.remedies))).toEqual([])
      expect(facts.trial === undefined).toBe(kind.tryOut === undefined)
      expect(facts.addedByOwners === 'always' || (facts.notAdded ?? '').endsWith('.')).toBe(true)
    })

    test('only receives with the setting that it names for that, and with no other', () => {
      const world = createWorld()
      const { setting, value } = facts.receivesOnly ?? { setting: '', value: '' }
      const silent = { ...setup, settings: { ...required, ...(setting !== '' && { [setting]: value }) } }
      const receivesOnly = (given: DeviceSetup) =>
        kind.createLink(given, world.tools, world.events).capabilities.receivesOnly === true
      expect([receivesOnly(setup), receivesOnly(silent)]).toEqual([false, facts.receivesOnly !== undefined])
      expect(setting === '' || names.includes(setting)).toBe(true)
    })

    test('leaves every setting with an address or a file to the operator', () => {
      const reaching = /url|host|port|file|address|server|path|proxy|endpoint|cert|dir|domain|hook/
      const left = names.filter((name) => isOwnerSetting(facts, name) && reaching.test(name))
      expect(left).toEqual([])
    })

    test('is pending before its start, starts nothing by itself, and stops cleanly', async () => {
      const world = createWorld()
      const device = kind.createLink(setup, world.tools, world.events)
      expectHonestHealth(device.health())
      expect(device.health().status).toBe('pending')
      expect('wake' in device).toBe(facts.isPhone === true)
      expect(Number.isInteger(device.window) && device.window >= 0).toBe(true)
      expect(device.capabilities.maxParts).toBeGreaterThanOrEqual(1)
      expect(device.capabilities).toMatchObject(facts.carries)
      await world.clock.advance(3_600_000)
      expect(world.statuses).toEqual([])
      await device.stop()
      const { length } = world.statuses
      await world.clock.advance(3_600_000)
      expect(world.statuses.length).toBe(length)
      expect([world.said, world.inbound, world.late]).toEqual([[], [], []])
    })
  })
}
