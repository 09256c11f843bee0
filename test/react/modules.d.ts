// The types of these packages are not installed where the other tests are compiled.
declare module '@tanstack/react-query'
declare module '@testing-library/react'
declare module 'jsdom'
declare module 'ra-i18n-polyglot'
declare module 'ra-language-english'
declare module 'react'
declare module 'react-admin'
