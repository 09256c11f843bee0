import { long } from './long-tests.ts'

/**
 * A key and a self-signed certificate for `localhost` and 127.0.0.1, of tests only: `openssl req -x509 -newkey ec
 * -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1`.
 */
export const tls = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCxrRujdqO/Td99tZ
1lPYH4Eo0zb5jpgfuZ9XZuAjYgWhRANCAARZ9wFMLlYNspczskCbPTjrTPDFsKU3
aVe+wryX54XdHbmMjNOlRnO2KfNamI+PhLjmuWSIqnEKbt3yeq650sRT
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUXLaBzXUPp4yHIdhk9ugY2yGkD9swCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzIwMzI0MloYDzIxMjYxMTAz
MjAzMjQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARZ9wFMLlYNspczskCbPTjrTPDFsKU3aVe+wryX54XdHbmMjNOlRnO2
KfNamI+PhLjmuWSIqnEKbt3yeq650sRTo28wbTAdBgNVHQ4EFgQUUDfU/cPxkbHV
iuT3H+luCetDv2cwHwYDVR0jBBgwFoAUUDfU/cPxkbHViuT3H+luCetDv2cwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAPG7uIYkPPTmZ0YNNyjDi0gvv4F5arJoyTXowKVAAshjAiAZ
EbPcm/i48493SXJeK0IC26rwziQY+9by5uB7Y6I/IA==
-----END CERTIFICATE-----
`,
}

/** How clients reach a server over HTTP/1: a name, the options of the server, and those of a suite. */
export const transports = [
  ['over HTTP', {}, {}],
  ['over HTTPS', { https: tls }, long],
] as const
