import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StoredColumn } from 'lapidary'
import { inferKind } from '../../cli/introspect/infer-kind.ts'
import { looksSecret } from '../../cli/introspect/secrets.ts'
import { readDeclarations } from '../../cli/introspect.ts'
import { describeContent, listMembers } from '../../src/sql/verify/column-content.ts'
import { databases } from '../databases.ts'
import { filled } from '../filled.ts'

/**
 * Columns of real applications that hold a secret, as `table.column type`; `text` where the type is left out. Further columns of
 * the table follow a `+`.
 */
const secrets = `
  mantis_user_table.cookie_string, matomo_user.token_auth, mybb_users.loginkey, users.persist_code, ps_customer.secure_key,
  jos_users.otep, devices.twofactor_remember, users.magic_link, users.magiclink_code, users.passhash, users.pwdhash,
  users.pwhash, users.bcrypt, users.argon2, users.shadow, users.hmac, ps_auths.md5_cred, users.serverkey, users.storedkey,
  users.stored_key, users.scram, users.hashedRt, knox_authtoken.digest, networks.wpa_key, networks.wep_key,
  users_main.IRCKey, users.keys, users.magic_key, cryptokeys.content, users.otpkey, users.twofa_key, users.tfa_seed,
  users.authcode, users.email_code, credentials_entity.data, dbs.sqlalchemy_uri, session.vars, user_authenticate.data,
  servers.connection_string, a.dsn,
  wp_users.user_pass, users.pass, konto.passwort, kunde.Kennwort, compte.mot_de_passe, a.password, a.passwordHash,
  a.user_password, a.PASSWD, a.pwd, a.passphrase, a.userpass, a.pass_hash, a.encrypted_password, a.senha, a.clientsecret,
  wp_users.user_activation_key, a.session_id, a.sessionid, sessions.sid, a.session_key, a.activation_code,
  a.confirmation_token, a.reset_token, a.refresh_token_hash, a.token, a.api_key, a.apikey, a.private_key, a.signing_key,
  a.client_secret, a.secrets json, a.recovery_codes json, a.security_answer, a.otp_secret, a.otp integer, a.cvv integer,
  authtoken_token.key, sessions.id+payload, ci_sessions.id+data, a.cvc, a.credential, a.encrypted_key blob, a.password_hint,
  users.hash, users.salt, customer.pin, card.pin integer, a.password_salt, a.user_salt, a.pin_hash blob, a.card_pin,
  users.pass_crypt, users.pass_salt, users.creation_address_token, client_applications.secret, oauth_tokens.secret,
  oauth_tokens.token, user_tokens.token, api_keys.key, users.bcrypt_password_hash, users.totp_secret, users.backup_codes json,
  hosts.tls_psk, users.passwd, sessions.sessionid, sessions.secret, interface_snmp.authpassphrase,
  interface_snmp.privpassphrase, items.privatekey, media_type.passwd, userdirectory_ldap.bind_password,
  userdirectory_saml.sp_private_key, config.session_key, token.token, httptest.http_password, httptest.ssl_key_password,
  editor.ha1, editor_oauth_token.refresh_token, editor_oauth_token.access_token, editor_oauth_token.authorization_code,
  application.oauth_secret, user.user_newpassword, user.user_token, user.user_email_token, bot_passwords.bp_password,
  bot_passwords.bp_token, phpbb_users.user_password, phpbb_users.user_form_salt, phpbb_users.user_actkey,
  phpbb_users.reset_token, phpbb_bots.bot_token, mdl_user.password, mdl_user.secret,
  mdl_external_tokens.token, mdl_external_tokens.privatetoken, mdl_user_private_key.value, mdl_sessions.sid,
  oc_users.password, oc_authtoken.token, oc_authtoken.password, oc_authtoken.private_key, oc_share.password, oc_share.token,
  oc_storages_credentials.credentials, users.hashed_password, tokens.value, tokens.key, auth_sources.account_password,
  auth_user.password, django_session.session_key, django_session.session_data, socialaccount_socialtoken.token_secret,
  socialaccount_socialapp.secret, otp_totp_totpdevice.key, otp_static_statictoken.token, users.remember_token,
  users.two_factor_secret, users.two_factor_recovery_codes, password_reset_tokens.token, oauth_clients.secret,
  personal_access_tokens.token, personal_access_tokens.token_digest,
  users.reset_password_token, users.unlock_token, users.confirmation_token, users.incoming_email_token, users.feed_token,
  users.static_object_token, users.encrypted_otp_secret, users.encrypted_otp_secret_salt, users.otp_backup_codes,
  ci_runners.token, ci_runners.token_encrypted, ci_variables.encrypted_value_salt, projects.runners_token,
  projects.runners_token_encrypted, deploy_tokens.token, web_hooks.encrypted_token, cluster_platforms.encrypted_ca_pass,
  accounts.private_key, users.otp_secret, web_push_subscriptions.key_auth, session_activations.session_id,
  user_security_keys.credential, user_second_factors.data+token, email_tokens.token, user_auth_tokens.auth_token,
  user_auth_tokens.prev_auth_token, user_api_keys.key_hash, api_keys.key_hash, single_sign_on_records.nonce_token,
  credential.secret_data, credential.credential_data, client.registration_token, client.secret, component_config_secret.value,
  access_token.token_hash, access_token.token_salt, user.passwd, user.rands_token, two_factor.secret, two_factor.scratch_hash,
  two_factor.scratch_salt, oauth2_application.client_secret, oauth2_authorization_code.code, webhook.secret,
  login_source.bind_password, deploy_key.private_key, user.salt, user_auth_token.auth_token, user_auth_token.prev_auth_token,
  api_key.key, temp_user.code_token, data_source.password, data_source.basic_auth_password, data_source.secure_json_secret,
  users.password_hash, access_tokens.token, refresh_tokens.token, users_pending.login_token, macaroons.macaroon_token,
  users.scram_password, archive.jwt, rostername.pass, sr_user.password, radcheck.value, radreply.value, nas.secret,
  sip_buddies.secret, sip_buddies.md5secret, voicemail_users.password, ps_auths.password, ps_auths.md5_cred_password,
  tsigkeys.secret, cryptokeys.private_key, users.akey_secret, users.client_key_hash, users.security_stamp_token,
  users.private_key, users.totp_recover, devices.refresh_token, emergency_access.key_encrypted, twofactor.data_secret,
  admin_user.password, admin_user.rp_token, customer_entity.password_hash, customer_entity.rp_token, oauth_token.secret,
  oauth_token.verifier, oauth_consumer.secret, ps_customer.passwd, ps_customer.secure_key_hash, ps_employee.passwd,
  ps_webservice_account.key, ost_staff.passwd, ost_api_key.apikey, ost_session.session_id, res_users.password,
  ir_mail_server.smtp_pass, fetchmail_server.password, res_users.api_key, core_user.password, core_user.password_salt,
  core_user.reset_token, core_session.id+session, metabase_database.secret_key, sentry_apikey.key, sentry_apitoken.token,
  profiles.cryptpassword, logincookies.cookie+loginpassword, mailbox.password, mailbox.passwd, vacation.mailpass,
  users.ftppasswd, radusergroup_secret.value, accounts.imappass, wifi.psk, network.wpa_psk, vpn.preshared_key,
  vpn.pre_shared_key, wg_peers.preshared_key, ipsec.psk_secret, users.nt_hash, users.lm_hash, sambaAccount.ntPassword,
  payment.stripe_secret, shop.webhook_secret, shop.shared_secret, users.login_hash, users.md5, member.sha1,
  users.verification_code, users.sms_code, users.pairing_code, users.autologin_key, users.rss_token, user.authKey,
  user.auth_key, user.accessToken, user.password_reset_token, user.verification_token, bot.bottoken, mail.dkim_private_key,
  certificates.private_key_pem, certificates.pem, keystore.pkcs12 blob, ssh.hostprivkey, users.passcode integer,
  customer.card_cvc2, users.PasswordSalt, AspNetUsers.PasswordHash, AspNetUsers.SecurityStampToken, users.LoginPassword,
  users.temp_password, users.old_passwords json, users.plain_pwd, users.pw, users.pw_hash, users.heslo, users.salasana,
  password_resets.value, password_resets.code, email_verifications.code, password_history.value, accounts.pin_code,
  accounts.cookie, accounts.session_data, crawler_jobs.cookies json,
  cuentas.contraseña, usuarios.contrasena, gebruiker.wachtwoord, konta.hasło, utilizator.parola, users.torrent_pass`

