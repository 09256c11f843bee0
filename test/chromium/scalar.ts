import { findMissing } from '../installed-tools.ts'
import { long } from '../long-tests.ts'

/** Options of a suite that needs Scalar. */
export const withScalar = { ...long, skip: findMissing('chromium') ?? false }

/** A reference page without Scalar, for tests of other things. */
export const barePage = {
  path: '/docs',
  files: [
    {
      path: '',
      headers: { 'content-type': 'text/html; charset=utf-8' },
      read: () => '<!doctype html>',
    },
    {
      path: '/a.js',
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
      read: () => '',
    },
  ],
}
