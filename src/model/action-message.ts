/** The message of the response to an action that returns nothing. */
export const actionMessage = 'Action successfully completed'