/** Columns of real applications whose names are like those of secrets. */
const harmless = `
  office.secretary, office.secretariat, office.secretary_id integer, gland.secretion, map.pin, map.pinned boolean,
  marker.pin integer, address.pin_code, food.salt, food.salt real, users.salt_intake real, file.hash, file.content_hash,
  commit.hash, block.hash blob, compass.bearing, a.compass, a.bypass, a.passport, a.passenger, trip.boarding_pass,
  a.passed boolean, a.pass integer, a.password_set_at timestamp, a.password_changed date, a.has_password boolean,
  a.password_attempts integer, a.failed_passwords integer, a.password_policy, a.token_type, a.token_count integer,
  a.tokenizer, a.session_id integer, talk.session, a.design, a.key, a.keyboard, a.author, a.authority, a.spin, a.shipping,
  ar_internal_metadata.key, config.KEY, sessions.id, sessions.id+title, sessions.id+data integer, message.id+payload,
  a.hashtag, a.hotpot, a.monkey, a.postal_code, a.country_code, a.license_type, a.assault,
  a.primary_key, song.key_signature, person.passport_country, person.passport_number, track.key, chord.key, a.sort_key,
  a.cache_key, a.partition_key, a.idempotency_key, a.translation_key, a.public_key, ssh_keys.fingerprint, a.foreign_key,
  a.object_key, a.storage_key, issue.issue_key, project.project_key, project.key, issue.key, a.key_name, a.key_type,
  a.keywords, a.hotkey, a.turkey, a.keystone, a.usage_tokens integer, llm.max_tokens integer, llm.prompt_tokens integer,
  a.token_status, a.password_expires timestamp, users.password_updated_at timestamp, users.pass_count integer,
  mountain.pass_height integer, mountain.mountain_pass, hotel.season_pass, a.passing_yards, player.passes_completed integer,
  player.pass_attempts integer, satellite.pass_time timestamp, a.encompasses, a.overpass, a.underpass, a.trespass,
  files.md5, files.sha1, files.sha256, blobs.digest, image.sha256, package.checksum, packages.integrity_hash,
  commits.tree_hash, commits.parent_hash, transaction.tx_hash, page.content_digest, articles.url_hash, a.geohash,
  a.hash_algorithm, recipe.salt, recipe.cookie, cookie.flavor, cookies.name, products.code, currency.code, country.code,
  airport.code, coupon.code, orders.code, a.zip_code, a.barcode, a.color_code, a.error_code, a.status_code integer,
  a.code, tags.key, tags.value, current_node_tags.k, current_node_tags.v, settings.key, public_keys.key, translations.key, map.key, sensors.key, translations.value,
  attributes.key, way_tags.value, metadata.data, message.content, posts.body, posts.content, comments.body, a.value,
  sessions.title, sessions.speaker, course_sessions.id, therapy_sessions.id integer, a.session_count integer,
  conference.session_title, a.discussion_id, a.possession, a.obsession, a.mission_id, artist.aside, a.preside,
  a.authenticated boolean, a.authorization_status, a.author_name, a.auth_method, a.auth_type, a.accessed timestamp,
  a.access_level, a.access_count integer, a.api_version, a.api_url, a.private boolean, a.privacy, a.private_notes,
  a.shared boolean, a.shared_by, a.master, a.master_id integer, album.master_recording, a.device_code_name, a.device_type,
  app.app_code, client.client_code, host.host_name, clients.code, customers.customer_code, employees.badge,
  a.signature, a.signed_at timestamp, a.seed integer, tournament.seed integer, a.salted boolean, ocean.salinity real,
  a.crypto_currency, a.encrypted boolean, a.encryption_type, a.cipher_name, a.decrypted_at timestamp, a.recovery_rate real,
  patients.recovery_date date, a.backup_path, a.backup_status, a.reset_count integer, a.reset_at timestamp,
  a.verified boolean, a.verification_status, a.verified_at timestamp, a.activation_date date, a.invitation_date date,
  a.confirmation_date date, users.two_factor_enabled boolean, users.otp_required_for_login boolean,
  users.otp_enabled boolean, hosts.tls_psk_identity, users.credit_limit real, card.card_type, card.last4, card.brand,
  card.expiry date, a.pinned_at timestamp, a.pinyin, a.spinner, a.opinion, a.shopping_cart, a.pwd_changed_at timestamp,
  a.jwt_expires timestamp, a.secret_level, a.secret_santa_id integer, genre.opera, players.hits integer, users.nickname,
  users.email, users.username, users.name, users.display_name, users.theme, users.locale, members.member_code,
  subscriber.hashtag, a.webhook_url, a.feed_url, a.stream_url, a.rss_url, a.consumer_name, a.application_name,
  customer_address.pin_code, cookies.cookie, a.cookies integer, a.cookie_consent, a.has_cookie boolean, invitations.body,
  resets.code_count integer, conference.session_date date, comments.email_hash, servers.server_code, a.authored, a.creed,
  users.two_factor_type, users.mfa_enabled boolean, a.author_codes, a.link, a.database_name, servers.uri, map.scale`

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
        assert.equal(looksSecret({ column, kind, table: { name: table, columns } }), expected)
      })
    }
  }
})

