// devour-client has no types.
declare module 'devour-client'
