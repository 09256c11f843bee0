import { withScalar } from '../chromium/scalar.ts'
import { describeGuideProgram } from './guide-program.ts'

describeGuideProgram('docs/guides/authentication.md', 'notes.db')
describeGuideProgram('docs/guides/row-level-security.md', 'postgres://me:secret@localhost/notes')
describeGuideProgram('docs/guides/testing.md')
describeGuideProgram('docs/guides/custom-routes.md', 'tracker.db')
describeGuideProgram('docs/guides/actions.md', 'tracker.db')
describeGuideProgram('docs/guides/soft-delete-and-audit.md', 'notes.db')
describeGuideProgram('docs/guides/concurrent-writers.md', 'orders.db')
describeGuideProgram('docs/guides/retries.md', 'payments.db')
describeGuideProgram('docs/declaring/kinds.md', 'shop.db')
describeGuideProgram('docs/guides/browsing.md', 'books.db')
describeGuideProgram('docs/guides/typed-client.md', 'persons.db')
describeGuideProgram('docs/guides/describing.md', 'persons.db', withScalar)
describeGuideProgram('docs/guides/paging.md', 'tasks.db')
describeGuideProgram('docs/guides/long-queries.md', 'tasks.db')
describeGuideProgram('docs/guides/included-pages.md', 'shop.db')
describeGuideProgram('docs/guides/observability.md', 'orders.db')