/** Values that open something, or from which a password can be guessed. None is a real one. */
const credentials = [
  '$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b2dWRWJTmaaJObG',
  'pbkdf2_sha256$600000$salt$Yk2v0nVtQ4hY=',
  '{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
  '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19',
  'SCRAM-SHA-256$4096:c2FsdA==$a2V5:a2V5',
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N',
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'AKIAIOSFODNN7EXAMPLE',
  'https://me:word@git.example.org/music',
  'ada:$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy:1000',
  '{"id":1,"x":[null,"$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"]}',
]

const random = [
  'k3J9xQ2mZ7pL0vB8sT4wY6aD1fG5hN',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
]

const ordinary = [
  'Notes of a cook',
  'https://example.org/a/long/path/to-a-page?with=query',
  'a-title-as-it-stands-in-an-address-2024',
  'Donaudampfschifffahrtsgesellschaft',
  '2024-05-05T10:30:30.000000Z',
  '+49 30 1234567890123456789',
  '00000000000000000000000000000000',
  'user.with.a.long.name@example.org',
  '$5 off',
  'sha1 is a digest',
  'A hash of bcrypt begins with $2y$10$ and a key of tests with sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  '{"of":"A hash of bcrypt begins"}',
]

describe('The values of a column', () => {
  for (const value of credentials)
    it(`are credentials with one such as ${value.slice(0, 12)}…`, () => {
      assert.equal(describeContent(['Ada', value]), 'credential')
    })

  for (const value of random)
    it(`are random if all are such as ${value}`, () => {
      assert.equal(describeContent([value]), 'random')
      assert.equal(describeContent([value, 'Ada']), undefined)
    })

  for (const value of ordinary)
    it(`may be ${value}`, () => {
      assert.equal(describeContent([value]), undefined)
    })

  it('are judged by their beginning, however long they are', () => {
    assert.equal(describeContent([`${random[0]}${' '.repeat(1_000_000)}`]), undefined)
    assert.equal(describeContent([`${random[0]}`.repeat(100_000)]), 'random')
  })
})

