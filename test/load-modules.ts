// The modules that most files of tests import. `start-postgres.ts` loads them once before the tests start.
import '../cli/commands.ts'
import '../examples/chinook/start-server.ts'
import '../service/start-service.ts'
import 'fast-check'
import './checker/check-served.ts'
import './client.ts'
import './databases.ts'
