import { bytes, json } from 'lapidary'
import { asJson, type KindValues, unchanged } from './kind-case.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const object = 'a JSON object or array'
const invalidName = (name: string) =>
  `${object} with member names that JSON:API allows; ${JSON.stringify(name)} is not allowed`

/** The values of kinds that can only be compared with null. */
export const kindsOpaque = {
  json: {
    kind: json,
    accepts: [
      ['{}'],
      ['[]'],
      ['{"a":1,"b":[true,false,null,"x",{"é":""}]}'],
      ['[ 1.50 , -0 , 1e2 , 0.1 , 5e-324 ]', '[1.5,0,100,0.1,5e-324]'],
      ['[9007199254740993,-123456789012345678901234567890]'],
      ['{"id":"1","type":"x","data":{"link":1,"Links":2}}'],
      ['{"constructor":{"toString":1},"a b-c_d":2,"𝒳":3}'],
      ['["links","relationships","\\u0001\\t𝒳é\\"\\\\"]'],
      [nested(100)],
    ],
    rejects: ['"{}"', '""', '5', '0', 'true', 'false', '"null"'],
    expected: object,
    details: [
      ['5', object],
      [nested(101), `${object} nested at most 100 levels deep`],
      ['{"a":[{"links":{}}]}', invalidName('links')],
      ['{"relationships":null}', invalidName('relationships')],
      ['{"":1}', invalidName('')],
      ['{"a.b":1}', invalidName('a.b')],
      ['{"__proto__":1}', invalidName('__proto__')],
      ['{"a\\u0000b":1}', invalidName('a\0b')],
      ['{"a\\udc00":1}', invalidName('a\udc00')],
      ['["a\\u0000"]', `${object} with strings without the character U+0000`],
      ['[["\\ud800"]]', `${object} with strings of whole Unicode characters`],
      ['{"a":1e400}', `${object} with numbers that fit in a double`],
    ],
    expectedInFilters: 'null',
    rejectedVals: ['{}', '[]', '5', '"null"', 'true'],
    filterTexts: [],
    rejectedTexts: ['', 'null', '{}'],
  },
  bytes: {
    kind: bytes,
    accepts: [
      ...unchanged(
        '',
        'AA==',
        'AAE=',
        'AAEC',
        '/+8=',
        '++++',
        Buffer.alloc(3000, 'ÿ').toString('base64'),
      ),
    ],
    rejects: [
      ...asJson(
        'A',
        'AA',
        'AA=',
        'AAE',
        'AAECA',
        'AB==',
        'AAF=',
        '_-8=',
        'AA==\n',
        ' AA==',
        'A A==',
      ),
      ...asJson('=', '====', 'AA==AA==', 'AA\n==', '!!!!'),
      ...['5', 'true', '{}', '[]'],
    ],
    expected: 'bytes in padded base64, such as "AAEC/w=="',
    expectedInFilters: 'null',
    rejectedVals: [...asJson('', 'AA=='), '5', '{}'],
    filterTexts: [],
    rejectedTexts: ['', 'null', 'AA=='],
  },
} satisfies Record<string, KindValues>