for (const database of databases)
  describe(`Columns that look secret · ${database.name}`, () => {
    const tables = `
      create table users (id integer primary key, name text, pass_crypt text, remark text, odd text, checksum text);
      insert into users values (1, 'Ada', 'x', '$1$salt$hash', '${random[0]}', '${random[1]}');
      create table api_keys (id integer primary key, key text);
      create view logins as select id, remark as note from users;`
    const read = async (url: string, show: readonly string[]) => {
      const { resources } = await readDeclarations(url, { types: 'plural', show })
      return resources.flatMap(({ secrets }) => secrets ?? [])
    }

    it('are omitted by their names, the names of their tables and their values, unless --show names them', async (test) => {
      const url = await filled(test, database, tables)
      assert.deepEqual(await read(url, []), [
        'api_keys: key',
        'logins: note',
        'users: pass_crypt, remark, odd',
      ])
      assert.deepEqual(await read(url, ['users.odd', 'api_keys.key', 'logins.note']), [
        'users: pass_crypt, remark',
      ])
    })

    it('are not shown by a name that does not exist', async (test) => {
      const url = await filled(test, database, tables)
      await assert.rejects(read(url, ['users.pass_crypd']), {
        message:
          '--show must name columns as <table>.<column>; there is no "users.pass_crypd"; did you mean "users.pass_crypt"?',
      })
    })
  })

