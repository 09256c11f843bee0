// The script of the pages. A page can be read without it; with it, forms send JSON:API, and filters can be built.
import { showActionResult } from './action-results.js'
import { showCounts } from './counts.js'
import { closePanelsOnEscape, restoreFocus } from './focus.js'
import { enhanceForms } from './forms.js'
import { enhanceLinkage } from './linkage.js'
import { enhanceQueryForms } from './query-form.js'
import { signIn } from './sign-in.js'
import { enhanceSuggestions } from './suggestions.js'

await signIn()
document.documentElement.classList.add('script')
enhanceForms()
enhanceQueryForms()
enhanceSuggestions()
enhanceLinkage()
closePanelsOnEscape()
restoreFocus()
showActionResult()
void showCounts()
