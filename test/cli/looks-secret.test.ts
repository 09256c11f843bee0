import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StoredColumn } from 'lapidary'
import { inferKind } from '../../cli/infer-kind.ts'
import { looksSecret } from '../../cli/looks-secret.ts'

/** Columns as `table.column type`; `text` where the type is left out. Further columns of the table follow a `+`. */
const secrets = `
  wp_users.user_pass, users.pass, konto.passwort, kunde.Kennwort, compte.mot_de_passe, a.password, a.passwordHash,
  a.user_password, a.PASSWD, a.pwd, a.passphrase, a.userpass, a.pass_hash, a.encrypted_password, a.senha, a.clientsecret,
  wp_users.user_activation_key, a.session_id, a.sessionid, sessions.sid, a.session_key, a.activation_code,
  a.confirmation_token, a.reset_token, a.refresh_token_hash, a.token, a.api_key, a.apikey, a.private_key, a.signing_key,
  a.client_secret, a.secrets json, a.recovery_codes json, a.security_answer, a.otp_secret, a.otp integer, a.cvv integer,
  authtoken_token.key, sessions.id+payload, ci_sessions.id+data, a.cvc, a.credential, a.encrypted_key blob, a.password_hint,
  users.hash, users.salt, customer.pin, card.pin integer, a.password_salt, a.user_salt, a.pin_hash blob, a.card_pin`

const harmless = `
  office.secretary, office.secretariat, office.secretary_id integer, gland.secretion, map.pin, map.pinned boolean,
  marker.pin integer, address.pin_code, food.salt, food.salt real, users.salt_intake real, file.hash, file.content_hash,
  commit.hash, block.hash blob, compass.bearing, a.compass, a.bypass, a.passport, a.passenger, trip.boarding_pass,
  a.passed boolean, a.pass integer, a.password_set_at timestamp, a.password_changed date, a.has_password boolean,
  a.password_attempts integer, a.failed_passwords integer, a.password_policy, a.token_type, a.token_count integer,
  a.tokenizer, a.session_id integer, talk.session, a.design, a.key, a.keyboard, a.author, a.authority, a.spin, a.shipping,
  ar_internal_metadata.key, config.KEY, sessions.id, sessions.id+title, sessions.id+data integer, message.id+payload,
  a.hashtag, a.hotpot, a.monkey, a.postal_code, a.country_code, a.license_type, a.assault`

const parse = (text: string) => text.split(',').map((each) => each.trim().split(/[. ]/))

describe('A column', () => {
  for (const [list, expected] of [
    [secrets, true],
    [harmless, false],
  ] as const) {
    for (const [table = '', names = '', type = 'text'] of parse(list)) {
      const [name = '', ...others] = names.split('+')
      it(`${names} ${type} of the table ${table} ${expected ? 'looks' : 'does not look'} secret`, () => {
        const column: StoredColumn = {
          name,
          type,
          nullable: true,
          hasDefault: false,
          writable: true,
        }
        const kind = inferKind(column, { dialect: 'sqlite' })
        assert.ok(kind)
        const columns = new Map([name, ...others].map((each) => [each, column]))
        assert.equal(looksSecret(column, kind, { name: table, columns }), expected)
      })
    }
  }
})