/** Texts of columns, as audit tables write objects, and their members. */
const rows: readonly (readonly [text: string, members: string])[] = [
  ['{"id":7,"pass_crypt":"7x","ok":true}', 'id number, pass_crypt'],
  ['{"pass_crypt":["OLD","NEW"],"a":{"b":null}}', 'pass_crypt, a, b'],
  ['"{\\"token\\":\\"true\\"}"', 'token'],
  ['[{"field":"password","old":"x"}]', 'field, old, password'],
  ['"pass"=>"x", "age"=>"3"', 'pass, age'],
  ['---\nid: 3\npassword_digest: 7x\n', 'id, password_digest'],
  ['a:1:{s:8:"password";s:1:"x";}', 'password'],
  ['<row><id>3</id><pass>true</pass></row>', 'id, pass'],
  ['Note: "password": nobody knows it', ''],
]

describe('The members of objects in a column', () => {
  for (const [text, expected] of rows)
    it(`of ${text} are ${expected || 'none'}`, () => {
      const members = listMembers([text])
      const names = members.map(({ name, isNumber }) => (isNumber ? `${name} number` : name))
      assert.equal(names.join(', '), expected)
    })

  it('are at most 1,000, however many there are', () => {
    const texts = Array.from({ length: 3000 }, (_, index) => `{"m${index}":"x"}`)
    assert.equal(listMembers(texts).length, 1000)
  })
})

/** The columns of a database that are omitted because they look secret, by table. */
async function readSecrets(url: string, show: readonly string[] = []): Promise<readonly string[]> {
  const { resources } = await readDeclarations(url, { types: 'plural', show })
  return resources.flatMap(({ secrets }) => secrets ?? [])
}

/** A table with secrets, for views. */
const users = `
  create table users (id integer primary key, email text, pass_crypt text, name text);
  insert into users values (1, 'a@example.org', 'x', 'Ada');`

/** The definitions of a view over `users`, and its columns that are omitted. */
const views: readonly (readonly [select: string, omitted: string])[] = [
  ["select id, email || ':' || pass_crypt as line from users", 'line'],
  ['select id, pass_crypt as shadow, substr(pass_crypt, 2) as pc, name from users', 'shadow, pc'],
  [
    'select u.id, x.shadow, u.name from users as u join (select id as i, pass_crypt as shadow from users) as x on x.i = u.id',
    'shadow',
  ],
  [
    'with u as (select * from users) select id, (select max(pass_crypt) from u) as most, name from users',
    'most',
  ],
  ['select id, email as y from users where id > 5 union all select id, pass_crypt from users', 'y'],
  [
    'select id, y from (select id, email as y from users where id > 5 union select id, pass_crypt from users) as u',
    'y',
  ],
  ['select id, name, length(pass_crypt) as size, pass_crypt is not null as given from users', ''],
  ["select id, email || ' ' || name as label, email as other from users", ''],
  [
    'select u.id, u.name as other, v.email as mail from users as u join users as v on v.id = u.id',
    '',
  ],
]

