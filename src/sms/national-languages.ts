/**
 * The national language tables of GSM 7-bit texts (3GPP TS 23.038, annex A), by the number of the language
 * (section 6.2.1.2.4), as differences from a base. `05:ea 12:aa,c7` are code points in hexadecimal from
 * septet 05 on, and from 12 on; `985-98b` is a range.
 *
 * A misprint of the standard is read as all implementations do: septet 24 of Kannada is U+0CA1, since U+0CAA
 * is already at 3d.
 */
const languages: Readonly<Record<number, { letters: 'latin' | 'own'; locking?: string; single: string }>> = {
  // Turkish, Spanish, Portuguese; Spanish has no locking table.
  1: { letters: 'latin', locking: '04:20ac 07:131 0b:11e,11f 1c:15e,15f 40:130 60:e7', single: '47:11e 49:130 53:15e 63:e7 67:11f 69:131 73:15f' },
  2: { letters: 'latin', single: '09:e7 41:c1 49:cd 4f:d3 55:da 61:e1 69:ed 6f:f3 75:fa' },
  3: { letters: 'latin', locking: '04:ea 06:fa,ed,f3,e7 0b:d4,f4 0e:c1,e1 12:aa,c7,c0,221e,5e,5c,20ac,d3,7c 1c:c2,e2,ca 24:ba 40:cd 5b:c3,d5,da 60:7e 7b:e3,f5,60', single: '05:ea 09:e7 0b:d4,f4 0e:c1,e1 12:3a6,393 15:3a9,3a0,3a8,3a3,398 1f:ca 41:c0 49:cd 4f:d3 55:da 5b:c3,d5 61:c2 69:ed 6f:f3 75:fa 7b:e3,f5 7f:e2' },
  // Bengali, Gujarati, Hindi, Kannada, Malayalam, Oriya, Punjabi, Tamil, Telugu, Urdu
  4: { letters: 'own', locking: '00:981-983,985-98b 0b:98c 0f:98f,990 13:993-99a 1c:99b-99e 22:99f-9a4 2a:9a5,9a6 2d:9a7 2f:9a8 3d:9aa,9ab 40:9ac-9b0 46:9b2 4a:9b6-9b9,9bc-9c4 59:9c7,9c8 5d:9cb-9ce 7b:9d7,9dc,9dd,9f0,9f1', single: '19:9e6,9e7 1c:9e8-9ef,9df-9e2 2a:9e3,9f2-9f5 30:9f6-9fa' },
  5: { letters: 'own', locking: '00:a81-a83,a85-a8b 0b:a8c,a8d 0f:a8f-a91 13:a93-a9a 1c:a9b-a9e 22:a9f-aa4 2a:aa5,aa6 2d:aa7 2f:aa8 3d:aaa,aab 40:aac-ab0 46:ab2,ab3 49:ab5-ab9,abc-ac5 59:ac7-ac9 5d:acb-acd,ad0 7b:ae0-ae3,af1', single: '19:964,965 1c:ae6-aef' },
  6: { letters: 'own', locking: '00:901-903,905-90b 0b:90c,90d 0e:90e-91a 1c:91b-91e 22:91f-924 2a:925,926 2d:927 2f:928 3c:929-92b 40:92c-939,93c-94d,950 7b:972,97b,97c,97e,97f', single: '19:964,965 1c:966-96f,951,952 2a:953,954,958-95a 30:95b-963,970,971' },
  7: { letters: 'own', locking: '01:c82,c83,c85-c8b 0b:c8c 0e:c8e-c90 12:c92-c9a 1c:c9b-c9e 22:c9f-ca4 2a:ca5,ca6 2d:ca7 2f:ca8 3d:caa,cab 40:cac-cb3 49:cb5-cb9,cbc-cc4 58:cc6-cc8 5c:cca-ccd,cd5 7b:cd6,ce0-ce3', single: '19:964,965 1c:ce6-cef,cde,cf1 2a:cf2' },
  8: { letters: 'own', locking: '01:d02,d03,d05-d0b 0b:d0c 0e:d0e-d10 12:d12-d1a 1c:d1b-d1e 22:d1f-d24 2a:d25,d26 2d:d27 2f:d28 3d:d2a,d2b 40:d2c-d39 4f:d3d-d44 58:d46-d48 5c:d4a-d4d,d57 7b:d60-d63,d79', single: '19:964,965 1c:d66-d71 2a:d72-d75,d7a 30:d7b-d7f' },
  9: { letters: 'own', locking: '00:b01-b03,b05-b0b 0b:b0c 0f:b0f,b10 13:b13-b1a 1c:b1b-b1e 22:b1f-b24 2a:b25,b26 2d:b27 2f:b28 3d:b2a,b2b 40:b2c-b30 46:b32,b33 49:b35-b39,b3c-b44 59:b47,b48 5d:b4b-b4d,b56 7b:b57,b60-b63', single: '19:964,965 1c:b66-b6f,b5c,b5d 2a:b5f,b70,b71' },
  10: { letters: 'own', locking: '00:a01-a03,a05-a0a 0f:a0f,a10 13:a13-a1a 1c:a1b-a1e 22:a1f-a24 2a:a25,a26 2d:a27 2f:a28 3d:a2a,a2b 40:a2c-a30 46:a32,a33 49:a35,a36 4c:a38,a39,a3c 50:a3e-a42 59:a47,a48 5d:a4b-a4d,a51 7b:a70-a74', single: '19:964,965 1c:a66-a6f,a59,a5a 2a:a5b,a5c,a5e,a75' },
  11: { letters: 'own', locking: '01:b82,b83,b85-b8a 0e:b8e-b90 12:b92-b95 19:b99,b9a 1d:b9c 1f:b9e 22:b9f 26:ba3,ba4 2f:ba8 3c:ba9,baa 42:bae-bb9 50:bbe-bc2 58:bc6-bc8 5c:bca-bcd,bd0 7b:bd7,bf0-bf2,bf9', single: '19:964,965 1c:be6-bef,bf3,bf4 2a:bf5-bf8,bfa' },
  12: { letters: 'own', locking: '00:c01-c03,c05-c0b 0b:c0c 0e:c0e-c10 12:c12-c1a 1c:c1b-c1e 22:c1f-c24 2a:c25,c26 2d:c27 2f:c28 3d:c2a,c2b 40:c2c-c33 49:c35-c39 4f:c3d-c44 58:c46-c48 5c:c4a-c4d,c55 7b:c56,c60-c63', single: '1c:c66-c6f,c58,c59 2a:c78-c7c 30:c7d-c7f' },
  13: { letters: 'own', locking: '00:627,622,628,67b,680,67e,6a6,62a,6c2,67f 0b:679,67d 0e:67a,67c,62b,62c,681,684,683,685-687,62d-62f 1c:68c,688-68a 22:68f,68d,630,631,691,693 2a:699,632 2d:696 2f:698 3c:69a,633,634 40:635-639,641,642,6a9-6ab,6af,6b3,6b1,644-646,6ba-6bc,648,6c4,6d5,6c1,6be,621,6cc,6d0,6d2,64d,650,64f,657,654 7b:655,651,653,656,670', single: '19:600,601 1c:6f0-6f9,60c,60d 2a:60e-612 30:613,614,61b,61f,640,652,658,66b,66c,672,673,6cd 3f:6d4' },
} // prettier-ignore

