import { expect, test } from 'vitest'
import { licencesOfGcc, refuseOtherDebian } from '../../scripts/release/image-libraries.ts'

// usr/lib/os-release of base-files in Debian 12, 13 and testing, and of Ubuntu 24.04 (os-release(5)).
const release = (id: string, version: string): string =>
  `PRETTY_NAME="Some system"\nNAME="Some"\n${version}ID=${id}\nHOME_URL="https://example.org/"\n`

test('an image is built from the libraries of one Debian, whatever the machine runs', () => {
  expect(() => refuseOtherDebian(release('debian', 'VERSION_ID="12"\n'))).not.toThrow()
  for (const [other, words] of [
    [release('debian', 'VERSION_ID="13"\n'), 'of debian 13'],
    [release('debian', ''), 'of debian without a version'],
    [release('ubuntu', 'VERSION_ID="24.04"\n'), 'of ubuntu 24.04'],
    ['', 'of no system without a version'],
  ] as const)
    expect(() => refuseOtherDebian(other)).toThrow(words)
})

test('the licences of the libraries of GCC are in the package that they depend on, whatever its number', () => {
  expect(licencesOfGcc('gcc-12-base (= 12.2.0-14+deb12u1), libc6 (>= 2.35)\n')).toBe('gcc-12-base')
  expect(licencesOfGcc('libc6 (>= 2.38), gcc-14-base (= 14.2.0-19)')).toBe('gcc-14-base')
  expect(() => licencesOfGcc('libc6 (>= 2.35)')).toThrow('no package of GCC')
})