for (const database of databases)
  describe(`Secrets that other tables and views repeat · ${database.name}`, () => {
    const isPostgres = database.dialect === 'postgres'

    for (const [select, omitted] of views)
      it(`are not served by the view ${select}`, async (test) => {
        const url = await filled(test, database, `${users} create view shown as ${select};`)
        assert.deepEqual(await readSecrets(url), [
          ...(omitted === '' ? [] : [`shown: ${omitted}`]),
          'users: pass_crypt',
        ])
      })

    it('are not served by a view of a view, unless --show names the column of the table', async (test) => {
      const url = await filled(
        test,
        database,
        `${users} create view lines as select id, email || pass_crypt as line, pass_crypt as pc from users;
         create view others as select id, line as x, pc as y, upper(pc) as z from lines;`,
      )
      assert.deepEqual(await readSecrets(url), [
        'lines: line, pc',
        'others: x, y, z',
        'users: pass_crypt',
      ])
      assert.deepEqual(await readSecrets(url, ['users.pass_crypt']), [])
      assert.deepEqual(await readSecrets(url, ['lines.pc', 'others.y', 'others.z']), [
        'lines: line',
        'others: x',
        'users: pass_crypt',
      ])
    })

    it('are not served by a view that shows rows as objects', async (test) => {
      const object = isPostgres
        ? 'row_to_json(u)::text as doc, u::text as row'
        : "json_object('p', pass_crypt) as doc"
      const url = await filled(
        test,
        database,
        `${users} create view docs as select id, name, ${object} from users as u;`,
      )
      assert.deepEqual(await readSecrets(url), [
        isPostgres ? 'docs: doc, row' : 'docs: doc',
        'users: pass_crypt',
      ])
    })

    it('are not served by the rows of audits and settings', async (test) => {
      const json = isPostgres ? 'jsonb' : 'json'
      const url = await filled(
        test,
        database,
        `create table users_history (id integer primary key, old_row ${json}, at text);
         insert into users_history values (1, '{"id": 1, "pass_crypt": "x"}', 'noon');
         create table audit_log (id integer primary key, changes text, note text, data ${json});
         insert into audit_log values (1, '{"pass_crypt":["OLD","NEW"]}', 'the password: x', '{"color":"red","token_count":5,"has_password":true}');
         create table edits (id integer primary key, column_name text, old_value text, new_value text, who text);
         insert into edits values (1, 'name', 'a', 'b', 'me'), (2, 'pass_crypt', 'x', 'y', 'me');
         create table settings (key text primary key, value text, note text);
         insert into settings values ('color', 'red', 'a'), ('smtp_password', 'x', 'b');
         create table options (key text primary key, value text);
         insert into options values ('color', 'red'), ('password_policy', 'strict');
         create table translations (key text primary key, value text);
         insert into translations values ('login.password', 'Passwort');`,
      )
      assert.deepEqual(await readSecrets(url), [
        'audit_log: changes',
        'edits: old_value, new_value',
        'settings: value',
        'users_history: old_row',
      ])
    })

    it('are found at the end and in the middle of large tables', async (test) => {
      const numbers =
        'with recursive s (i) as (select 1 union all select i + 1 from s where i < 20000)'
      const hash = '$1$salt$hash'
      const url = await filled(
        test,
        database,
        `create table late (id integer primary key, at_end text, inside text, none text);
         ${numbers} insert into late select i, case when i > 19990 then '${hash}' else 'x' end,
           case when i between 9990 and 10090 then '${hash}' else 'x' end, 'x' from s;
         create table settings (key text primary key, value text);
         ${numbers} insert into settings select 'k' || i, 'v' from s;
         insert into settings values ('smtp_password', 'x');`,
      )
      assert.deepEqual(await readSecrets(url), ['late: at_end, inside', 'settings: value'])
    })
  })