/** The common cells of the tables of languages with letters of their own. */
const ownLetters = {
  locking: '0a:a 0d:d 20:20,21 28:29,28 2c:2c 2e:2e 30:30-3b 3f:3f 61:61-7a',
  single:
    '00:40,a3,24,a5,bf,22,a4,25-27,c,2a,2b 0e:2d,2f,3c-3e,a1,5e,a1,5f,23,2a 28:7b,7d 2f:5c 3c:5b,7e,5d 40:7c,41-5a 65:20ac',
}

/** Characters by septet; undefined for a void cell. */
export type SeptetTable = readonly (string | undefined)[]

/** Returns the locking shift table of a language over the default alphabet; null if it has none. */
export const lockingTable = (language: number, standard: SeptetTable): SeptetTable | null =>
  tableOf('locking', language, standard)

/** Returns the single shift table of a language over the default extension table; null if it has none. */
export const singleShiftTable = (language: number, standard: SeptetTable): SeptetTable | null =>
  tableOf('single', language, standard)

function tableOf(kind: 'locking' | 'single', language: number, standard: SeptetTable): SeptetTable | null {
  const { letters, [kind]: differences } = languages[language] ?? {}
  if (differences === undefined) return null
  const table = letters === 'latin' ? [...standard] : withCells([], ownLetters[kind])
  return withCells(table, differences)
}

function withCells(table: (string | undefined)[], cells: string): (string | undefined)[] {
  for (const run of cells.split(' ')) {
    const [start = '', codes = ''] = run.split(':')
    let septet = Number.parseInt(start, 16)
    for (const row of codes.split(',')) {
      const [first = '', last = first] = row.split('-')
      for (let code = Number.parseInt(first, 16); code <= Number.parseInt(last, 16); code++)
        table[septet++] = String.fromCharCode(code)
    }
  }
  return table
}
